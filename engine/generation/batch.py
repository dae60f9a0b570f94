"""Several answers at once: they join as there is room, take every step together, and leave as they finish.

Continuous batching, as in Orca (Yu et al. 2022, OSDI): the batch is put together anew at every step, so that a short
answer never waits for a long one.
"""

from collections import deque
from collections.abc import Generator, Iterator, Sequence
from dataclasses import dataclass

from engine.events import PrefillProgress, StopReason, TokenGenerated
from engine.forward import Logits
from engine.forward.batch_cache import BatchCache
from engine.forward.session import ForwardSession
from engine.generation.answer import GrowingAnswer

ROWS = 8
"""The most answers that grow at once: more of them gain little on a few cores, and each needs memory."""

BatchEvent = PrefillProgress | TokenGenerated | StopReason
"""What happens to one answer; the reason of its end comes last."""


@dataclass(frozen=True, slots=True, eq=False)
class BatchedAnswer:
    """One answer on its way through the batch.

    Attributes:
        token_ids: The prompt.
        answer: Chooses the tokens and says when to end.
    """

    token_ids: Sequence[int]
    answer: GrowingAnswer


class Batch:
    """Answers that grow together, each as if it were alone.

    Args:
        session: The model.
        rows: The most answers that grow at once; the others wait for their turn.
    """

    def __init__(self, session: ForwardSession, rows: int = ROWS) -> None:
        self._session = session
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

    def _read(self, waiting: BatchedAnswer) -> Iterator[tuple[BatchedAnswer, BatchEvent]]:
        if reason := waiting.answer.ended:
            self._admit()
            yield waiting, reason
            return
        self._reading = self._reading or self._session.prefill(waiting.token_ids)
        done = next(self._reading)
        yield waiting, PrefillProgress(done, len(waiting.token_ids))
        if done < len(waiting.token_ids):
            return
        logits = _result(self._reading)
        self._admit()
        yield waiting, waiting.answer.choose(logits)
        if reason := waiting.answer.ended:
            yield waiting, reason
            return
        self._cache.join(self._session.cache)
        self._growing.append(waiting)

    def _admit(self) -> None:
        self._waiting.popleft()
        self._reading = None

    def _step(self) -> Iterator[tuple[BatchedAnswer, BatchEvent]]:
        logits = self._session.step(self._cache, [growing.answer.chosen for growing in self._growing])
        tokens = [growing.answer.choose(row) for growing, row in zip(self._growing, logits, strict=True)]
        yield from zip(self._growing, tokens, strict=True)
        # From the last to the first: a row that leaves is replaced by the last, which has been looked at.
        for row in range(len(self._growing) - 1, -1, -1):
            growing = self._growing[row]
            if reason := growing.answer.ended:
                self._leave(row)
                yield growing, reason

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
