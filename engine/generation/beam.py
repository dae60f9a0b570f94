"""Beam search: several answers grow together, and the most probable whole one wins.

The search, its length penalty and its end are those of `transformers` with ``early_stopping=False``: a hypothesis is
scored by the sum of its log-probabilities divided by its length to the power of the length penalty (Wu et al. 2016,
arXiv:1609.08144, section 7, in the simpler form of Sutskever's decoder and OpenNMT), and the search ends when as many
hypotheses as there are beams have ended and no live one scores better, at its length, than the worst of them.
"""

import math
from collections.abc import Collection, Generator, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from engine.cancellation import Cancellation
from engine.events import StopReason, TokenGenerated
from engine.forward import Logits
from engine.forward.batch_cache import BatchCache
from engine.forward.kv_cache import common_prefix
from engine.forward.session import ForwardSession
from engine.generation.candidates import log_sum_exp


@dataclass(frozen=True, slots=True)
class Hypothesis:
    """A beginning of an answer.

    Attributes:
        token_ids: Its tokens, without the prompt.
        probabilities: What the model gave each of them.
        log_probability: The sum of their logarithms.
    """

    token_ids: tuple[int, ...] = ()
    probabilities: tuple[float, ...] = ()
    log_probability: float = 0.0

    def score(self, length_penalty: float) -> float:
        """The mean log-probability of a token for a penalty of 1, the sum for 0; higher is better."""
        return self.log_probability / math.pow(len(self.token_ids), length_penalty)

    def extended(self, token_id: int, log_probability: float) -> "Hypothesis":
        """The hypothesis with one more token."""
        return Hypothesis(
            (*self.token_ids, token_id),
            (*self.probabilities, float(np.exp(log_probability))),
            self.log_probability + log_probability,
        )


class BeamSearch:
    """The hypotheses of one answer.

    Args:
        beams: How many live hypotheses are kept.
        length_penalty: Above 0 favours long answers, below 0 short ones.
        end_token_ids: Tokens that end a hypothesis.
        limit: The most tokens of a hypothesis.

    Attributes:
        end_token_ids: As given.
        live: Those that go on, one for each row of logits.
        ended: The best that have ended, best first, at most as many as there are beams.
    """

    def __init__(self, beams: int, length_penalty: float, end_token_ids: Collection[int], limit: int) -> None:
        self._beams = beams
        self._length_penalty = length_penalty
        self.end_token_ids = end_token_ids
        self._limit = limit
        self.live = [Hypothesis()]
        self.ended: list[Hypothesis] = []

    @property
    def best(self) -> Hypothesis:
        """The best that has ended or, if none has, the most probable live one."""
        return self.ended[0] if self.ended else max(self.live, key=self._score)

    @property
    def is_over(self) -> bool:
        """Whether no live hypothesis can take a place among those that have ended."""
        if not self.live:
            return True
        full = len(self.ended) == self._beams
        return full and max(map(self._score, self.live)) <= self._score(self.ended[-1])

    @property
    def stable(self) -> int:
        """How many first tokens will be in the answer, whichever hypothesis wins."""
        possible = [hypothesis.token_ids for hypothesis in (*self.live, *self.ended[:1])]
        return min((common_prefix(*pair) for pair in pairwise(possible)), default=len(possible[0]))

    def advance(self, logits: Logits) -> list[int]:
        """Extend the live hypotheses by one token.

        Args:
            logits: A row for each live hypothesis, shape (live, vocabulary).

        Returns:
            For each new live hypothesis, the place of the one that it extends. One that is extended stays in its place,
            so that few keys and values must be moved.
        """
        extensions = self._most_probable(logits)
        chosen: list[tuple[int, Hypothesis]] = []
        for rank, (parent, extension) in enumerate(extensions):
            if self._has_ended(extension):
                if rank < self._beams:
                    self.ended.append(extension)
            elif len(chosen) < self._beams:
                chosen.append((parent, extension))
        self.ended = sorted(self.ended, key=self._score, reverse=True)[: self._beams]
        placed = _in_place(chosen)
        self.live = [extension for _, extension in placed]
        return [parent for parent, _ in placed]

    def _has_ended(self, hypothesis: Hypothesis) -> bool:
        return hypothesis.token_ids[-1] in self.end_token_ids or len(hypothesis.token_ids) == self._limit

    def _most_probable(self, logits: Logits) -> list[tuple[int, Hypothesis]]:
        # So many that enough of them go on even if all the best ones end.
        count = min(max(2, 1 + len(self.end_token_ids)) * self._beams, logits.shape[1])
        found: list[tuple[float, int, int]] = []
        for parent, (hypothesis, row) in enumerate(zip(self.live, logits, strict=True)):
            before = hypothesis.log_probability - log_sum_exp(row)
            candidates = np.argpartition(row, -count)[-count:]
            found += [(before + float(row[token_id]), parent, int(token_id)) for token_id in candidates]
        found.sort(reverse=True)
        return [
            (parent, self.live[parent].extended(token_id, total - self.live[parent].log_probability))
            for total, parent, token_id in found[:count]
        ]

    def _score(self, hypothesis: Hypothesis) -> float:
        return hypothesis.score(self._length_penalty)


def generate_by_beams(
    session: ForwardSession,
    prompt: Sequence[int],
    logits: Logits,
    search: BeamSearch,
    cancellation: Cancellation,
) -> Generator[TokenGenerated, None, StopReason]:
    """Generate the tokens of one answer by beam search.

    Args:
        session: The model, which has read the prompt.
        prompt: The token ids of the prompt.
        logits: Those after its last token, shape (vocabulary,).
        search: A new search.
        cancellation: Looked at before every run of the model.

    Yields:
        Each token as soon as all hypotheses that can still win agree on it.

    Returns:
        Why the answer ended.

    Raises:
        ModelRunError: The runtime failed while it computed.
    """
    given = 0
    parents = search.advance(logits[np.newaxis])
    rows = BatchCache(session.layout, places=len(parents))
    for _ in parents:
        rows.join(session.cache)
    while not search.is_over:
        stable = search.stable
        yield from _tokens(search.best, given, stable)
        given = stable
        if cancellation.requested:
            return "cancelled"
        logits = session.step(rows, [hypothesis.token_ids[-1] for hypothesis in search.live])
        parents = search.advance(logits)
        rows.reorder(parents)
    best = search.best
    _keep(session, rows, [*prompt, *best.token_ids])
    yield from _tokens(best, given, len(best.token_ids))
    return "end" if best.token_ids[-1] in search.end_token_ids else "length"


def _tokens(hypothesis: Hypothesis, start: int, end: int) -> Iterator[TokenGenerated]:
    for index in range(start, end):
        yield TokenGenerated(hypothesis.token_ids[index], hypothesis.probabilities[index])


def _in_place(chosen: Sequence[tuple[int, Hypothesis]]) -> list[tuple[int, Hypothesis]]:
    """The extensions, ordered so that one of each parent that has any stands where the parent stood."""
    first_of = {parent: index for index, (parent, _) in reversed(list(enumerate(chosen)))}
    stay = {parent: index for parent, index in first_of.items() if parent < len(chosen)}
    others = iter(sorted(set(range(len(chosen))) - set(stay.values())))
    return [chosen[stay[place] if place in stay else next(others)] for place in range(len(chosen))]


def _keep(session: ForwardSession, rows: BatchCache, token_ids: Sequence[int]) -> None:
    # The winner may have ended long ago and its row may be another's; the nearest row serves the next turn.
    lengths = [common_prefix(row, token_ids) for row in rows.rows]
    cache = rows.extract(lengths.index(max(lengths)))
    cache.rewind(max(lengths))
    session.caches.keep(cache)
