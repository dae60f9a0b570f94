"""The line under a message: which of its versions is shown, and what can be done with it."""

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QLabel, QWidget

from app.conversation_view.buttons import BUTTON_SIZE, ActionButton, Sign
from app.conversation_view.fonts import small_font
from app.conversation_view.theme import Theme


class ActionRow(QWidget):
    """Buttons that show under the pointer or with the focus; the versions show always, where there are several."""

    versionRequested = Signal(int)  # noqa: N815 - Qt's way of naming signals
    """The number of the version that is wanted, counted from 1."""

    def __init__(self, theme: Theme, parent: QWidget) -> None:
        super().__init__(parent)
        self._theme = theme
        self._switch: _VersionSwitch | None = None
        self._buttons: list[ActionButton] = []
        self._lay_out()

    @property
    def tab_stops(self) -> list[QWidget]:
        """What the Tab key reaches, from left to right."""
        return [*(self._switch.buttons if self._switch else ()), *self._buttons]

    def add(self, sign: Sign, label: str) -> ActionButton:
        """Add a button at the right end."""
        button = ActionButton(sign, label, self._theme, self)
        self._buttons.append(button)
        self._lay_out()
        return button

    def show_version(self, number: int, count: int) -> None:
        """Say which version is shown, of how many; once."""
        # Most messages have one version only, and need not pay for the means to switch.
        if count > 1:
            self._switch = _VersionSwitch(number, count, self._theme, self)
            self._switch.requested.connect(self.versionRequested)
            self._lay_out()

    def reveal(self, revealed: bool) -> None:
        """Show the buttons, or only the one that has the focus."""
        for button in self._buttons:
            button.reveal(revealed)

    def apply_theme(self, theme: Theme) -> None:
        """Change the colours."""
        self._theme = theme
        for button in self._buttons:
            button.apply_theme(theme)
        if self._switch:
            self._switch.apply_theme(theme)

    def _lay_out(self) -> None:
        left = self._switch.width() if self._switch else 0
        for number, button in enumerate(self._buttons):
            button.move(left + number * BUTTON_SIZE, 0)
        self.resize(left + len(self._buttons) * BUTTON_SIZE, BUTTON_SIZE)


class _VersionSwitch(QWidget):
    """Arrows on both sides of ``2/3``."""

    requested = Signal(int)

    def __init__(self, number: int, count: int, theme: Theme, parent: QWidget) -> None:
        super().__init__(parent)
        self._theme = theme
        self._label = QLabel(f"{number}/{count}", self)
        self._label.setFont(small_font())
        self._label.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self._label.setAccessibleName(self.tr("Version {number} of {count}").format(number=number, count=count))
        previous = ActionButton("previous", self.tr("Previous version"), theme, self)
        previous.setEnabled(number > 1)
        previous.clicked.connect(lambda: self.requested.emit(number - 1))
        following = ActionButton("next", self.tr("Next version"), theme, self)
        following.setEnabled(number < count)
        following.clicked.connect(lambda: self.requested.emit(number + 1))
        self.buttons = (previous, following)
        width = self._label.sizeHint().width()
        self._label.setGeometry(BUTTON_SIZE, 0, width, BUTTON_SIZE)
        following.move(BUTTON_SIZE + width, 0)
        self.resize(2 * BUTTON_SIZE + width, BUTTON_SIZE)
        self._colour_label()

    def apply_theme(self, theme: Theme) -> None:
        """Change the colours."""
        self._theme = theme
        for button in self.buttons:
            button.apply_theme(theme)
        self._colour_label()

    def _colour_label(self) -> None:
        palette = self._label.palette()
        palette.setColor(self._label.foregroundRole(), self._theme.muted)
        self._label.setPalette(palette)
