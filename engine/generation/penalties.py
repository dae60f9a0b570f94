"""What is done to a whole row of logits before tokens are picked out: penalties, biases, and what must not come.

Steps are given the row and what was said so far; none changes the row that it was given.
"""

from collections.abc import Callable, Collection, Sequence
from functools import partial

import numpy as np
from numpy.typing import NDArray

from engine.forward import Logits
from engine.settings import GenerationSettings


class Said:
    """The tokens of prompt and answer so far, in the forms that penalties need.

    Args:
        prompt: Token ids of the prompt.

    Attributes:
        token_ids: Prompt and answer, in order.
        counts: How often each token came in the answer.
        generated: Tokens of the answer.
    """

    def __init__(self, prompt: Sequence[int]) -> None:
        self.token_ids = list(prompt)
        self.counts: dict[int, int] = {}
        self.generated = 0
        self._seen = dict.fromkeys(prompt)

    @property
    def seen(self) -> NDArray[np.int64]:
        """Every token that came at all, once each."""
        return np.fromiter(self._seen, np.int64, len(self._seen))

    def add(self, token_id: int) -> None:
        """A token was chosen."""
        self.token_ids.append(token_id)
        self.counts[token_id] = self.counts.get(token_id, 0) + 1
        self.generated += 1
        self._seen[token_id] = None


LogitsStep = Callable[[Logits, Said], Logits]


def logits_steps(settings: GenerationSettings, end_token_ids: Collection[int]) -> tuple[LogitsStep, ...]:
    """The steps that some settings ask for, in the order of the `transformers` package; none for most settings."""
    steps: list[LogitsStep] = []
    if settings.logit_bias:
        steps.append(partial(_bias, bias=settings.logit_bias))
    if settings.repetition_penalty != 1:
        steps.append(lambda logits, said: penalise_repetition(logits, said.seen, settings.repetition_penalty))
    if settings.frequency_penalty or settings.presence_penalty:
        steps.append(partial(_penalise_counts, settings=settings))
    if settings.no_repeat_ngram:
        steps.append(partial(_forbid_ngrams, length=settings.no_repeat_ngram))
    if settings.min_new_tokens:
        steps.append(partial(_forbid_end, end_token_ids=list(end_token_ids), least=settings.min_new_tokens))
    return tuple(steps)


def penalise_repetition(logits: Logits, seen: NDArray[np.int64], penalty: float) -> Logits:
    """Make seen tokens less probable: positive logits are divided by the penalty, negative ones multiplied.

    Source: Keskar et al. 2019, CTRL, arXiv:1909.05858, section 4.1, with the correction for negative logits that
    `transformers` and llama.cpp use.

    Args:
        logits: Shape (vocabulary,); not changed.
        seen: Ids of the tokens of prompt and answer; repeats do not count twice.
        penalty: 1 changes nothing, above 1 discourages.
    """
    penalised = logits.copy()
    values = logits[seen]
    penalised[seen] = np.where(values > 0, values / penalty, values * penalty)
    return penalised


def penalise_frequency(logits: Logits, counts: dict[int, int], frequency: float, presence: float) -> Logits:
    """Make tokens of the answer less probable: by `frequency` for each time that they came, and once by `presence`.

    Source: the definition in the OpenAI API's reference, ``logit - count * frequency - (count > 0) * presence``.

    Args:
        logits: Shape (vocabulary,); not changed.
        counts: How often each token came in the answer.
        frequency: Subtracted for each time.
        presence: Subtracted once.
    """
    if not counts:
        return logits
    penalised = logits.copy()
    token_ids = np.fromiter(counts, np.int64, len(counts))
    times = np.fromiter(counts.values(), np.float32, len(counts))
    penalised[token_ids] -= times * np.float32(frequency) + np.float32(presence)
    return penalised


def forbidden_by_ngrams(token_ids: Sequence[int], length: int) -> list[int]:
    """The tokens that would repeat a run of `length` tokens (Paulus et al. 2017, arXiv:1705.04304, section 2.5)."""
    if len(token_ids) < length:
        return []
    prefix = tuple(token_ids[len(token_ids) - length + 1 :])
    starts = range(len(token_ids) - length + 1)
    return [token_ids[start + length - 1] for start in starts if tuple(token_ids[start : start + length - 1]) == prefix]


def _bias(logits: Logits, _: Said, bias: Sequence[tuple[int, float]]) -> Logits:
    biased = logits.copy()
    for token_id, value in bias:
        if token_id < len(biased):
            biased[token_id] += value
    return biased


def _penalise_counts(logits: Logits, said: Said, settings: GenerationSettings) -> Logits:
    return penalise_frequency(logits, said.counts, settings.frequency_penalty, settings.presence_penalty)


def _forbid_ngrams(logits: Logits, said: Said, length: int) -> Logits:
    return _without(logits, forbidden_by_ngrams(said.token_ids, length))


def _forbid_end(logits: Logits, said: Said, end_token_ids: Sequence[int], least: int) -> Logits:
    return _without(logits, end_token_ids) if said.generated < least else logits


def _without(logits: Logits, token_ids: Sequence[int]) -> Logits:
    if not token_ids:
        return logits
    rest = logits.copy()
    rest[list(token_ids)] = -np.inf
    return rest
