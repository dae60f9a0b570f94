"""What a new conversation shows before the first question."""

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QLabel, QPushButton, QVBoxLayout, QWidget


class WelcomePage(QWidget):
    """A sentence and three questions to begin with."""

    question_chosen = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("welcomePage")
        title = QLabel(self.tr("Ask anything. It stays on this computer."))
        title.setAlignment(Qt.AlignmentFlag.AlignCenter)
        title.setWordWrap(True)
        font = title.font()
        font.setPointSizeF(font.pointSizeF() * 1.5)
        font.setBold(True)
        title.setFont(font)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(32, 32, 32, 32)
        layout.setSpacing(10)
        layout.addStretch(2)
        layout.addWidget(title)
        layout.addSpacing(12)
        for question in (
            self.tr("Explain what a hash table is, with a short example in Python."),
            self.tr("Write a polite mail that moves a meeting to next week."),
            self.tr("What is the difference between weather and climate?"),
        ):
            button = QPushButton(question)
            button.setMaximumWidth(520)
            button.clicked.connect(lambda _=False, text=question: self.question_chosen.emit(text))
            layout.addWidget(button, 0, Qt.AlignmentFlag.AlignHCenter)
        layout.addStretch(3)
