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
        self._model = ""
        self.setText(self.tr("No model"))

    def show_loading(self, name: str) -> None:
        """A model is being loaded."""
        self._model = ""
        self._show(name, self.tr("loading…"))

    def show_ready(self, manifest: Manifest, device: str) -> None:
        """A model is ready."""
        self._model = f"{manifest.name} · {device}"
        self._context_length = manifest.context_length

    def show_idle(self, context_tokens: int) -> None:
        """Nothing is being computed; 0 tokens where it is not known how full the context is."""
        if self._model:
            self._show(self._model, self.tr("ready"), *([self._context(context_tokens)] if context_tokens else []))

    def show_waiting(self) -> None:
        """The question waits for another answer."""
        if self._model:
            self._show(self._model, self.tr("waiting for the answer in another conversation"))

    def show_reading(self, done: int, total: int) -> None:
        """The model reads the prompt."""
        text = self.tr("reading the conversation: {done} of {total} tokens")
        self._show(self._model, text.format(done=done, total=total))

    def show_answering(self, tokens_per_second: float, context_tokens: int) -> None:
        """The model answers."""
        rate = [self.tr("{rate} tokens/s").format(rate=f"{tokens_per_second:.1f}")] if tokens_per_second else []
        self._show(self._model, self.tr("answering"), *rate, self._context(context_tokens))

    def _context(self, used: int) -> str:
        return self.tr("context: {used} of {all} tokens").format(used=used, all=self._context_length)

    def _show(self, *parts: str) -> None:
        self.setText(" · ".join(parts))
