"""How the next token is chosen: a chain of small steps, composed once per answer.

The vocabulary is never sorted. Penalties work on the whole row of logits; then a few candidates are picked out, in
falling order, and every later step works on these alone. Steps come in the order of the `transformers` package
(penalty, temperature, top-k, top-p, min-p), so that the same settings mean the same distribution.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import NDArray

from engine.forward import Logits
from engine.settings import GenerationSettings

FIRST_NUCLEUS_GUESS = 64


@dataclass(frozen=True, slots=True)
class Candidates:
    """Tokens that may still be chosen, the most probable first.

    Attributes:
        token_ids: Shape (n,), int64.
        logits: Shape (n,), float64, after temperature, falling.
        log_normaliser: Log of the sum of exp(logit) over all tokens that count for top-p, so that probabilities are
            those of the distribution before the candidates were cut down.
    """

    token_ids: NDArray[np.int64]
    logits: NDArray[np.float64]
    log_normaliser: float

    def first(self, count: int) -> "Candidates":
        """Keep the most probable ones only."""
        return Candidates(self.token_ids[:count], self.logits[:count], self.log_normaliser)


CandidateStep = Callable[[Candidates], Candidates]


def log_sum_exp(values: NDArray[np.floating]) -> float:
    """Log of the sum of the exponentials, without overflow."""
    largest = float(values.max())
    return largest + float(np.log(np.exp(values - values.max()).sum(dtype=np.float64)))


def probability_of(token_id: int, logits: Logits) -> float:
    """What the model itself gives a token, before penalties, temperature and filters."""
    return float(np.exp(float(logits[token_id]) - log_sum_exp(logits)))


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


def most_probable(logits: Logits, temperature: float, count: int) -> Candidates:
    """Top-k: the `count` most probable tokens (Fan et al. 2018, arXiv:1805.04833), at this temperature."""
    kept = np.argpartition(logits, -count)[-count:] if count < len(logits) else np.arange(len(logits))
    candidates = _in_order(kept, logits[kept], temperature)
    return Candidates(candidates.token_ids, candidates.logits, log_sum_exp(candidates.logits))


def at_least(logits: Logits, temperature: float, min_p: float) -> Candidates:
    """The tokens that `keep_min_p` would leave of the whole vocabulary, found by one comparison."""
    kept = np.flatnonzero(logits >= logits.max() + temperature * np.log(min_p))
    candidates = _in_order(kept, logits[kept], temperature)
    return Candidates(candidates.token_ids, candidates.logits, log_sum_exp(logits / temperature))


def nucleus(logits: Logits, temperature: float, top_p: float) -> Candidates:
    """At least the tokens that `keep_top_p` would leave of the whole vocabulary, found without sorting it."""
    log_normaliser = log_sum_exp(logits / temperature)
    count = FIRST_NUCLEUS_GUESS
    while count < len(logits):
        kept = np.argpartition(logits, -count)[-count:]
        if np.exp(logits[kept] / temperature - log_normaliser).sum(dtype=np.float64) >= top_p:
            break
        count *= 8
    else:
        kept = np.arange(len(logits))
    candidates = _in_order(kept, logits[kept], temperature)
    return Candidates(candidates.token_ids, candidates.logits, log_normaliser)


def whole_vocabulary(logits: Logits, temperature: float) -> Candidates:
    """Every token, in no order: only for drawing, when no filter is on."""
    scaled = logits.astype(np.float64) / temperature
    return Candidates(np.arange(len(logits)), scaled, log_sum_exp(scaled))


def keep_top_p(candidates: Candidates, top_p: float) -> Candidates:
    """The smallest set of most probable tokens whose probabilities reach top_p; at least one.

    Source: Holtzman et al. 2020, nucleus sampling, arXiv:1904.09751.
    """
    cumulative = np.cumsum(np.exp(candidates.logits - candidates.log_normaliser))
    return candidates.first(int(np.searchsorted(cumulative, top_p)) + 1)


def keep_min_p(candidates: Candidates, min_p: float) -> Candidates:
    """The tokens with at least min_p times the probability of the most probable one.

    Source: Nguyen et al. 2024, min-p sampling, arXiv:2407.01082.
    """
    threshold = candidates.logits[0] + np.log(min_p)
    return candidates.first(int(np.searchsorted(-candidates.logits, -threshold, side="right")))


def draw(candidates: Candidates, random: np.random.Generator) -> int:
    """Choose one candidate by its probability."""
    weights = np.exp(candidates.logits - candidates.logits.max())
    cumulative = np.cumsum(weights)
    index = int(np.searchsorted(cumulative, random.random() * cumulative[-1], side="right"))
    return int(candidates.token_ids[min(index, len(weights) - 1)])


def _in_order(token_ids: NDArray[np.int64], logits: Logits, temperature: float) -> Candidates:
    # Equal logits keep the order of their ids, so that the same seed gives the same token everywhere.
    order = np.lexsort((token_ids, -logits))
    scaled = logits[order].astype(np.float64) / temperature
    return Candidates(token_ids[order], scaled, 0.0)


class Sampler:
    """Chooses tokens for one answer.

    Args:
        settings: The settings of the answer.
        seed: Starts the random numbers.
        prompt: Token ids of the prompt, which count as seen for the repetition penalty.
    """

    def __init__(self, settings: GenerationSettings, seed: int, prompt: Sequence[int]) -> None:
        self._penalty = settings.repetition_penalty
        self._seen = dict.fromkeys(prompt)
        self._choose = (
            _greedy if settings.temperature == 0 else partial(_sample, *_chain(settings), np.random.default_rng(seed))
        )

    def choose(self, logits: Logits) -> int:
        """Choose the next token from one row of logits."""
        if self._penalty != 1:
            logits = penalise_repetition(logits, np.fromiter(self._seen, np.int64, len(self._seen)), self._penalty)
        token_id = self._choose(logits)
        self._seen[token_id] = None
        return token_id


def _chain(settings: GenerationSettings) -> tuple[Callable[[Logits], Candidates], tuple[CandidateStep, ...]]:
    steps: list[CandidateStep] = []
    if settings.top_p < 1:
        steps.append(partial(keep_top_p, top_p=settings.top_p))
    if settings.min_p > 0:
        steps.append(partial(keep_min_p, min_p=settings.min_p))
    return partial(_first_pick(settings), temperature=settings.temperature), tuple(steps)


def _first_pick(settings: GenerationSettings) -> Callable[..., Candidates]:
    if settings.top_k:
        return partial(most_probable, count=settings.top_k)
    if settings.top_p < 1:
        return partial(nucleus, top_p=settings.top_p)
    if settings.min_p > 0:
        return partial(at_least, min_p=settings.min_p)
    return whole_vocabulary


def _greedy(logits: Logits) -> int:
    return int(logits.argmax())


def _sample(
    pick: Callable[[Logits], Candidates], steps: Sequence[CandidateStep], random: np.random.Generator, logits: Logits
) -> int:
    candidates = pick(logits)
    for step in steps:
        candidates = step(candidates)
    return draw(candidates, random)
