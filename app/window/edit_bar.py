"""Says above the composer that a question is being edited, and leads back."""

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QPushButton, QWidget


class EditBar(QFrame):
    """Hidden while nothing is edited."""

    cancelled = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("editBar")
        label = QLabel(self.tr("You are editing a question. What was asked and answered before is kept."))
        label.setTextFormat(Qt.TextFormat.PlainText)
        label.setWordWrap(True)
        button = QPushButton(self.tr("Cancel"))
        button.setObjectName("cancelEditButton")
        button.setToolTip(self.tr("Do not edit the question (Esc)"))
        button.clicked.connect(self.cancelled)
        layout = QHBoxLayout(self)
        layout.setContentsMargins(14, 4, 6, 4)
        layout.addWidget(label, 1)
        layout.addWidget(button)
        self.hide()
