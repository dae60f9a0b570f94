"""Small model folders with true manifests, and a converter that writes them, for tests of the files alone."""

import hashlib
import struct
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from engine.cancellation import Cancellation
from engine.models.manifest import GRAPH_NAME, WEIGHTS_NAME, FileRecord, Manifest, Precision

EMPTY_GGUF = b"GGUF" + struct.pack("<IQQ", 3, 0, 0)


def write_model_folder(
    folder: Path,
    name: str = "Tiny",
    precision: Precision = "int8",
    source_sha256: str = "0" * 64,
    **facts: Any,
) -> Manifest:
    """Write a complete folder whose graph and weights are a few bytes."""
    folder.mkdir(parents=True)
    files = {}
    for file in (GRAPH_NAME, WEIGHTS_NAME):
        content = f"{file} of {name}".encode()
        (folder / file).write_bytes(content)
        files[file] = FileRecord(len(content), hashlib.sha256(content).hexdigest())
    manifest = Manifest(
        name=name,
        architecture="llama",
        precision=precision,
        block_size=32,
        context_length=64,
        vocabulary_size=8,
        layers=1,
        kv_heads=1,
        head_size=4,
        end_token_ids=(1,),
        source={"sha256": source_sha256},
        files=files,
        **facts,
    )
    manifest.write(folder)
    return manifest


def convert_to_tiny_folder(
    source: Path,
    folder: Path,
    precision: Precision,
    report: Callable[[Any], None],
    cancellation: Cancellation,
    *,
    name: str | None = None,
    licence: str = "",
    languages: tuple[str, ...] = (),
    origin: str = "",
) -> Manifest:
    """Stand in for the converter where only the folders matter; `origin` is not kept."""
    digest = hashlib.sha256(source.read_bytes()).hexdigest()
    manifest = write_model_folder(folder, name or source.stem, precision, digest, licence=licence, languages=languages)
    for fraction in (0.5, 1.0):
        report(SimpleNamespace(stage=f"writing for {origin}", fraction=fraction))
        cancellation.raise_if_requested()
    return manifest
