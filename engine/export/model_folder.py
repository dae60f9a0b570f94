"""The steps that make a model folder of a checked file, in order: write, measure, hash."""

import json
import re
from collections.abc import Callable
from dataclasses import replace
from hashlib import file_digest
from math import isfinite
from pathlib import Path

import numpy as np

from engine.errors import ModelFileError
from engine.export.architectures import ModelShape
from engine.export.calibration import Calibration
from engine.export.check import CheckedFile
from engine.export.external_data import ExternalData
from engine.export.gguf_header import GgufHeader
from engine.export.gguf_tensors import GgufTensors
from engine.export.graph import write_graph
from engine.export.matrices import BLOCK_SIZES
from engine.export.mixture import body_bits, eight_bit_matrices
from engine.export.quality import measure_quality, quality_token_ids
from engine.export.reference import reference_logits
from engine.export.request import ConversionProgress, ConversionRequest, ConversionStage
from engine.export.weights import ModelWeights
from engine.forward.session import ForwardSession
from engine.models.manifest import (
    GENERATION_CONFIG_NAME,
    GRAPH_NAME,
    TEMPLATE_NAME,
    TOKENIZER_NAME,
    WEIGHTS_NAME,
    FileRecord,
    Manifest,
)

_QUANTISATION = re.compile(r"[.-](i?q\d\w*|bf16|f16|f32)$", re.IGNORECASE)


def write_model_folder(
    checked: CheckedFile, request: ConversionRequest, report: Callable[[ConversionProgress], None]
) -> Manifest:
    """Write every file of the folder, the manifest last.

    Raises:
        ModelFileError: The weights are no numbers.
        OSError: The folder cannot be written.
    """
    header, shape, tokenizer = checked.header, checked.shape, checked.tokenizer
    # The shares of the stages are those of time, on a small and a larger model.
    weights = ModelWeights(GgufTensors(header), shape)
    _write_texts(request.folder, checked)
    manifest = _manifest(checked, request)
    calibration = Calibration(shape, weights, tokenizer, manifest.languages) if request.precision == "int4" else None
    try:
        record = _write_graph(request, shape, weights, manifest, calibration, _span(report, "writing", 0.05, 0.6))
    except np.linalg.LinAlgError as error:
        # Moments of numbers can always be factorised.
        raise _no_numbers(request.source) from error
    if request.precision != "fp32":
        token_ids = quality_token_ids(tokenizer, manifest.languages, shape.context)
        reference = reference_logits(shape, weights, token_ids[:-1], _span(report, "measuring", 0.6, 0.8))
        session = ForwardSession.load(request.folder, manifest)
        quality = measure_quality(session, reference, token_ids, _span(report, "measuring", 0.8, 0.95))
        if not isfinite(quality.mean_kl):
            raise _no_numbers(request.source)
        manifest = replace(manifest, quality=quality)

    report(ConversionProgress("hashing", 0.95))
    source = {"file": request.source.name, "sha256": _record(request.source).sha256}
    if request.origin:
        source["address"] = request.origin
    files = {path.name: _record(path) for path in sorted(request.folder.iterdir()) if path.name != WEIGHTS_NAME}
    manifest = replace(manifest, source=source, files={**files, WEIGHTS_NAME: record})
    manifest.write(request.folder)
    report(ConversionProgress("hashing", 1.0))
    return manifest


def _span(
    report: Callable[[ConversionProgress], None], stage: ConversionStage, start: float, end: float
) -> Callable[[float], None]:
    """The function to which a step tells its own share, from 0 to 1."""
    return lambda share: report(ConversionProgress(stage, start + (end - start) * share))


def _write_texts(folder: Path, checked: CheckedFile) -> None:
    checked.tokenizer.save(str(folder / TOKENIZER_NAME))
    (folder / GENERATION_CONFIG_NAME).write_text(
        json.dumps(checked.generation_config, indent=2) + "\n", encoding="utf-8"
    )
    template = _text(checked.header, "tokenizer.chat_template")
    if template:
        (folder / TEMPLATE_NAME).write_text(template, encoding="utf-8", newline="")


def _write_graph(
    request: ConversionRequest,
    shape: ModelShape,
    weights: ModelWeights,
    manifest: Manifest,
    calibration: Calibration | None,
    report: Callable[[float], None],
) -> FileRecord:
    with ExternalData(request.folder / WEIGHTS_NAME) as data:
        eight_bit = manifest.eight_bit_matrices
        graph = write_graph(shape, weights, request.precision, calibration, eight_bit, data, report)
        (request.folder / GRAPH_NAME).write_bytes(graph.SerializeToString())
        return data.record()


def _no_numbers(source: Path) -> ModelFileError:
    return ModelFileError("The file {name} is damaged: its weights are no numbers.", name=source.name)


def _manifest(checked: CheckedFile, request: ConversionRequest) -> Manifest:
    header, shape = checked.header, checked.shape
    block_size = BLOCK_SIZES[request.precision]
    eight_bit = eight_bit_matrices(shape, request.precision, block_size)
    return Manifest(
        name=request.name or _QUANTISATION.sub("", request.source.stem),
        architecture=shape.architecture,
        precision=request.precision,
        block_size=block_size,
        context_length=shape.context,
        vocabulary_size=shape.vocabulary,
        layers=shape.layers,
        kv_heads=shape.kv_heads,
        head_size=shape.head_size,
        end_token_ids=tuple(checked.generation_config["eos_token_id"]),
        source={},
        files={},
        bits_per_weight=body_bits(shape, request.precision, block_size),
        eight_bit_matrices=eight_bit,
        licence=request.licence or _text(header, "general.license"),
        languages=request.languages or _texts(header, "general.languages"),
    )


def _record(path: Path) -> FileRecord:
    with path.open("rb") as file:
        return FileRecord(path.stat().st_size, file_digest(file, "sha256").hexdigest())


def _text(header: GgufHeader, key: str) -> str:
    value = header.metadata.get(key)
    return value if isinstance(value, str) else ""


def _texts(header: GgufHeader, key: str) -> tuple[str, ...]:
    values = header.metadata.get(key)
    return tuple(value for value in values if isinstance(value, str)) if isinstance(values, list) else ()
