"""The few tokens that may still be chosen are the right ones, though the vocabulary is never sorted."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.generation.candidates import (
    HEIGHT,
    keep_min_p,
    keep_top_p,
    keep_typical,
    largest,
    log_sum_exp,
    most_probable,
    top_alternatives,
    whole_vocabulary,
)

ROW = np.random.default_rng(5).normal(0, 3, 4000).astype(np.float32)


@given(size=st.integers(1, 60 * HEIGHT), count=st.integers(1, 70), seed=st.integers(0, 2**32 - 1))
def test_the_largest_logits_are_found_in_every_vocabulary(size: int, count: int, seed: int) -> None:
    logits = np.random.default_rng(seed).integers(-50, 50, size).astype(np.float32)

    found = largest(logits, count)

    assert len(set(found.tolist())) == min(count, size)
    assert sorted(logits[found]) == sorted(logits)[-count:]


def test_alternatives_come_with_what_the_model_itself_gives_them() -> None:
    logits = np.log(np.array([0.1, 0.6, 0.3], np.float32))

    alternatives = top_alternatives(logits, 2)

    assert [one.token_id for one in alternatives] == [1, 2]
    assert np.exp([one.log_probability for one in alternatives]) == pytest.approx([0.6, 0.3], rel=1e-5)


def test_equal_alternatives_come_in_the_order_of_their_ids() -> None:
    assert [one.token_id for one in top_alternatives(np.zeros(300, np.float32), 300)] == list(range(300))


def test_the_typical_set_leaves_out_what_is_too_probable() -> None:
    # An entropy of 1.75 nats: the first token, of 0.9 nats, is farther from it than the others, of 2.3.
    logits = np.log(np.array([0.4, *[0.1] * 6]))

    kept = keep_typical(whole_vocabulary(logits.astype(np.float32), 1.0), 0.35)

    assert kept.token_ids.tolist() == [1, 2, 3, 4]


@pytest.mark.export
@pytest.mark.parametrize("typical_p", [0.1, 0.5, 0.9, 0.99])
def test_the_typical_set_is_that_of_transformers(typical_p: float) -> None:
    import torch
    from transformers import generation

    theirs = generation.TypicalLogitsWarper(mass=typical_p)(None, torch.tensor(ROW[None].copy()))

    ours = keep_typical(whole_vocabulary(ROW, 1.0), typical_p)

    assert sorted(ours.token_ids.tolist()) == torch.isfinite(theirs[0]).nonzero().flatten().tolist()


@pytest.mark.export
@pytest.mark.parametrize(
    ("top_k", "top_p", "min_p"), [(50, 1.0, 0.0), (50, 0.8, 0.0), (200, 0.9, 0.05), (40, 0.95, 0.3)]
)
def test_top_k_top_p_and_min_p_leave_what_transformers_leaves(top_k: int, top_p: float, min_p: float) -> None:
    import torch
    from transformers import generation

    scores = torch.tensor(ROW[None].copy()) / 0.8
    scores = generation.TopKLogitsWarper(top_k)(None, scores)
    scores = generation.TopPLogitsWarper(top_p)(None, scores) if top_p < 1 else scores
    scores = generation.MinPLogitsWarper(min_p)(None, scores) if min_p else scores

    ours = keep_top_p(most_probable(ROW, 0.8, top_k), top_p)
    ours = keep_min_p(ours, min_p) if min_p else ours

    assert sorted(ours.token_ids.tolist()) == torch.isfinite(scores[0]).nonzero().flatten().tolist()


def test_the_normaliser_does_not_overflow() -> None:
    assert log_sum_exp(np.array([1000, 1000], np.float32)) == pytest.approx(1000 + np.log(2))
