"""The line above the first message that the model still sees."""

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QColor, QFontMetrics, QPainter, QPaintEvent
from PySide6.QtWidgets import QWidget

from app.conversation_view.fonts import small_font
from app.conversation_view.theme import Theme

_GAP = 12
_PADDING = 6


class ContextLine(QWidget):
    """Says that what stands above no longer fits into the model's context."""

    def __init__(self, theme: Theme, parent: QWidget) -> None:
        super().__init__(parent)
        self._theme = theme
        self._text = self.tr("The model no longer sees what stands above: the conversation has become too long.")
        self.setObjectName("contextLine")
        self.setAccessibleName(self._text)
        self.hide()

    def arrange(self, width: int) -> int:
        """Take a width in pixels; returns the height."""
        area = QFontMetrics(small_font()).boundingRect(0, 0, width, 1 << 16, self._flags, self._text)
        return area.height() + 2 * _PADDING

    def apply_theme(self, theme: Theme) -> None:
        """Change the colours."""
        self._theme = theme
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: ARG002, N802 - Qt's own name
        """Draw the words between two lines."""
        painter = QPainter(self)
        painter.setFont(small_font())
        painter.setPen(QColor(self._theme.muted))
        painter.drawText(self.rect(), self._flags, self._text)
        words = painter.boundingRect(QRectF(self.rect()), self._flags, self._text)
        painter.setPen(QColor(self._theme.border))
        middle = self.height() // 2
        painter.drawLine(0, middle, round(words.left()) - _GAP, middle)
        painter.drawLine(round(words.right()) + _GAP, middle, self.width(), middle)

    @property
    def _flags(self) -> int:
        return Qt.AlignmentFlag.AlignCenter | Qt.TextFlag.TextWordWrap
