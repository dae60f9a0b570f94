"""The file that holds a graph's weights, written from front to back, and the initialisers that point into it."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from hashlib import sha256
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from onnx import TensorProto, helper

from engine.models.manifest import FileRecord

ALIGNMENT = 4096


class ExternalData:
    """Writes each array once, aligned so that it can be mapped; keeps the initialisers and the hash of the file."""

    def __init__(self, path: Path) -> None:
        self.initialisers: list[TensorProto] = []
        self._path = path
        self._file = path.open("wb")
        self._position = 0
        self._hash = sha256()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._file.close()

    def add(self, name: str, array: NDArray[Any]) -> str:
        """Write an array as the initialiser of this name; returns the name."""
        with self.writing(name, array.shape, array.dtype) as write:
            write(array)
        return name

    @contextmanager
    def writing(
        self, name: str, shape: tuple[int, ...], kind: np.dtype[Any]
    ) -> Iterator[Callable[[NDArray[Any]], None]]:
        """Write an initialiser in pieces along its first axis: gives the function that takes the next piece."""
        self._write(bytes(-self._position % ALIGNMENT))
        start = self._position
        yield self._write_array
        tensor = TensorProto(name=name, data_type=helper.np_dtype_to_tensor_dtype(kind), dims=shape)
        tensor.data_location = TensorProto.EXTERNAL
        for key, value in (("location", self._path.name), ("offset", start), ("length", self._position - start)):
            tensor.external_data.add(key=key, value=str(value))
        self.initialisers.append(tensor)

    def add_view(self, name: str, original: str, shape: tuple[int, ...]) -> str:
        """Another initialiser on the bytes of an earlier one, in another shape; returns the name."""
        tensor = TensorProto()
        tensor.CopyFrom(next(tensor for tensor in self.initialisers if tensor.name == original))
        tensor.name = name
        tensor.dims[:] = shape
        self.initialisers.append(tensor)
        return name

    def record(self) -> FileRecord:
        """Size and hash of what was written."""
        return FileRecord(self._position, self._hash.hexdigest())

    def _write_array(self, piece: NDArray[Any]) -> None:
        self._write(np.ascontiguousarray(piece).data.cast("B"))

    def _write(self, piece: bytes | memoryview) -> None:
        self._file.write(piece)
        self._hash.update(piece)
        self._position += len(piece)
