"""A line of plain text that never asks for more room than it has."""

from PySide6.QtCore import Qt
from PySide6.QtGui import QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QLabel, QSizePolicy, QWidget


class ElidingLabel(QLabel):
    """Shows as much of its text as fits, with an ellipsis for the rest, which a tool tip tells."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setTextFormat(Qt.TextFormat.PlainText)
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)

    @property
    def shown_text(self) -> str:
        """What can be read of the text."""
        return self.fontMetrics().elidedText(self.text(), Qt.TextElideMode.ElideRight, self.contentsRect().width())

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: ARG002, N802 - Qt's own name
        """Draw what fits."""
        painter = QPainter(self)
        painter.setPen(self.palette().color(self.foregroundRole()))
        painter.drawText(self.contentsRect(), Qt.AlignmentFlag.AlignVCenter, self.shown_text)

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: N802 - Qt's own name
        """Tell by a tool tip what does not fit any more."""
        super().resizeEvent(event)
        self.setToolTip(self.text() if self.shown_text != self.text() else "")

    def setText(self, text: str) -> None:  # noqa: N802 - Qt's own name
        """Show this text."""
        super().setText(text)
        self.setToolTip(text if self.shown_text != text else "")
