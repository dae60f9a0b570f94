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
        self._version = self._versions = 1
        self._previous = ActionButton("previous", self.tr("Previous version"), theme, self)
        self._previous.clicked.connect(lambda: self.versionRequested.emit(self._version - 1))
        self._next = ActionButton("next", self.tr("Next version"), theme, self)
        self._next.clicked.connect(lambda: self.versionRequested.emit(self._version + 1))
        self._label = QLabel(self)
        self._label.setFont(small_font())
        self._label.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self._buttons: list[ActionButton] = []
        self.show_version(1, 1)
        self._colour_label()

    @property
    def tab_stops(self) -> list[QWidget]:
        """What the Tab key reaches, from left to right."""
        versions = [self._previous, self._next] if self._versions > 1 else []
        return [*versions, *self._buttons]

    def add(self, sign: Sign, label: str) -> ActionButton:
        """Add a button at the right end."""
        button = ActionButton(sign, label, self._theme, self)
        self._buttons.append(button)
        self._lay_out()
        return button

    def show_version(self, number: int, count: int) -> None:
        """Say which version is shown, of how many."""
        self._version, self._versions = number, count
        self._label.setText(f"{number}/{count}")
        self._label.setAccessibleName(self.tr("Version {number} of {count}").format(number=number, count=count))
        for widget in (self._previous, self._label, self._next):
            widget.setVisible(count > 1)
        self._previous.setEnabled(number > 1)
        self._next.setEnabled(number < count)
        self._lay_out()

    def reveal(self, revealed: bool) -> None:
        """Show the buttons, or only the one that has the focus."""
        for button in self._buttons:
            button.reveal(revealed)

    def apply_theme(self, theme: Theme) -> None:
        """Change the colours."""
        self._theme = theme
        for button in (self._previous, self._next, *self._buttons):
            button.apply_theme(theme)
        self._colour_label()

    def _lay_out(self) -> None:
        left = 0
        if self._versions > 1:
            width = self._label.sizeHint().width()
            self._previous.move(0, 0)
            self._label.setGeometry(BUTTON_SIZE, 0, width, BUTTON_SIZE)
            self._next.move(BUTTON_SIZE + width, 0)
            left = 2 * BUTTON_SIZE + width
        for number, button in enumerate(self._buttons):
            button.move(left + number * BUTTON_SIZE, 0)
        self.resize(left + len(self._buttons) * BUTTON_SIZE, BUTTON_SIZE)

    def _colour_label(self) -> None:
        palette = self._label.palette()
        palette.setColor(self._label.foregroundRole(), self._theme.muted)
        self._label.setPalette(palette)
