"""A slim scroll bar in the colours of the theme; drawn, since a style sheet for each would slow every panel down."""

from PySide6.QtCore import QPoint, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QPainter, QPaintEvent
from PySide6.QtWidgets import QScrollBar, QStyle, QStyleOptionSlider, QWidget

from app.conversation_view.theme import Theme

_THICKNESS = 12
_GAP = 3


class SlimScrollBar(QScrollBar):
    """Looks slim and behaves as the platform's scroll bar does."""

    def __init__(self, orientation: Qt.Orientation, theme: Theme, parent: QWidget) -> None:
        super().__init__(orientation, parent)
        self._theme = theme

    def apply_theme(self, theme: Theme) -> None:
        """Change the colours."""
        self._theme = theme
        self.update()

    def sizeHint(self) -> QSize:  # noqa: N802 - Qt's own name
        """Slim across, whatever is needed along."""
        size = super().sizeHint()
        if self.orientation() == Qt.Orientation.Horizontal:
            return QSize(size.width(), _THICKNESS)
        return QSize(_THICKNESS, size.height())

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: ARG002, N802 - Qt's own name
        """Draw the handle where the platform's style has it."""
        if self.maximum() <= self.minimum():
            return
        option = QStyleOptionSlider()
        self.initStyleOption(option)
        handle = self.style().subControlRect(
            QStyle.ComplexControl.CC_ScrollBar, option, QStyle.SubControl.SC_ScrollBarSlider, self
        )
        held = self.isSliderDown() or (self.underMouse() and handle.contains(self.mapFromGlobal(_pointer(self))))
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(QColor(self._theme.muted if held else self._theme.quote_bar))
        area = QRectF(handle).adjusted(_GAP, _GAP, -_GAP, -_GAP)
        radius = min(area.width(), area.height()) / 2
        painter.drawRoundedRect(area, radius, radius)


def _pointer(widget: QWidget) -> QPoint:
    return widget.cursor().pos()
