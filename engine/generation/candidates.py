"""The few tokens that may still be chosen: picked out of a row of logits without sorting it, then cut down."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from engine.events import Alternative
from engine.forward import Logits

FIRST_NUCLEUS_GUESS = 64
HEIGHT = 64
"""Logits in a column when the largest are looked for."""


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
    peak = values.max()
    shifted = np.subtract(values, peak)
    return float(peak) + float(np.log(np.exp(shifted, out=shifted).sum(dtype=np.float64)))


def log_probability_of(token_id: int, logits: Logits) -> float:
    """The natural logarithm of what the model itself gives a token, before penalties, temperature and filters."""
    return float(logits[token_id]) - log_sum_exp(logits)


def largest(logits: Logits, count: int) -> NDArray[np.int64]:
    """The places of the `count` largest logits, in no order.

    The row is laid out in columns, and only those columns are looked into whose peaks are the largest: a fraction of
    the time of a selection over a whole vocabulary.
    """
    columns = len(logits) // HEIGHT
    if count >= len(logits):
        return np.arange(len(logits))
    if columns <= 2 * count:
        return np.argpartition(logits, -count)[-count:]
    peaks = logits[: columns * HEIGHT].reshape(HEIGHT, columns).max(axis=0)
    chosen = np.argpartition(peaks, -count)[-count:]
    places = (np.arange(HEIGHT)[:, None] * columns + chosen).ravel()
    places = np.concatenate([places, np.arange(columns * HEIGHT, len(logits))])
    return places[np.argpartition(logits[places], -count)[-count:]]


def top_alternatives(logits: Logits, count: int) -> tuple[Alternative, ...]:
    """The `count` most probable tokens and what the model itself gives them, the most probable first."""
    if not count:
        return ()
    places = largest(logits, count)
    order = places[np.lexsort((places, -logits[places]))]
    normaliser = log_sum_exp(logits)
    return tuple(Alternative(int(place), float(logits[place]) - normaliser) for place in order)


def most_probable(logits: Logits, temperature: float, count: int) -> Candidates:
    """Top-k: the `count` most probable tokens (Fan et al. 2018, arXiv:1805.04833), at this temperature."""
    kept = largest(logits, count)
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
        kept = largest(logits, count)
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


def keep_typical(candidates: Candidates, typical_p: float) -> Candidates:
    """The smallest set of tokens whose surprise is nearest to the expected one and that reach typical_p; at least one.

    With the entropy H of the candidates' distribution p, tokens come in the order of abs(-log p - H).

    Source: Meister et al. 2022, locally typical sampling, arXiv:2202.00666.
    """
    log_probabilities = candidates.logits - log_sum_exp(candidates.logits)
    probabilities = np.exp(log_probabilities)
    # A token that must not come has no part in the entropy.
    entropy = -(probabilities * np.where(probabilities > 0, log_probabilities, 0)).sum()
    distance = np.abs(-log_probabilities - entropy)
    count = FIRST_NUCLEUS_GUESS
    while count < len(distance):
        nearest = np.argpartition(distance, count)[:count]
        if probabilities[nearest].sum() >= typical_p:
            break
        count *= 8
    else:
        nearest = np.arange(len(distance))
    nearest = nearest[np.argsort(distance[nearest], kind="stable")]
    kept = np.searchsorted(np.cumsum(probabilities[nearest]), typical_p) + 1
    places = np.sort(nearest[:kept])
    return Candidates(candidates.token_ids[places], candidates.logits[places], candidates.log_normaliser)


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
