"""The settings of the program: language, theme, and how Chinese is shown."""

from dataclasses import replace

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QCheckBox, QComboBox, QDialog, QDialogButtonBox, QFormLayout, QLabel, QVBoxLayout, QWidget

from app.settings import AppSettings
from app.theme import without_icons


class SettingsDialog(QDialog):
    """Shows the settings and tells each change at once."""

    changed = Signal(object)
    """The new `AppSettings`."""

    def __init__(self, settings: AppSettings, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("settingsDialog")
        self.setAccessibleName(self.tr("Settings"))
        self.setWindowTitle(self.tr("Settings"))
        self._settings = settings
        self._language = self._choice(
            "language",
            self.tr("Language"),
            {"system": self.tr("As the system"), "en": "English", "zh_CN": "简体中文"},
            settings.language,
        )
        self._theme = self._choice(
            "theme",
            self.tr("Theme"),
            {"system": self.tr("As the system"), "light": self.tr("Light"), "dark": self.tr("Dark")},
            settings.theme,
        )
        self._chinese = self._choice(
            "chinese",
            self.tr("Chinese in answers"),
            {
                "original": self.tr("As the model wrote it"),
                "simplified": self.tr("Simplified"),
                "traditional": self.tr("Traditional"),
                "taiwan": self.tr("Traditional, as in Taiwan"),
                "hong kong": self.tr("Traditional, as in Hong Kong"),
            },
            settings.chinese,
        )
        self._punctuation = self._switch(
            "punctuation", self.tr("Full-width punctuation in Chinese sentences"), settings.punctuation
        )
        self._spacing = self._switch(
            "spacing", self.tr("A space between Chinese and Latin words or numbers"), settings.spacing
        )
        form = QFormLayout()
        form.setHorizontalSpacing(24)
        form.setVerticalSpacing(12)
        form.addRow(self.tr("Language"), self._language)
        note = QLabel(self.tr("A new language is used after the next start."))
        note.setObjectName("muted")
        form.addRow("", note)
        form.addRow(self.tr("Theme"), self._theme)
        form.addRow(self.tr("Chinese in answers"), self._chinese)
        form.addRow("", self._punctuation)
        form.addRow("", self._spacing)
        original = QLabel(self.tr("Only what you see changes: the original is what is kept and copied."))
        original.setObjectName("muted")
        form.addRow("", original)
        buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Close)
        without_icons(buttons.buttons())
        buttons.rejected.connect(self.accept)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(24, 24, 24, 16)
        layout.setSpacing(20)
        layout.addLayout(form)
        layout.addWidget(buttons)

    def _choice(self, name: str, label: str, labels: dict[str, str], current: str) -> QComboBox:
        box = QComboBox()
        box.setObjectName(f"{name}Box")
        box.setAccessibleName(label)
        for value, text in labels.items():
            box.addItem(text, value)
        box.setCurrentIndex(box.findData(current))
        box.currentIndexChanged.connect(lambda: self._change(name, box.currentData()))
        return box

    def _switch(self, name: str, label: str, current: bool) -> QCheckBox:
        box = QCheckBox(label)
        box.setObjectName(f"{name}Box")
        box.setChecked(current)
        box.toggled.connect(lambda checked: self._change(name, checked))
        return box

    def _change(self, name: str, value: str | bool) -> None:
        self._settings = replace(self._settings, **{name: value})  # type: ignore[arg-type]  # the boxes hold choices
        self.changed.emit(self._settings)
