"""What is done to a row of logits before tokens are picked out."""

from typing import Any

import numpy as np
import pytest

from engine.errors import SettingsError
from engine.forward import Logits
from engine.generation.penalties import (
    Said,
    forbidden_by_ngrams,
    logits_steps,
    penalise_frequency,
    penalise_repetition,
)
from engine.settings import GenerationSettings

ROW = np.random.default_rng(3).normal(0, 3, 500).astype(np.float32)


def processed(prompt: list[int], answer: list[int], ends: tuple[int, ...] = (), **settings: Any) -> Logits:
    """The row after the steps of these settings, when this was said."""
    said = Said(prompt)
    for token_id in answer:
        said.add(token_id)
    logits = ROW
    for step in logits_steps(GenerationSettings(**settings), ends):
        logits = step(logits, said)
    return logits


def test_the_repetition_penalty_divides_positive_and_multiplies_negative_logits() -> None:
    logits = np.array([2, -2, 3], np.float32)

    penalised = penalise_repetition(logits, np.array([0, 1]), 2)

    assert penalised.tolist() == [1, -4, 3]
    assert logits.tolist() == [2, -2, 3]


def test_frequency_counts_each_time_and_presence_counts_once() -> None:
    logits = np.array([5, 5, 5], np.float32)

    penalised = penalise_frequency(logits, {0: 3, 1: 1}, frequency=0.5, presence=1)

    assert penalised.tolist() == [2.5, 3.5, 5]
    assert logits.tolist() == [5, 5, 5]


def test_only_the_answer_counts_for_frequency_and_presence() -> None:
    assert np.array_equal(processed([1, 2, 3], [], frequency_penalty=1, presence_penalty=1), ROW)


def test_a_bias_is_added_and_one_for_no_token_is_ignored() -> None:
    biased = processed([], [], logit_bias=((7, 2.5), (8, -100.0), (10**6, 1.0)))

    assert biased[7] == ROW[7] + np.float32(2.5)
    assert biased[8] == ROW[8] - np.float32(100)
    assert np.array_equal(np.delete(biased, [7, 8]), np.delete(ROW, [7, 8]))


def test_what_would_repeat_a_run_of_tokens_is_forbidden() -> None:
    assert forbidden_by_ngrams([1, 2, 3, 1, 2], 3) == [3]
    assert forbidden_by_ngrams([1, 2, 1, 3, 1], 2) == [2, 3]
    assert forbidden_by_ngrams([4, 5], 1) == [4, 5]
    assert forbidden_by_ngrams([1, 2], 3) == []


def test_an_answer_does_not_end_before_its_least_length() -> None:
    assert processed([], [5], ends=(9,), min_new_tokens=2)[9] == -np.inf
    assert np.array_equal(processed([], [5, 6], ends=(9,), min_new_tokens=2), ROW)


def test_ordinary_settings_leave_the_row_alone() -> None:
    assert logits_steps(GenerationSettings(), (1,)) == ()


@pytest.mark.parametrize(
    "wrong",
    [
        {"typical_p": 0},
        {"frequency_penalty": 3},
        {"presence_penalty": float("nan")},
        {"no_repeat_ngram": -1},
        {"min_new_tokens": -1},
        {"logit_bias": ((-1, 0.0),)},
        {"logit_bias": ((1, 101.0),)},
    ],
)
def test_a_setting_outside_its_range_is_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(SettingsError):
        GenerationSettings(**wrong)


@pytest.mark.export
def test_repetition_ngrams_and_least_length_are_those_of_transformers() -> None:
    import torch
    from transformers import generation

    prompt, answer = [3, 7, 7, 12, 3, 7], [40, 3, 7]
    ids, scores = torch.tensor([[*prompt, *answer]]), torch.tensor(ROW[None])
    theirs = generation.RepetitionPenaltyLogitsProcessor(1.3)(ids, scores.clone())
    theirs = generation.NoRepeatNGramLogitsProcessor(3)(ids, theirs)
    theirs = generation.MinNewTokensLengthLogitsProcessor(len(prompt), 5, [2, 9], device="cpu")(ids, theirs)

    ours = processed(prompt, answer, ends=(2, 9), repetition_penalty=1.3, no_repeat_ngram=3, min_new_tokens=5)

    assert np.allclose(ours, theirs[0].numpy(), rtol=1e-6)


@pytest.mark.export
def test_a_bias_is_that_of_transformers() -> None:
    import torch
    from transformers import generation

    bias = generation.SequenceBiasLogitsProcessor({(7,): 2.5, (8,): -3.0})
    theirs = bias(torch.tensor([[1, 2]]), torch.tensor(ROW[None]))

    assert np.allclose(processed([], [], logit_bias=((7, 2.5), (8, -3.0))), theirs[0].numpy())
