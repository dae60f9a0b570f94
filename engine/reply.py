"""The state of one reply while it is made: what was generated, when, and why it ended."""

from time import perf_counter

from engine.events import Finished, Statistics, StopReason
from engine.generation.acceptance import Acceptance


class Reply:
    """Collects tokens, text and times of one answer; the clock starts when it is made.

    Attributes:
        acceptance: How good the guesses of its tokens were.
    """

    def __init__(self) -> None:
        self._started = perf_counter()
        self._prefill_started = self._started
        self._prefill_ended = self._started
        self._first_token: float | None = None
        self._last_token = self._started
        self._prompt_tokens = 0
        self._reused_tokens = 0
        self._token_ids: list[int] = []
        self._text: list[str] = []
        self.acceptance = Acceptance()

    def prompt_prepared(self, prompt_tokens: int, reused_tokens: int) -> None:
        """The prompt is ready and the model begins to read it."""
        self._prompt_tokens = prompt_tokens
        self._reused_tokens = reused_tokens
        self._prefill_started = self._prefill_ended = perf_counter()

    def prefill_progressed(self) -> None:
        """The model has read another chunk of the prompt."""
        self._prefill_ended = perf_counter()

    def add_token(self, token_id: int) -> None:
        """A token was chosen."""
        self._last_token = perf_counter()
        self._first_token = self._first_token or self._last_token
        self._token_ids.append(token_id)

    def add_text(self, text: str) -> None:
        """Text became certain."""
        self._text.append(text)

    def finish(self, reason: StopReason, keeps_constraint: bool = True) -> Finished:
        """Everything about the answer."""
        first_token = self._first_token or self._last_token
        statistics = Statistics(
            prompt_tokens=self._prompt_tokens,
            reused_tokens=self._reused_tokens,
            generated_tokens=len(self._token_ids),
            prefill_seconds=self._prefill_ended - self._prefill_started,
            first_token_seconds=first_token - self._started,
            decode_seconds=self._last_token - first_token,
            drafted_tokens=self.acceptance.drafted,
            accepted_tokens=self.acceptance.accepted,
        )
        return Finished(reason, "".join(self._text), tuple(self._token_ids), statistics, keeps_constraint)
