"""The head of a GGUF file, read within bounds: whatever a hostile file says about itself, it costs about a second.

Everything here is plain Python on a memory map, since the reader of the `gguf` package trusts lengths that it finds.
Only the tensors' numbers are left to that package, after their ranges were checked here.
"""

import mmap
import struct
from dataclasses import dataclass
from math import prod
from pathlib import Path
from typing import NamedTuple

from engine.errors import ModelFileError

MAGIC = b"GGUF"
VERSIONS = (2, 3)
MOST_METADATA = 4096
MOST_TENSORS = 65_536
MOST_ELEMENTS = 2**21
LONGEST_STRING = 2**24
LONGEST_HEAD = 2**27
LARGEST_DIMENSION = 2**40
DEFAULT_ALIGNMENT = 32
LARGEST_ALIGNMENT = 2**16


class BlockType(NamedTuple):
    """How a row of numbers is stored: ``elements`` numbers share a block of ``bytes`` bytes."""

    name: str
    elements: int
    bytes: int


BLOCK_TYPES = {
    0: BlockType("F32", 1, 4),
    1: BlockType("F16", 1, 2),
    2: BlockType("Q4_0", 32, 18),
    3: BlockType("Q4_1", 32, 20),
    6: BlockType("Q5_0", 32, 22),
    7: BlockType("Q5_1", 32, 24),
    8: BlockType("Q8_0", 32, 34),
    10: BlockType("Q2_K", 256, 84),
    11: BlockType("Q3_K", 256, 110),
    12: BlockType("Q4_K", 256, 144),
    13: BlockType("Q5_K", 256, 176),
    14: BlockType("Q6_K", 256, 210),
    20: BlockType("IQ4_NL", 32, 18),
    23: BlockType("IQ4_XS", 256, 136),
    30: BlockType("BF16", 1, 2),
}

_SCALARS = {0: "B", 1: "b", 2: "H", 3: "h", 4: "I", 5: "i", 6: "f", 7: "?", 10: "Q", 11: "q", 12: "d"}
_LENGTH = struct.Struct("<Q")
_STRING = 8
_ARRAY = 9

Scalar = int | float | bool | str
Value = Scalar | list[Scalar]


@dataclass(frozen=True, slots=True)
class TensorInfo:
    """Where a tensor lies in the file.

    Attributes:
        name: Its name in the words of GGUF, such as ``blk.0.attn_q.weight``.
        shape: Rows first, as numpy has it: ``(outputs, inputs)`` for a matrix.
        type_number: Number of the block type, a key of `BLOCK_TYPES`.
        offset: First byte, from the start of the file.
        bytes: Length in bytes.
    """

    name: str
    shape: tuple[int, ...]
    type_number: int
    offset: int
    bytes: int


@dataclass(frozen=True, slots=True)
class GgufHeader:
    """The metadata and the table of tensors of a file whose ranges were checked.

    Attributes:
        path: The file.
        metadata: Its keys and values.
        tensors: Its tensors by name, in the order of the file.
    """

    path: Path
    metadata: dict[str, Value]
    tensors: dict[str, TensorInfo]


def read_header(path: Path) -> GgufHeader:
    """Read and check the head of a file.

    Raises:
        ModelFileError: It is no GGUF file, is cut, lies about its sizes or uses a block type that is not supported.
    """
    try:
        with path.open("rb") as file:
            start = file.read(8)
            if start[:4] != MAGIC:
                raise _not_gguf(path, start)
            with mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
                return _Cursor(path, data).header()
    except UnicodeDecodeError as error:
        raise ModelFileError(
            "The file {name} is damaged: its head holds a text that is not UTF-8.", name=path.name
        ) from error
    except OSError as error:
        raise ModelFileError(
            "The file {name} cannot be read: {reason}.", name=path.name, reason=error.strerror or "unknown reason"
        ) from error


def _not_gguf(path: Path, start: bytes) -> ModelFileError:
    if start[:1] == b"\x80" or start[:4] == b"PK\x03\x04":
        return ModelFileError(
            "The file {name} is a pickle or an archive, not a GGUF file; it is refused, since a pickle can run code.",
            name=path.name,
        )
    return ModelFileError("The file {name} is not a GGUF file; its first bytes are wrong.", name=path.name)


class _Cursor:
    """A position in the head that moves forward and never past the end of the file."""

    def __init__(self, path: Path, data: mmap.mmap) -> None:
        self._path = path
        self._data = data
        self._size = len(data)
        self._position = len(MAGIC)
        self._elements_left = MOST_ELEMENTS

    def header(self) -> GgufHeader:
        version = self._scalar("I")
        if version not in VERSIONS:
            raise ModelFileError(
                "The file {name} has version {version} of GGUF; Sixpane reads versions 2 and 3.",
                name=self._path.name,
                version=version,
            )
        tensor_count = self._count("Q", MOST_TENSORS, "number of tensors")
        metadata_count = self._count("Q", MOST_METADATA, "number of keys")
        metadata: dict[str, Value] = {}
        for _ in range(metadata_count):
            key = self._string()
            if key in metadata:
                raise self._damaged("key that stands twice", key)
            metadata[key] = self._value()
        entries = [self._tensor_entry() for _ in range(tensor_count)]
        return GgufHeader(self._path, metadata, self._placed(entries, self._alignment(metadata)))

    def _alignment(self, metadata: dict[str, Value]) -> int:
        alignment = metadata.get("general.alignment", DEFAULT_ALIGNMENT)
        if not isinstance(alignment, int) or not 1 <= alignment <= LARGEST_ALIGNMENT or alignment & (alignment - 1):
            raise self._damaged("alignment", alignment)
        return alignment

    def _placed(self, entries: list[tuple[str, tuple[int, ...], int, int]], alignment: int) -> dict[str, TensorInfo]:
        start = -(-self._position // alignment) * alignment
        tensors: dict[str, TensorInfo] = {}
        for name, shape, type_number, offset in entries:
            block = BLOCK_TYPES.get(type_number)
            if block is None:
                raise ModelFileError(
                    "The file {name} stores {tensor} in block type {number}, which Sixpane does not support.",
                    name=self._path.name,
                    tensor=_short(name),
                    number=type_number,
                )
            if name in tensors:
                raise self._damaged("tensor that stands twice", name)
            if shape[-1] % block.elements:
                raise self._damaged(f"row length of {_short(name)}", shape[-1])
            if offset % alignment:
                raise self._damaged(f"place of {_short(name)}", offset)
            length = prod(shape) // block.elements * block.bytes
            if start + offset + length > self._size:
                raise self._cut(start + offset + length)
            tensors[name] = TensorInfo(name, shape, type_number, start + offset, length)
        return tensors

    def _tensor_entry(self) -> tuple[str, tuple[int, ...], int, int]:
        name = self._string()
        dimensions = self._count("I", 4, f"number of dimensions of {_short(name)}")
        shape = tuple(self._scalar("Q") for _ in range(dimensions))
        if not shape or min(shape) < 1 or prod(shape) > LARGEST_DIMENSION:
            raise self._damaged(f"shape of {_short(name)}", list(shape))
        return name, tuple(reversed(shape)), self._scalar("I"), self._scalar("Q")

    def _value(self) -> Value:
        kind = self._scalar("I")
        if kind != _ARRAY:
            return self._values(kind, 1)[0]
        kind = self._scalar("I")
        length = self._count("Q", self._elements_left, "length of an array")
        self._elements_left -= length
        return self._values(kind, length)

    def _values(self, kind: int, number: int) -> list[Scalar]:
        if kind == _STRING:
            return self._strings(number)
        if kind not in _SCALARS:
            raise self._damaged("kind of a value", kind)
        return list(self._scalars(f"<{number}{_SCALARS[kind]}"))

    def _string(self) -> str:
        length = self._count("Q", LONGEST_STRING, "length of a text")
        return str(self._bytes(length), "utf-8")

    def _strings(self, number: int) -> list[Scalar]:
        """As many calls of `_string`, in one tight loop: a vocabulary holds some hundred thousand."""
        data, position, limit = self._data, self._position, min(self._size, LONGEST_HEAD)
        strings: list[Scalar] = []
        for _ in range(number):
            if position + 8 > limit:
                break
            (length,) = _LENGTH.unpack_from(data, position)
            end = position + 8 + length
            if end > limit:
                break
            strings.append(str(data[position + 8 : end], "utf-8"))
            position = end
        self._position = position
        strings += [self._string() for _ in range(number - len(strings))]
        return strings

    def _scalar(self, code: str) -> int:
        value = self._scalars("<" + code)[0]
        assert isinstance(value, int)
        return value

    def _scalars(self, layout: str) -> tuple[int | float | bool, ...]:
        return struct.unpack(layout, self._bytes(struct.calcsize(layout)))

    def _count(self, code: str, most: int, what: str) -> int:
        count = self._scalar(code)
        if count > most:
            raise self._damaged(what, count)
        return count

    def _bytes(self, length: int) -> bytes:
        end = self._position + length
        if end > self._size:
            raise self._cut(end)
        if end > LONGEST_HEAD:
            raise self._damaged("length of its head", end)
        piece = self._data[self._position : end]
        self._position = end
        return piece

    def _cut(self, needed: int) -> ModelFileError:
        return ModelFileError(
            "The file {name} is cut: it has {size} bytes where its head asks for at least {needed}; fetch it again.",
            name=self._path.name,
            size=self._size,
            needed=needed,
        )

    def _damaged(self, what: str, value: object) -> ModelFileError:
        return ModelFileError(
            "The file {name} is damaged: it gives an impossible {what}, {value}.",
            name=self._path.name,
            what=what,
            value=_short(value),
        )


def _short(value: object) -> str:
    text = str(value)
    return text if len(text) <= 60 else text[:59] + "…"
