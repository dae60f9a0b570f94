"""The numbers of a GGUF file as float32, a few rows at a time."""

from collections.abc import Iterator
from math import gcd

import numpy as np
from gguf import GGMLQuantizationType
from gguf.quants import dequantize
from numpy.typing import NDArray

from engine.export.gguf_header import BLOCK_TYPES, GgufHeader

Rows = NDArray[np.float32]

ELEMENTS_AT_ONCE = 2**21
ROWS_TOGETHER = 8


class GgufTensors:
    """Dequantises the tensors of a checked file; holds a map of the file and none of the numbers."""

    def __init__(self, header: GgufHeader) -> None:
        self._infos = header.tensors
        self._data = np.asarray(np.memmap(header.path, dtype=np.uint8, mode="r"))

    def __contains__(self, name: str) -> bool:
        return name in self._infos

    def shape(self, name: str) -> tuple[int, ...]:
        """Rows first: ``(outputs, inputs)`` for a matrix."""
        return self._infos[name].shape

    def vector(self, name: str) -> Rows:
        """A whole tensor of one dimension, float32 ``[length]``."""
        vector: Rows = self.rows(name, 0, 1)[0]
        return vector

    def rows(self, name: str, start: int, stop: int) -> Rows:
        """Some rows of a matrix, float32 ``[stop - start, inputs]``; a vector counts as one row."""
        info = self._infos[name]
        block = BLOCK_TYPES[info.type_number]
        row_bytes = info.shape[-1] // block.elements * block.bytes
        raw = self._data[info.offset + start * row_bytes : info.offset + stop * row_bytes].reshape(-1, row_bytes)
        kind = GGMLQuantizationType(info.type_number)
        if kind is GGMLQuantizationType.F32:
            return raw.view("<f4")
        if kind is GGMLQuantizationType.F16:
            return raw.view("<f2").astype(np.float32)
        # The package takes 16 rows at a time; longer ones spare it some thousand calls.
        together = raw.reshape(-1, row_bytes * gcd(stop - start, ROWS_TOGETHER))
        rows: Rows = dequantize(together, kind).astype(np.float32, copy=False)
        return rows.reshape(stop - start, -1)

    def chunks(self, name: str, multiple: int = ROWS_TOGETHER) -> Iterator[Rows]:
        """The rows of a matrix in order, in pieces of bounded size whose row count is a multiple of ``multiple``."""
        rows, columns = self.shape(name)
        step = max(ELEMENTS_AT_ONCE // columns // multiple, 1) * multiple
        for start in range(0, rows, step):
            yield self.rows(name, start, min(start + step, rows))
