"""Sampling: the settings mean the distribution that the literature gives them, for any vocabulary."""

from collections import Counter
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from engine.forward import Logits
from engine.generation.sampling import Sampler, probability_of
from engine.settings import GenerationSettings

RANDOM_LOGITS = np.random.default_rng(7).normal(0, 3, 2000).astype(np.float32)


def settings(**changes: Any) -> GenerationSettings:
    neutral: dict[str, Any] = {"temperature": 1.0, "top_k": 0, "top_p": 1.0, "min_p": 0.0, "repetition_penalty": 1.0}
    return GenerationSettings(**neutral | changes)


def reference(logits: Logits, chosen: GenerationSettings) -> NDArray[np.float64]:
    """The distribution by the definitions, with the whole vocabulary sorted: slow and plain."""
    order = np.argsort(-logits, kind="stable")
    scaled = logits[order].astype(np.float64) / chosen.temperature
    if chosen.top_k:
        scaled[chosen.top_k :] = -np.inf
    probabilities = np.exp(scaled - scaled[0]) / np.exp(scaled - scaled[0]).sum()
    before = np.cumsum(probabilities) - probabilities
    keep = before < chosen.top_p if chosen.top_p < 1 else np.ones(len(scaled), bool)
    keep &= probabilities >= chosen.min_p * probabilities[0]
    kept = np.where(keep, probabilities, 0)
    result = np.zeros(len(logits))
    result[order] = kept / kept.sum()
    return result


def drawn(logits: Logits, chosen: GenerationSettings, count: int) -> Counter[int]:
    sampler = Sampler(chosen, seed=1, prompt=[])
    return Counter(sampler.choose(logits) for _ in range(count))


@pytest.mark.parametrize(
    "chosen",
    [
        settings(),
        settings(temperature=0.7),
        settings(top_k=40),
        settings(top_p=0.9),
        settings(top_p=0.3),
        settings(min_p=0.05),
        settings(temperature=0.7, top_k=40, top_p=0.95, min_p=0.05),
        settings(temperature=1.5, top_p=0.9, min_p=0.02),
        settings(top_k=5000, top_p=0.5),
    ],
    ids=str,
)
def test_draws_follow_the_distribution_that_the_settings_define(chosen: GenerationSettings) -> None:
    expected = reference(RANDOM_LOGITS, chosen) * 4000
    counts = drawn(RANDOM_LOGITS, chosen, 4000)

    assert all(expected[token_id] > 0 for token_id in counts)
    frequent = np.flatnonzero(expected >= 20)
    observed = np.array([counts[int(token_id)] for token_id in frequent])
    chi_square = (((observed - expected[frequent]) ** 2) / expected[frequent]).sum()
    # Five standard deviations above the mean of the distribution with that many degrees of freedom.
    assert chi_square < len(frequent) + 5 * np.sqrt(2 * len(frequent)) + 1


@given(
    values=st.lists(st.floats(-20, 20, width=32), min_size=2, max_size=40),
    top_p=st.floats(0.05, 1),
    min_p=st.floats(0, 1),
    top_k=st.integers(0, 50),
)
def test_only_tokens_of_the_defined_distribution_are_drawn(
    values: list[float], top_p: float, min_p: float, top_k: int
) -> None:
    logits = np.array(values, np.float32)
    chosen = settings(top_p=top_p, min_p=min_p, top_k=top_k)

    allowed = np.flatnonzero(reference(logits, chosen) > 0)
    smallest_allowed = logits[allowed].min()

    # Equal logits may stand for each other: the definitions do not say which of them is first.
    assert all(logits[token_id] >= smallest_allowed - 1e-5 for token_id in drawn(logits, chosen, 20))


def test_the_same_seed_gives_the_same_tokens_and_another_seed_others() -> None:
    def tokens(seed: int) -> list[int]:
        sampler = Sampler(settings(), seed, prompt=[])
        return [sampler.choose(RANDOM_LOGITS) for _ in range(50)]

    assert tokens(1) == tokens(1)
    assert tokens(1) != tokens(2)


def test_temperature_zero_takes_the_most_probable_token() -> None:
    assert drawn(RANDOM_LOGITS, settings(temperature=0), 5) == {int(RANDOM_LOGITS.argmax()): 5}


def test_tokens_of_the_prompt_and_of_the_answer_are_penalised_once() -> None:
    logits = np.array([5, 4.5, 4, 0], np.float32)
    sampler = Sampler(settings(temperature=0, repetition_penalty=1.2), seed=0, prompt=[0, 0])

    assert [sampler.choose(logits) for _ in range(4)] == [1, 0, 0, 0]


def test_the_probability_is_that_of_the_model_itself() -> None:
    assert probability_of(1, np.log(np.array([0.5, 0.3, 0.2], np.float32))) == pytest.approx(0.3, rel=1e-5)
