"""Stages 5 and 6 of one answer: its tokens become text, and the text what the person sees."""

from collections.abc import Iterator

from engine.decoding import StopMatcher, StreamingDecoder
from engine.events import Event, StopReason, TextDelta, TokenGenerated
from engine.generation.repetition import ProseTracker, RepetitionGuard
from engine.postprocess import present
from engine.reply import Reply
from engine.settings import GenerationSettings
from engine.tokenization import Tokenizer


class Speech:
    """Turns the tokens of one answer into events, as they come.

    Args:
        tokenizer: That of the model.
        settings: Those of the answer. Under a constraint nothing is taken for endless, since the text must become
            complete.
        reply: Collects tokens and text.
    """

    def __init__(self, tokenizer: Tokenizer, settings: GenerationSettings, reply: Reply) -> None:
        self._decoder = StreamingDecoder(tokenizer.fast, tokenizer.control_tokens.values())
        self._stop = StopMatcher(settings.stop)
        self._may_be_endless = settings.constraint is None
        self._guard = RepetitionGuard()
        self._prose = ProseTracker()
        self._stop_token_ids = settings.stop_token_ids
        self._has_stop_token = False
        self._is_endless = False
        self._reply = reply

    @property
    def ended(self) -> StopReason | None:
        """Why the answer ends with the newest token, as far as its text says so."""
        if self._stop.matched or self._has_stop_token:
            return "stop"
        return "repetition" if self._is_endless else None

    def feed(self, token: TokenGenerated) -> Iterator[Event]:
        """Take the next token and give what is now certain."""
        self._reply.add_token(token.token_id)
        yield token
        self._has_stop_token = token.token_id in self._stop_token_ids
        if self._has_stop_token:
            return
        text = self._decoder.feed(token.token_id)
        self._prose.feed(text)
        repeats = self._guard.is_endless(token.token_id)
        self._is_endless = repeats and self._prose.is_prose and self._may_be_endless
        yield from self._delta(self._stop.feed(text))

    def flush(self) -> Iterator[Event]:
        """Give what was held back, at the end of the answer."""
        yield from self._delta(self._stop.flush())

    def _delta(self, text: str) -> Iterator[TextDelta]:
        if text:
            self._reply.add_text(text)
            yield TextDelta(text, shown=present(text))
