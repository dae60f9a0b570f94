"""The keys and values of the tokens that a model has read, in buffers that grow in steps."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from onnxruntime import OrtValue

from engine.models.manifest import Manifest

GROWTH = 512
"""Tokens by which the buffers grow; a whole context is never reserved."""

Buffer = NDArray[Any]
"""Keys or values of one layer, of shape (rows, kv_heads, capacity, head_size)."""


@dataclass(frozen=True, slots=True)
class CacheLayout:
    """The measures of a model's KV cache.

    Attributes:
        layers: Number of layers.
        kv_heads: Heads of keys and values in a layer.
        head_size: Numbers in one head.
        dtype: What a number is stored as.
    """

    layers: int
    kv_heads: int
    head_size: int
    dtype: type[np.generic] = np.float32

    @classmethod
    def of(cls, manifest: Manifest) -> Self:
        """The layout that the graph of a model folder reads and writes."""
        return cls(manifest.layers, manifest.kv_heads, manifest.head_size)

    @property
    def token_bytes(self) -> int:
        """Bytes that one token takes in all layers."""
        return 2 * self.layers * self.kv_heads * self.head_size * np.dtype(self.dtype).itemsize

    def buffers(self, rows: int, capacity: int) -> list[Buffer]:
        """Empty buffers, key then value of each layer."""
        shape = (rows, self.kv_heads, capacity, self.head_size)
        return [np.zeros(shape, self.dtype) for _ in range(2 * self.layers)]


class KVCache:
    """Keys and values of one sequence, and the ids of the tokens that they belong to.

    Every buffer is bound to the graph as past and as present at once, so that a step writes its own row and copies
    nothing.

    Args:
        layout: The measures of the model's cache.

    Attributes:
        token_ids: The tokens whose keys and values the buffers hold, in order.
        arrays: Two a layer, key then value, each of shape (1, kv_heads, capacity, head_size).
        buffers: The same memory as values of ONNX Runtime.
    """

    def __init__(self, layout: CacheLayout) -> None:
        self.layout = layout
        self.arrays = layout.buffers(1, 0)
        self.token_ids: list[int] = []
        self.buffers: list[OrtValue] = []

    @property
    def capacity(self) -> int:
        """Tokens that fit before the buffers must grow."""
        return int(self.arrays[0].shape[2])

    @property
    def nbytes(self) -> int:
        """Bytes of all buffers."""
        return self.capacity * self.layout.token_bytes

    def reserve(self, length: int) -> None:
        """Make room for `length` tokens in all; the list of buffers is a new one if they had to grow."""
        if length <= self.capacity:
            return
        capacity = steps(length)
        # The old values go first, so that never more than one layer is held twice.
        self.buffers.clear()
        for index, array in enumerate(self.arrays):
            self.arrays[index] = grown(array, capacity, len(self.token_ids))
        # On the CPU a value uses the array's own memory.
        self.buffers = [OrtValue.ortvalue_from_numpy(array) for array in self.arrays]

    def rewind(self, length: int) -> None:
        """Forget all but the first `length` tokens; their rows are overwritten later."""
        del self.token_ids[length:]

    def copy(self, length: int) -> "KVCache":
        """Another cache that holds the first `length` tokens of this one."""
        copied = KVCache(self.layout)
        copied.reserve(length)
        for target, source in zip(copied.arrays, self.arrays, strict=True):
            target[:, :, :length] = source[:, :, :length]
        copied.token_ids = self.token_ids[:length]
        return copied

    def common_prefix(self, token_ids: Sequence[int]) -> int:
        """Length of the longest beginning that these tokens share with the cached ones."""
        return common_prefix(self.token_ids, token_ids)


def common_prefix(ours: Sequence[int], theirs: Sequence[int]) -> int:
    """Length of the longest common beginning of two sequences of tokens."""
    pairs = zip(ours, theirs, strict=False)
    return next(
        (index for index, (our, their) in enumerate(pairs) if our != their),
        min(len(ours), len(theirs)),
    )


def steps(length: int) -> int:
    """The capacity, in whole steps of growth, that holds this many tokens."""
    return -(-length // GROWTH) * GROWTH


def grown(array: Buffer, capacity: int, length: int) -> Buffer:
    """A larger buffer with the first `length` tokens of every row."""
    rows, heads, _, head_size = array.shape
    # Zeros cost nothing until they are written over: the system gives memory page by page.
    larger = np.zeros((rows, heads, capacity, head_size), array.dtype)
    larger[:, :, :length] = array[:, :, :length]
    return larger
