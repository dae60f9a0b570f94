"""Writes a GGUF file again as Q8_0 or Q4_0, so that llama.cpp is measured on the same weights."""

from pathlib import Path

import numpy as np
from gguf import GGMLQuantizationType, GGUFReader, GGUFValueType, GGUFWriter
from gguf.quants import dequantize, quantize

WRITTEN_BY_THE_WRITER = {
    "GGUF.version",
    "GGUF.tensor_count",
    "GGUF.kv_count",
    "general.architecture",
    "general.file_type",
}
BLOCK = 32


def requantise(source: Path, target: Path, kind: GGMLQuantizationType) -> None:
    """Write the matrices as blocks of `kind` and everything else as it is."""
    reader = GGUFReader(source)
    writer = GGUFWriter(target, reader.fields["general.architecture"].contents())
    for name, field in reader.fields.items():
        if name not in WRITTEN_BY_THE_WRITER:
            item_type = field.types[-1] if field.types[0] == GGUFValueType.ARRAY else None
            writer.add_key_value(name, field.contents(), field.types[0], sub_type=item_type)
    for tensor in reader.tensors:
        weights = dequantize(tensor.data, tensor.tensor_type).astype(np.float32)
        if weights.ndim == 2 and weights.shape[-1] % BLOCK == 0:
            writer.add_tensor(tensor.name, quantize(weights, kind), raw_dtype=kind)
        else:
            writer.add_tensor(tensor.name, weights)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
