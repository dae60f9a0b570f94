"""Several answers at once: they join as there is room, take every step together, and leave as they finish.

Continuous batching, as in Orca (Yu et al. 2022, OSDI): the batch is put together anew at every step, so that a short
answer never waits for a long one.
"""

from collections import deque
from collections.abc import Collection, Generator, Iterator, Sequence
from dataclasses import dataclass, field

from engine.cancellation import Cancellation
from engine.events import PrefillProgress, StopReason, TokenGenerated
from engine.forward import Logits
from engine.forward.batch_cache import BatchCache
from engine.forward.session import ForwardSession
from engine.generation.repetition import RepetitionGuard
from engine.generation.sampling import Sampler, probability_of

ROWS = 8
"""The most answers that grow at once: more of them gain little on a few cores, and each needs memory."""

BatchEvent = PrefillProgress | TokenGenerated | StopReason
"""What happens to one answer; the reason of its end comes last."""


@dataclass(slots=True)
class BatchedAnswer:
    """One answer on its way through the batch.

    Attributes:
        token_ids: The prompt.
        sampler: Chooses its tokens.
        limit: The most tokens to generate, at least 1.
        cancellation: Ends this answer alone.
        chosen: The token that the model has not read yet.
        generated: How many tokens were chosen.
    """

    token_ids: Sequence[int]
    sampler: Sampler
    limit: int
    cancellation: Cancellation
    chosen: int = -1
    generated: int = 0
    guard: RepetitionGuard = field(default_factory=RepetitionGuard)

    def choose(self, logits: Logits) -> TokenGenerated:
        """Choose the next token from one row of logits."""
        self.chosen = self.sampler.choose(logits)
        self.generated += 1
        return TokenGenerated(self.chosen, probability_of(self.chosen, logits))

    def ended(self, end_token_ids: Collection[int]) -> StopReason | None:
        """Why the answer ends with the token just chosen, or None if it goes on."""
        if self.chosen in end_token_ids:
            return "end"
        if self.guard.is_endless(self.chosen):
            return "repetition"
        if self.generated == self.limit:
            return "length"
        return "cancelled" if self.cancellation.requested else None


class Batch:
    """Answers that grow together, each as if it were alone.

    Args:
        session: The model.
        end_token_ids: Tokens that end an answer; the one that did is given too.
        rows: The most answers that grow at once; the others wait for their turn.
    """

    def __init__(self, session: ForwardSession, end_token_ids: Collection[int], rows: int = ROWS) -> None:
        self._session = session
        self._end_token_ids = end_token_ids
        self._cache = BatchCache(session.layout, rows)
        self._waiting: deque[BatchedAnswer] = deque()
        self._reading: Generator[int, None, Logits] | None = None
        self._growing: list[BatchedAnswer] = []

    def add(self, answer: BatchedAnswer) -> None:
        """Let an answer join as soon as there is room; at any time, also while others grow."""
        self._waiting.append(answer)

    def run(self) -> Iterator[tuple[BatchedAnswer, BatchEvent]]:
        """Take steps until every answer has ended.

        Between two steps one chunk of one waiting prompt is read, so that those who grow go on meanwhile.

        Raises:
            ModelRunError: The runtime failed while it computed.
        """
        while self._waiting or self._growing:
            if self._waiting and len(self._growing) < self._cache.places:
                yield from self._read(self._waiting[0])
            if self._growing:
                yield from self._step()

    def _read(self, answer: BatchedAnswer) -> Iterator[tuple[BatchedAnswer, BatchEvent]]:
        if answer.cancellation.requested:
            self._admit()
            yield answer, "cancelled"
            return
        self._reading = self._reading or self._session.prefill(answer.token_ids)
        done = next(self._reading)
        yield answer, PrefillProgress(done, len(answer.token_ids))
        if done < len(answer.token_ids):
            return
        logits = _result(self._reading)
        self._admit()
        yield answer, answer.choose(logits)
        if reason := answer.ended(self._end_token_ids):
            yield answer, reason
            return
        self._cache.join(self._session.cache)
        self._growing.append(answer)

    def _admit(self) -> None:
        self._waiting.popleft()
        self._reading = None

    def _step(self) -> Iterator[tuple[BatchedAnswer, BatchEvent]]:
        logits = self._session.step(self._cache, [answer.chosen for answer in self._growing])
        tokens = [answer.choose(row) for answer, row in zip(self._growing, logits, strict=True)]
        yield from zip(self._growing, tokens, strict=True)
        # From the last to the first: a row that leaves is replaced by the last, which has been looked at.
        for row in range(len(self._growing) - 1, -1, -1):
            answer = self._growing[row]
            if reason := answer.ended(self._end_token_ids):
                self._leave(row)
                yield answer, reason

    def _leave(self, row: int) -> None:
        # What the model has read for this answer serves the next turn of its conversation.
        self._session.caches.keep(self._cache.extract(row))
        self._cache.leave(row)
        self._growing[row] = self._growing[-1]
        self._growing.pop()


def _result(finished: Generator[int, None, Logits]) -> Logits:
    try:
        next(finished)
    except StopIteration as end:
        logits: Logits = end.value
        return logits
    raise AssertionError("the prompt was read, yet its reading goes on")
