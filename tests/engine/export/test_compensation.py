"""Rounding by what the weights are multiplied with: nearer on texts that it has not seen, and never wild."""

import numpy as np
import pytest
from numpy.typing import NDArray

from engine.export.compensation import Compensation
from engine.export.quantise import dequantise, quantise

Array = NDArray[np.float32]
INPUTS = 128


def states_of(seed: int, tokens: int = 400) -> Array:
    """Inputs as in a model: they go together, and a few are far larger than the others."""
    mixture = np.random.default_rng(0).normal(0, 1, (INPUTS // 4, INPUTS))
    sizes = np.exp(np.random.default_rng(1).normal(0, 1, INPUTS))
    random = np.random.default_rng(seed)
    mixed = random.normal(0, 1, (tokens, INPUTS // 4)) @ mixture / 4 + random.normal(0, 1, (tokens, INPUTS))
    states: Array = (mixed * sizes).astype(np.float32)
    return states


def rows_of(count: int) -> Array:
    return np.random.default_rng(3).normal(0, 1, (count, INPUTS)).astype(np.float32)


def error(rounded: Array, rows: Array, states: Array) -> float:
    return float(np.square(states @ (rounded - rows).T).mean())


@pytest.mark.parametrize("block_size", [32, 64])
def test_on_another_text_the_error_is_at_most_six_tenths_of_that_of_the_nearest_value(block_size: int) -> None:
    rows, other_text = rows_of(64), states_of(seed=5)

    rounded = dequantise(Compensation(states_of(seed=4), 4, block_size).quantise(rows), 4, INPUTS)

    nearest = dequantise(quantise(rows, 4, block_size), 4, INPUTS)
    assert error(rounded, rows, other_text) < 0.6 * error(nearest, rows, other_text)


def test_the_weights_of_an_input_that_the_text_hardly_uses_stay_near() -> None:
    states, rows = states_of(seed=4), rows_of(64)
    states[:, 100] = states[:, 3] * 1e-4

    rounded = dequantise(Compensation(states, 4, 32).quantise(rows), 4, INPUTS)

    assert np.abs(rounded - rows).max() < 2 * np.abs(rows).max()


def test_pieces_of_a_matrix_are_rounded_as_the_whole() -> None:
    rows, compensation = rows_of(64), Compensation(states_of(seed=4), 4, 32)

    pieces = [dequantise(compensation.quantise(piece), 4, INPUTS) for piece in (rows[:24], rows[24:])]

    whole = dequantise(compensation.quantise(rows), 4, INPUTS)
    assert np.allclose(np.concatenate(pieces), whole, atol=1e-5)


@pytest.mark.parametrize("value", [0.0, 3.0, -3.0])
def test_a_constant_row_is_exact_where_the_text_says_nothing(value: float) -> None:
    rows, nothing = np.full((2, INPUTS), value, np.float32), np.zeros((10, INPUTS), np.float32)

    assert np.allclose(dequantise(Compensation(nothing, 4, 32).quantise(rows), 4, INPUTS), rows, rtol=1e-5)


def test_a_few_weights_on_a_grid_of_sixteen_values_are_kept() -> None:
    rows = np.random.default_rng(7).integers(-8, 8, (8, INPUTS)).astype(np.float32)
    rows[:, ::32], rows[:, 1::32] = -8, 7

    rounded = dequantise(Compensation(states_of(seed=4), 4, 32).quantise(rows), 4, INPUTS)

    assert np.allclose(rounded, rows, atol=1e-5)
