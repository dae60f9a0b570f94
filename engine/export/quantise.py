"""Weight-only quantisation in blocks, in the layout of the operator MatMulNBits.

Every row is cut into blocks of equal length; each block has its own scale and zero point, and a weight is
``scale * (quantised - zero_point)``. Zero points are always written, since what an absent one means differs between
the processors that run the graph.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, slots=True)
class QuantisedRows:
    """Some rows of a matrix with ``inputs`` columns.

    Attributes:
        weights: uint8 ``[rows, blocks, block_size * bits / 8]``; at 4 bits the earlier weight is in the lower half.
        scales: float32 ``[rows, blocks]``.
        zero_points: uint8 ``[rows, blocks]`` at 8 bits, ``[rows, ceil(blocks / 2)]`` at 4 bits.
    """

    weights: NDArray[np.uint8]
    scales: NDArray[np.float32]
    zero_points: NDArray[np.uint8]


def quantise(rows: NDArray[np.float32], bits: int, block_size: int) -> QuantisedRows:
    """Quantise rows to 4 or 8 bits; a last block that is not full is filled with zeros.

    Args:
        rows: float32 ``[rows, inputs]``.
        bits: 4 or 8.
        block_size: Weights that share a scale; a power of two from 16.
    """
    count, inputs = rows.shape
    blocks = -(-inputs // block_size)
    if inputs != blocks * block_size:
        rows = np.pad(rows, ((0, 0), (0, blocks * block_size - inputs)))
    values = rows.reshape(count, blocks, block_size)
    largest = 2**bits - 1
    low = np.minimum(values.min(axis=2), 0)
    high = np.maximum(values.max(axis=2), 0)
    scales = (high - low) / np.float32(largest)
    scales[scales == 0] = 1
    zero_points = np.rint(-low / scales)
    quantised = values * (1 / scales)[..., None]
    quantised += zero_points[..., None]
    np.rint(quantised, out=quantised)
    np.clip(quantised, 0, largest, out=quantised)
    return pack(quantised.astype(np.uint8), scales, zero_points.astype(np.uint8), bits)


def pack(
    weights: NDArray[np.uint8], scales: NDArray[np.float32], zero_points: NDArray[np.uint8], bits: int
) -> QuantisedRows:
    """Put quantised weights ``[rows, blocks, block_size]`` and zero points ``[rows, blocks]`` into their bits."""
    if bits == 8:
        return QuantisedRows(weights, scales, zero_points)
    return QuantisedRows(_packed(weights), scales, _packed(zero_points))


def dequantise(quantised: QuantisedRows, bits: int, inputs: int) -> NDArray[np.float32]:
    """The rows that the graph computes with, float32 ``[rows, inputs]``."""
    weights, zeros = quantised.weights, quantised.zero_points
    if bits == 4:
        weights, zeros = _unpacked(weights), _unpacked(zeros)[:, : quantised.scales.shape[1]]
    values = (weights.astype(np.float32) - zeros[..., None].astype(np.float32)) * quantised.scales[..., None]
    return values.reshape(len(values), -1)[:, :inputs]


def _packed(values: NDArray[np.uint8]) -> NDArray[np.uint8]:
    if values.shape[-1] % 2:
        values = np.concatenate([values, np.zeros((*values.shape[:-1], 1), np.uint8)], axis=-1)
    packed: NDArray[np.uint8] = values[..., 0::2] | (values[..., 1::2] << np.uint8(4))
    return packed


def _unpacked(values: NDArray[np.uint8]) -> NDArray[np.uint8]:
    return np.stack([values & np.uint8(15), values >> np.uint8(4)], axis=-1).reshape(*values.shape[:-1], -1)
