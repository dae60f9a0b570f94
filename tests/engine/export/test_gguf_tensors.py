"""The numbers of a GGUF file: every block type, any rows."""

from pathlib import Path

import numpy as np
import pytest
from gguf import GGMLQuantizationType, GGUFReader, GGUFWriter
from gguf.quants import dequantize

from engine.export.gguf_header import BLOCK_TYPES, read_header
from engine.export.gguf_tensors import GgufTensors

ROWS, COLUMNS = 21, 512


@pytest.mark.parametrize("number", BLOCK_TYPES)
def test_every_block_type_gives_the_numbers_of_the_gguf_package(tmp_path: Path, number: int) -> None:
    kind, block = GGMLQuantizationType(number), BLOCK_TYPES[number]
    raw = np.random.default_rng(0).integers(0, 60, (ROWS, COLUMNS // block.elements * block.bytes), np.uint8)
    writer = GGUFWriter(tmp_path / "one.gguf", "llama")
    writer.add_tensor("matrix", raw, raw_shape=raw.shape, raw_dtype=kind)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()

    tensors = GgufTensors(read_header(tmp_path / "one.gguf"))
    whole = np.concatenate(list(tensors.chunks("matrix")))

    entry = GGUFReader(tmp_path / "one.gguf").tensors[0]
    assert tensors.shape("matrix") == whole.shape == (ROWS, COLUMNS)
    assert whole.dtype == np.float32
    assert np.array_equal(whole, dequantize(entry.data, kind))
    assert np.array_equal(tensors.rows("matrix", 5, 8), whole[5:8])
