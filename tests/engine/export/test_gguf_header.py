"""The head of a GGUF file: what is read, and how a hostile one is refused."""

import pickle
import struct
from collections.abc import Callable
from pathlib import Path
from time import monotonic

import pytest
from gguf import GGML_QUANT_SIZES, GGMLQuantizationType, GGUFReader
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from engine.errors import ModelFileError
from engine.export.check import check_file
from engine.export.gguf_header import BLOCK_TYPES, GgufHeader, read_header
from tests.support.gguf_models import TinyModel


@pytest.fixture(scope="module")
def honest(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """The bytes of a small honest file."""
    return TinyModel("llama", layers=1).write_gguf(tmp_path_factory.mktemp("gguf") / "tiny.gguf").read_bytes()


def read(tmp_path: Path, content: bytes) -> GgufHeader:
    path = tmp_path / "model.gguf"
    path.write_bytes(content)
    return read_header(path)


def text(value: str) -> bytes:
    return struct.pack("<Q", len(value)) + value.encode()


def head(tensors: int, keys: int, rest: bytes = b"", version: int = 3) -> bytes:
    return b"GGUF" + struct.pack("<IQQ", version, tensors, keys) + rest


def tensor(name: str, shape: tuple[int, ...], kind: int = 0, offset: int = 0) -> bytes:
    return text(name) + struct.pack(f"<I{len(shape)}QIQ", len(shape), *shape, kind, offset)


def test_the_head_is_read_as_the_gguf_package_reads_it(tmp_path: Path, honest: bytes) -> None:
    header = read(tmp_path, honest)
    reference = GGUFReader(tmp_path / "model.gguf")

    fields = {key: field.contents() for key, field in reference.fields.items() if not key.startswith("GGUF.")}
    assert header.metadata == fields
    assert {
        name: (list(info.shape), info.offset, info.bytes, info.type_number) for name, info in header.tensors.items()
    } == {
        entry.name: (entry.shape[::-1].tolist(), entry.data_offset, entry.n_bytes, entry.tensor_type)
        for entry in reference.tensors
    }


def test_the_sizes_of_block_types_are_those_of_the_gguf_package() -> None:
    sizes = {number: (block.elements, block.bytes) for number, block in BLOCK_TYPES.items()}

    assert sizes == {number: GGML_QUANT_SIZES[GGMLQuantizationType(number)] for number in BLOCK_TYPES}


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        (b"", "not a GGUF file"),
        (b"GG", "not a GGUF file"),
        (b"GGUF", "is cut"),
        (b"ONNX" + bytes(60), "not a GGUF file"),
        (pickle.dumps({"a": [1, 2]}), "pickle can run code"),
        (b"PK\x03\x04" + bytes(60), "pickle can run code"),
        (head(0, 0, version=1), "version 1"),
        (b"GGUF" + struct.pack(">IQQ", 3, 0, 0), "version 50331648"),
        (head(2**63, 0), "impossible number of tensors"),
        (head(0, 2**63), "impossible number of keys"),
        (head(0, 1, struct.pack("<Q", 2**63)), "impossible length of a text"),
        (head(0, 1, struct.pack("<Q", 2**20)), "is cut"),
        (head(0, 1, struct.pack("<Q", 1) + b"\xff"), "not UTF-8"),
        (head(0, 1, text("a") + struct.pack("<I", 77)), "impossible kind of a value"),
        (head(0, 1, text("a") + struct.pack("<IIQ", 9, 5, 2**63)), "impossible length of an array"),
        (head(0, 1, text("a") + struct.pack("<IIQ", 9, 8, 2**20)), "is cut"),
        (head(0, 1, text("a") + struct.pack("<IIQ", 9, 9, 1)), "impossible kind of a value"),
        (head(0, 2, (text("a") + struct.pack("<IB", 0, 1)) * 2), "stands twice"),
        (head(0, 1, text("general.alignment") + struct.pack("<II", 4, 3)), "impossible alignment"),
        (head(1, 0, tensor("a", (2**40, 2**40))), "impossible shape"),
        (head(1, 0, tensor("a", (4, 0))), "impossible shape"),
        (head(1, 0, tensor("a", ())), "impossible shape"),
        (head(1, 0, text("a") + struct.pack("<I", 2**31)), "impossible number of dimensions"),
        (head(1, 0, tensor("a", (32,), kind=99)), "block type 99"),
        (head(1, 0, tensor("a", (33,), kind=8)), "impossible row length"),
        (head(1, 0, tensor("a", (8,), offset=7) + bytes(200)), "impossible place"),
        (head(1, 0, tensor("a", (8,), offset=2**62) + bytes(200)), "is cut"),
        (head(1, 0, tensor("a", (2**20,)) + bytes(200)), "is cut"),
        (head(2, 0, tensor("a", (8,)) * 2 + bytes(200)), "stands twice"),
    ],
)
def test_a_hostile_file_is_refused_with_a_sentence(tmp_path: Path, content: bytes, sentence: str) -> None:
    with pytest.raises(ModelFileError, match=sentence) as refusal:
        read(tmp_path, content)

    assert "model.gguf" in str(refusal.value)


@pytest.mark.parametrize("share", [0.001, 0.3, 0.9, 0.999])
def test_a_file_that_is_cut_anywhere_is_refused(tmp_path: Path, honest: bytes, share: float) -> None:
    with pytest.raises(ModelFileError, match="is cut"):
        read(tmp_path, honest[: 4 + int(len(honest) * share)])


def test_a_vocabulary_of_many_empty_texts_is_refused_within_seconds(tmp_path: Path) -> None:
    array = text("tokens") + struct.pack("<IIQ", 9, 8, 2**20)
    started = monotonic()

    with pytest.raises(ModelFileError):
        read(tmp_path, head(0, 4, array.join([b"", bytes(8 * 2**20), bytes(8 * 2**20), bytes(8 * 2**20)])))

    assert monotonic() - started < 20


def test_a_missing_file_is_a_sentence(tmp_path: Path) -> None:
    with pytest.raises(ModelFileError, match="cannot be read"):
        read_header(tmp_path / "absent.gguf")


def changes() -> st.SearchStrategy[Callable[[bytes], bytes]]:
    """Overwrite a few bytes in the head, put an extreme number somewhere, or cut the file."""
    position = st.integers(0, 2**14)
    piece = st.one_of(st.binary(min_size=1, max_size=8), st.integers(0, 2**64 - 1).map(lambda n: struct.pack("<Q", n)))
    overwrite = st.tuples(position, piece).map(
        lambda change: (
            lambda content: (
                content[: change[0] % len(content)] + change[1] + content[change[0] % len(content) + len(change[1]) :]
            )
        )
    )
    cut = position.map(lambda end: lambda content: content[:end])
    return st.one_of(overwrite, cut)


@settings(max_examples=300, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(edits=st.lists(changes(), min_size=1, max_size=3))
def test_an_altered_file_is_read_or_refused_but_never_crashes(
    tmp_path: Path, honest: bytes, edits: list[Callable[[bytes], bytes]]
) -> None:
    content = honest
    for edit in edits:
        content = edit(content) or b"\0"
    try:
        (tmp_path / "model.gguf").write_bytes(content)
        checked = check_file(tmp_path / "model.gguf")
    except ModelFileError:
        return

    assert all(info.offset + info.bytes <= len(content) for info in checked.header.tensors.values())
