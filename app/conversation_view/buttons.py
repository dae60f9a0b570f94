"""The small buttons of the conversation, drawn in the colours of the theme at any scale."""

from typing import Literal

from PySide6.QtCore import QPointF, QRectF, QSize, Qt, QTimer
from PySide6.QtGui import QColor, QEnterEvent, QPainter, QPainterPath, QPaintEvent, QPen
from PySide6.QtWidgets import QToolButton, QWidget

from app.conversation_view.theme import Theme

Sign = Literal["copy", "regenerate", "edit", "previous", "next", "done"]
BUTTON_SIZE = 28
_DONE_MILLISECONDS = 1500


class ActionButton(QToolButton):
    """A button with a drawn sign; it keeps its place, and its place in the order of focus, while it is not revealed."""

    def __init__(self, sign: Sign, label: str, theme: Theme, parent: QWidget) -> None:
        super().__init__(parent)
        self._sign: Sign = sign
        self._theme = theme
        self._revealed = True
        self.setToolTip(label)
        self.setAccessibleName(label)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.setFixedSize(self.sizeHint())
        self._done = QTimer(self, singleShot=True, interval=_DONE_MILLISECONDS)
        self._done.timeout.connect(self.update)

    def sizeHint(self) -> QSize:  # noqa: N802 - Qt's own name
        """One size for all."""
        return QSize(BUTTON_SIZE, BUTTON_SIZE)

    def reveal(self, revealed: bool) -> None:
        """Show the sign, or only while the button has the focus."""
        self._revealed = revealed
        self.update()

    def show_done(self) -> None:
        """Show for a moment that it has worked."""
        self._done.start()
        self.update()

    def apply_theme(self, theme: Theme) -> None:
        """Change the colours."""
        self._theme = theme
        self.update()

    def enterEvent(self, event: QEnterEvent) -> None:  # noqa: N802 - Qt's own name
        """Draw the button under the pointer."""
        super().enterEvent(event)
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: ARG002, N802 - Qt's own name
        """Draw the sign on a rounded field under the pointer."""
        if not (self._revealed or self.hasFocus()):
            return
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        field = QRectF(self.rect()).adjusted(1, 1, -1, -1)
        if self.underMouse():
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(QColor(self._theme.hover))
            painter.drawRoundedRect(field, 6, 6)
        if self.hasFocus():
            painter.setPen(QPen(QColor(self._theme.link), 1.5))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawRoundedRect(field, 6, 6)
        colour = self._theme.text if self.underMouse() else self._theme.muted
        if not self.isEnabled():
            colour = self._theme.border
        pen = QPen(QColor(colour), 1.4, Qt.PenStyle.SolidLine, Qt.PenCapStyle.RoundCap, Qt.PenJoinStyle.RoundJoin)
        painter.setPen(pen)
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.translate((self.width() - 16) / 2, (self.height() - 16) / 2)
        painter.drawPath(_path("done" if self._done.isActive() else self._sign))


def _path(sign: Sign) -> QPainterPath:
    """A sign in a field of 16 by 16."""
    path = QPainterPath()
    match sign:
        case "copy":
            path.addRoundedRect(QRectF(5.5, 5.5, 8, 8.5), 1.8, 1.8)
            path.moveTo(QPointF(3.8, 10.5))
            path.cubicTo(QPointF(2.8, 10.5), QPointF(2.5, 10), QPointF(2.5, 9))
            path.lineTo(QPointF(2.5, 4))
            path.cubicTo(QPointF(2.5, 2.8), QPointF(3, 2.5), QPointF(4, 2.5))
            path.lineTo(QPointF(8.5, 2.5))
            path.cubicTo(QPointF(9.6, 2.5), QPointF(10.3, 2.8), QPointF(10.4, 3.6))
        case "regenerate":
            path.arcMoveTo(QRectF(2.5, 2.5, 11, 11), 20)
            path.arcTo(QRectF(2.5, 2.5, 11, 11), 20, 300)
            path.moveTo(QPointF(13.4, 2.6))
            path.lineTo(QPointF(13.2, 6.2))
            path.lineTo(QPointF(9.7, 6.0))
        case "edit":
            path.moveTo(QPointF(3, 13))
            path.lineTo(QPointF(3.6, 10.2))
            path.lineTo(QPointF(10.8, 3))
            path.lineTo(QPointF(13, 5.2))
            path.lineTo(QPointF(5.8, 12.4))
            path.closeSubpath()
        case "previous":
            path.moveTo(QPointF(9.8, 4))
            path.lineTo(QPointF(5.8, 8))
            path.lineTo(QPointF(9.8, 12))
        case "next":
            path.moveTo(QPointF(6.2, 4))
            path.lineTo(QPointF(10.2, 8))
            path.lineTo(QPointF(6.2, 12))
        case "done":
            path.moveTo(QPointF(3, 8.5))
            path.lineTo(QPointF(6.5, 12))
            path.lineTo(QPointF(13, 4.5))
    return path
