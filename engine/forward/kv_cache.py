"""The keys and values of the tokens that a model has read, in buffers that grow in steps."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from onnxruntime import OrtValue

GROWTH = 512
"""Tokens by which the buffers grow; a whole context is never reserved."""


class KVCache:
    """Keys and values of one sequence, and the ids of the tokens that they belong to.

    Every buffer is bound to the graph as past and as present at once, so that a step writes its own row and copies
    nothing.

    Args:
        layers: Number of layers.
        kv_heads: Heads of keys and values in a layer.
        head_size: Numbers in one head.

    Attributes:
        token_ids: The tokens whose keys and values the buffers hold, in order.
        buffers: Two values a layer, key then value, each float32 of shape (1, kv_heads, capacity, head_size).
    """

    def __init__(self, layers: int, kv_heads: int, head_size: int) -> None:
        self._shape = (1, kv_heads, 0, head_size)
        self._arrays = [np.zeros(self._shape, np.float32) for _ in range(2 * layers)]
        self.token_ids: list[int] = []
        self.buffers: list[OrtValue] = []

    @property
    def capacity(self) -> int:
        """Tokens that fit before the buffers must grow."""
        return int(self._arrays[0].shape[2])

    def reserve(self, length: int) -> None:
        """Make room for `length` tokens in all; the list of buffers is a new one if they had to grow."""
        if length <= self.capacity:
            return
        capacity = -(-length // GROWTH) * GROWTH
        self._arrays = [self._grown(array, capacity) for array in self._arrays]
        # On the CPU a value uses the array's own memory; the arrays are kept alive beside the values.
        self.buffers = [OrtValue.ortvalue_from_numpy(array) for array in self._arrays]

    def rewind(self, length: int) -> None:
        """Forget all but the first `length` tokens; their rows are overwritten later."""
        del self.token_ids[length:]

    def common_prefix(self, token_ids: Sequence[int]) -> int:
        """Length of the longest beginning that these tokens share with the cached ones."""
        pairs = zip(self.token_ids, token_ids, strict=False)
        return next(
            (index for index, (ours, theirs) in enumerate(pairs) if ours != theirs),
            min(len(self.token_ids), len(token_ids)),
        )

    def _grown(self, array: NDArray[np.float32], capacity: int) -> NDArray[np.float32]:
        batch, heads, _, head_size = self._shape
        grown = np.zeros((batch, heads, capacity, head_size), np.float32)
        grown[:, :, : len(self.token_ids)] = array[:, :, : len(self.token_ids)]
        return grown
