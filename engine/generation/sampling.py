"""How the next token is chosen: a chain of small steps, composed once per answer.

The vocabulary is never sorted. Penalties work on the whole row of logits; then a few candidates are picked out, in
falling order, and every later step works on these alone. Steps come in the order of the `transformers` package (bias,
penalties, temperature, top-k, top-p, min-p, typical), so that the same settings mean the same distribution.
"""

from collections.abc import Callable, Collection, Sequence
from functools import partial

import numpy as np

from engine.forward import Logits
from engine.generation.candidates import (
    Candidates,
    CandidateStep,
    at_least,
    draw,
    keep_min_p,
    keep_top_p,
    keep_typical,
    log_probability_of,
    most_probable,
    nucleus,
    whole_vocabulary,
)
from engine.generation.constraint import ConstrainedText
from engine.generation.penalties import Said, logits_steps
from engine.settings import GenerationSettings


def probability_of(token_id: int, logits: Logits) -> float:
    """What the model itself gives a token, before penalties, temperature and filters."""
    return float(np.exp(log_probability_of(token_id, logits)))


class Sampler:
    """Chooses tokens for one answer.

    Args:
        settings: The settings of the answer.
        seed: Starts the random numbers.
        prompt: Token ids of the prompt, which count as said for the penalties.
        end_token_ids: Tokens that end an answer, and must not come before its least length.
        constraint: What the text of the answer must keep to.

    Attributes:
        constraint: As given.
    """

    def __init__(
        self,
        settings: GenerationSettings,
        seed: int,
        prompt: Sequence[int],
        end_token_ids: Collection[int] = (),
        constraint: ConstrainedText | None = None,
    ) -> None:
        self.constraint = constraint
        self._said = Said(prompt)
        self._steps = logits_steps(settings, (*end_token_ids, *settings.stop_token_ids))
        self._choose = (
            _greedy if settings.temperature == 0 else partial(_sample, *_chain(settings), np.random.default_rng(seed))
        )

    def choose(self, logits: Logits) -> int:
        """Choose the next token from one row of logits, which stays as it is."""
        scored = logits
        for step in self._steps:
            scored = step(scored, self._said)
        if self.constraint:
            token_id = self.constraint.take(self._choose(self.constraint.restrict(scored, logits)))
        else:
            token_id = self._choose(scored)
        self._said.add(token_id)
        return token_id


def _chain(settings: GenerationSettings) -> tuple[Callable[[Logits], Candidates], tuple[CandidateStep, ...]]:
    steps: list[CandidateStep] = []
    if settings.top_p < 1:
        steps.append(partial(keep_top_p, top_p=settings.top_p))
    if settings.min_p > 0:
        steps.append(partial(keep_min_p, min_p=settings.min_p))
    if settings.typical_p < 1:
        steps.append(partial(keep_typical, typical_p=settings.typical_p))
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
