"""A sentence about something that went wrong, until the person closes it."""

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QPushButton, QWidget


class TroubleBar(QFrame):
    """Stands above the composer; hidden while all is well."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("troubleBar")
        self.label = QLabel()
        self.label.setObjectName("troubleLabel")
        self.label.setTextFormat(Qt.TextFormat.PlainText)
        self.label.setWordWrap(True)
        self._close = QPushButton(self.tr("Close"))
        self._close.clicked.connect(self.hide)
        layout = QHBoxLayout(self)
        layout.setContentsMargins(14, 6, 6, 6)
        layout.addWidget(self.label, 1)
        layout.addWidget(self._close, 0, Qt.AlignmentFlag.AlignTop)
        self.hide()

    def tell(self, sentence: str) -> None:
        """Show a sentence."""
        self.label.setText(sentence)
        self.show()
