"""Rounding to few bits that looks at what the weights are multiplied with.

Two methods from the literature, put together. The scale and the zero point of a block are searched, so that the
squared error is least where the inputs are large (the idea of the k-quants of llama.cpp and of AWQ, arXiv:2306.00978);
and the error of a column of weights is made good by the columns after it (GPTQ, arXiv:2210.17323).
"""

from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from engine.export.gguf_tensors import Rows
from engine.export.quantise import QuantisedRows, pack

States = NDArray[np.float32]

SHARES_OF_RANGE = (1.0, 0.9, 0.8)
"""The ranges that a scale is tried for: clipping the largest weight of a block can make all others finer. Six of them
are no better than these three."""

TRUST_IN_CORRELATION = 0.5
"""How much of the correlation between inputs is believed: a short text has about as many tokens as a matrix has
inputs, and what holds in this text alone must not be fitted. From 0.3 to 0.7 the error on other texts is the same.
"""

FLOOR = np.float32(1e-2)
"""Least mean square that an input is taken to have, as a share of the mean over all inputs."""

INPUTS_TOGETHER = 640
"""Errors are made good within so many inputs: more would take longer and gain little on other texts."""


class Compensation:
    """Rounds the rows of one matrix.

    Args:
        states: What the matrix is multiplied with in a text, float32 ``[tokens, inputs]``.
        bits: 4 or 8.
        block_size: Weights that share a scale; a divisor of `INPUTS_TOGETHER`.
    """

    def __init__(self, states: States, bits: int, block_size: int) -> None:
        self._bits = bits
        self._block_size = block_size
        self._inputs = states.shape[1]
        self._importance = _mean_squares(states)
        edges = [*range(0, self._inputs, INPUTS_TOGETHER), self._inputs]
        self._groups = [(start, stop, _influence(states[:, start:stop])) for start, stop in pairwise(edges)]

    def quantise(self, rows: Rows) -> QuantisedRows:
        """Quantise some rows, float32 ``[rows, inputs]``; what fills up a last block is never multiplied."""
        blocks = -(-self._inputs // self._block_size)
        # A column is what is computed with, so it is what must be in one piece.
        columns = np.array(rows.T, order="C")
        codes = np.zeros((blocks * self._block_size, len(rows)), np.uint8)
        scales = np.empty((blocks, len(rows)), np.float32)
        zero_points = np.empty((blocks, len(rows)), np.float32)
        for first, last, influence in self._groups:
            for start in range(first, last, self._block_size):
                stop, block = min(start + self._block_size, last), start // self._block_size
                values, near = columns[start:stop], influence[start - first : stop - first]
                scales[block], zero_points[block] = self._searched(values, self._importance[start:stop, None])
                errors = _round(
                    values,
                    scales[block],
                    zero_points[block],
                    2**self._bits - 1,
                    near[:, start - first :],
                    codes[start:stop],
                )
                columns[stop:last] -= near[:, stop - first :].T @ errors
        weights = np.ascontiguousarray(codes.T).reshape(len(rows), blocks, self._block_size)
        return pack(weights, np.ascontiguousarray(scales.T), zero_points.T.astype(np.uint8), self._bits)

    def _searched(self, values: Rows, importance: Rows) -> tuple[Rows, Rows]:
        """The scale and the zero point of each column of ``[block_size, rows]`` with the least weighted error."""
        largest = 2**self._bits - 1
        low, high = np.minimum(values.min(axis=0), 0), np.maximum(values.max(axis=0), 0)
        spread: Rows = np.where(high > low, high - low, np.float32(1))
        scales: Rows = spread / np.float32(largest)
        zero_points, most = np.zeros_like(low), np.zeros_like(low)
        for share in SHARES_OF_RANGE:
            step = spread * np.float32(share / largest)
            nearest, exact = np.rint(values / step), -low * np.float32(share) / step
            for zero_point in (np.floor(exact), np.ceil(exact)):
                quantised = np.clip(nearest, -zero_point, largest - zero_point)
                weighted = quantised * importance
                along = np.einsum("ij,ij->j", weighted, values)
                length = np.einsum("ij,ij->j", weighted, quantised)
                # The best scale is along / length, by least squares; this is what it takes off the error.
                explained = np.divide(along**2, length, out=np.zeros_like(along), where=length > 0)
                better = explained > most
                most = np.where(better, explained, most)
                scales = np.where(better, along / np.where(better, length, 1), scales)
                zero_points = np.where(better, zero_point, zero_points)
        return scales, zero_points


def _mean_squares(states: States) -> Rows:
    """How large each input is, with a floor: weights of an input that this text hardly uses must not run away."""
    squares: Rows = np.square(states).mean(axis=0)
    raised: Rows = squares + (FLOOR * squares.mean() + np.float32(1e-9))
    return raised


def _influence(states: States) -> Rows:
    """How the error of an input's weights is spread over the later inputs, upper triangular ``[inputs, inputs]``.

    This is the Cholesky factor of the inverse of the inputs' second moments, each row divided by its diagonal. It is
    computed from the correlations, which float32 is enough for, since their smallest eigenvalue is bounded.
    """
    sizes = np.sqrt(_mean_squares(states))
    scaled = states / sizes
    correlations = scaled.T @ scaled * np.float32(TRUST_IN_CORRELATION / len(states))
    np.fill_diagonal(correlations, 1)
    # Factorised from the last input to the first, the inverse of the factor is upper triangular.
    factor = np.linalg.inv(np.linalg.cholesky(correlations[::-1, ::-1])[::-1, ::-1])
    influence: Rows = np.triu(factor / np.diag(factor)[:, None] * sizes[:, None] / sizes)
    return influence


def _round(
    values: Rows, scale: Rows, zero_point: Rows, largest: int, influence: Rows, codes: NDArray[np.uint8]
) -> Rows:
    """Round the columns of a block one after the other, each with the errors of those before it made good.

    Returns:
        The error of each column, ``[block_size, rows]``.
    """
    errors = np.empty_like(values)
    for index, value in enumerate(values):
        code = np.rint(value / scale) + zero_point
        np.clip(code, 0, largest, out=code)
        codes[index] = code
        errors[index] = value - (code - zero_point) * scale
        values[index + 1 :] -= influence[index, index + 1 : len(values), None] * errors[index]
    return errors
