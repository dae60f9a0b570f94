"""The line at the bottom: model, device, what it is doing, speed, and how full the context is."""

from PySide6.QtWidgets import QWidget

from app.eliding_label import ElidingLabel
from engine import Manifest


class StatusLine(ElidingLabel):
    """Says in one line what the engine is doing."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("statusLine")
        self.setAccessibleName(self.tr("Status"))
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

    def show_waiting(self, name: str) -> None:
        """The question waits for another answer."""
        self._show(self._model or name, self.tr("waiting for the answer in another conversation"))

    def show_reading(self, name: str, done: int, total: int) -> None:
        """The model reads the prompt."""
        text = self.tr("reading the conversation: {done} of {total} tokens")
        self._show(self._model or name, text.format(done=done, total=total))

    def show_answering(self, name: str, tokens_per_second: float, context_tokens: int) -> None:
        """A model answers, which need not be the one that was chosen meanwhile and is still to be loaded."""
        rate = [self.tr("{rate} tokens/s").format(rate=f"{tokens_per_second:.1f}")] if tokens_per_second else []
        self._show(self._model or name, self.tr("answering"), *rate, self._context(context_tokens))

    def _context(self, used: int) -> str:
        return self.tr("context: {used} of {all} tokens").format(used=used, all=self._context_length)

    def _show(self, *parts: str) -> None:
        self.setText(" · ".join(parts))
