"""The line at the bottom: model, device, what it is doing, speed, and how full the context is."""

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLabel, QWidget

from engine import Manifest


class StatusLine(QLabel):
    """Says in one line what the engine is doing."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("statusLine")
        self.setAccessibleName(self.tr("Status"))
        self.setTextFormat(Qt.TextFormat.PlainText)
        self._model = ""
        self._context_length = 0

    def show_no_model(self) -> None:
        """There is nothing that could answer."""
        self.setText(self.tr("No model"))

    def show_loading(self, name: str) -> None:
        """A model is being loaded."""
        self.setText(self.tr("{model} · loading…").format(model=name))

    def show_ready(self, manifest: Manifest, device: str) -> None:
        """A model is ready."""
        self._model = f"{manifest.name} · {device}"
        self._context_length = manifest.context_length
        self.show_idle()

    def show_idle(self) -> None:
        """Nothing is being computed."""
        if self._model:
            self.setText(self.tr("{model} · ready").format(model=self._model))

    def show_reading(self, done: int, total: int) -> None:
        """The model reads the prompt."""
        text = self.tr("{model} · reading the conversation: {done} of {total} tokens")
        self.setText(text.format(model=self._model, done=done, total=total))

    def show_answering(self, tokens_per_second: float, context_tokens: int) -> None:
        """The model answers."""
        text = self.tr("{model} · {rate} tokens/s · context: {used} of {all} tokens")
        rate = f"{tokens_per_second:.1f}"
        self.setText(text.format(model=self._model, rate=rate, used=context_tokens, all=self._context_length))
