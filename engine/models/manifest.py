"""The manifest of a model folder: where the weights came from, what the graph is, and what every file must be.

A model folder holds `sixpane.json` (this manifest), `model.onnx` with `model.onnx.data`, `tokenizer.json`,
`chat_template.jinja` (absent where the model has none) and `generation_config.json`. A folder is written under a
temporary name and renamed when it is complete, so a folder with a manifest is a complete one or was damaged later.
"""

import json
from dataclasses import asdict, dataclass, field
from hashlib import sha256
from pathlib import Path
from typing import Any, Literal, Self, get_args

from engine.errors import ModelFolderError

Precision = Literal["fp32", "int8", "int4"]

MANIFEST_NAME = "sixpane.json"
GRAPH_NAME = "model.onnx"
WEIGHTS_NAME = "model.onnx.data"
TOKENIZER_NAME = "tokenizer.json"
TEMPLATE_NAME = "chat_template.jinja"
GENERATION_CONFIG_NAME = "generation_config.json"
FORMAT = 1

_LARGEST = {
    "context_length": 2**24,
    "vocabulary_size": 2**24,
    "layers": 2**12,
    "kv_heads": 2**12,
    "head_size": 2**12,
}
"""What no model comes near; a file that says more is damaged, and must not make us reserve memory."""


@dataclass(frozen=True, slots=True)
class FileRecord:
    """What a file of the folder must be: its size in bytes and its SHA-256 in lower-case hexadecimal."""

    bytes: int
    sha256: str


@dataclass(frozen=True, slots=True)
class Quality:
    """How near the quantised graph is to the fp32 graph, on the fixed text of the quality report.

    Attributes:
        agreement: Share of positions whose most probable token is that of fp32, from 0 to 1.
        mean_kl: Mean Kullback-Leibler divergence from fp32, in nats.
        perplexity: Perplexity of the text under this graph.
        reference_perplexity: Perplexity of the text under the fp32 graph.
        positions: Number of positions that were compared.
    """

    agreement: float
    mean_kl: float
    perplexity: float
    reference_perplexity: float
    positions: int


@dataclass(frozen=True, slots=True)
class Manifest:
    """Everything about a model folder that must be known before its graph is loaded.

    Attributes:
        name: The name that a person reads, such as ``SmolLM2-135M-Instruct``.
        architecture: The family of the graph, in the words of GGUF: ``llama``, ``qwen2``.
        precision: How the matrices are stored.
        block_size: Weights that share one scale; 0 for fp32.
        context_length: The longest sequence that the model was made for, in tokens.
        vocabulary_size: Length of a row of logits.
        layers: Number of transformer layers, each with its own keys and values.
        kv_heads: Heads of the KV cache in a layer.
        head_size: Numbers in one head of the KV cache.
        end_token_ids: Tokens that end an answer: the union of all sources.
        source: Where the weights came from: file name, SHA-256 and, where known, the address.
        licence: SPDX name of the licence, or empty where the weights did not say.
        languages: ISO 639-1 codes that the weights or the catalogue name.
        files: The other files of the folder, by name.
        bits_per_weight: Mean bits of a weight in the matrices of the layers, scales and zero points counted; None in
            folders that were written before this was known.
        eight_bit_matrices: Names of the matrices that have 8 bits in a model of 4 bits.
        quality: Measured when the folder was written; None for fp32.
    """

    name: str
    architecture: str
    precision: Precision
    block_size: int
    context_length: int
    vocabulary_size: int
    layers: int
    kv_heads: int
    head_size: int
    end_token_ids: tuple[int, ...]
    source: dict[str, str]
    files: dict[str, FileRecord]
    licence: str = ""
    languages: tuple[str, ...] = ()
    bits_per_weight: float | None = None
    eight_bit_matrices: tuple[str, ...] = ()
    quality: Quality | None = None
    format: int = field(default=FORMAT)

    @property
    def model_hash(self) -> str:
        """One SHA-256 for the whole folder, made of those of its files; it identifies the model in the history."""
        lines = [f"{name} {record.sha256}\n" for name, record in sorted(self.files.items())]
        return sha256("".join(lines).encode()).hexdigest()

    def write(self, folder: Path) -> None:
        """Write the manifest into the folder; the last file of an export."""
        text = json.dumps(asdict(self), ensure_ascii=False, indent=2)
        (folder / MANIFEST_NAME).write_text(text + "\n", encoding="utf-8")

    @classmethod
    def read(cls, folder: Path) -> Self:
        """Read the manifest of a folder and check that the files are there at their sizes.

        Raises:
            ModelFolderError: The folder holds no readable manifest, or a file is missing or cut.
        """
        path = folder / MANIFEST_NAME
        try:
            manifest = cls._from_json(json.loads(path.read_text(encoding="utf-8")))
        except FileNotFoundError as error:
            raise ModelFolderError(
                "{folder} is not a model of Sixpane: it has no {file}.", folder=folder.name, file=path.name
            ) from error
        except (OSError, ValueError, TypeError, KeyError, AttributeError) as error:
            raise ModelFolderError(
                "The model {folder} has an unreadable {file}; import the model again.",
                folder=folder.name,
                file=path.name,
            ) from error
        for name, record in manifest.files.items():
            manifest._check_size(folder / name, record)
        return manifest

    @classmethod
    def _from_json(cls, values: dict[str, Any]) -> Self:
        if values.get("format") != FORMAT:
            raise ValueError("unknown format")
        quality, bits = values.get("quality"), values.get("bits_per_weight")
        for name, largest in _LARGEST.items():
            if type(values[name]) is not int or not 1 <= values[name] <= largest:
                raise ValueError(f"{name} is {values[name]}")
        if not isinstance(values["name"], str) or not isinstance(values["licence"], str):
            raise TypeError("a name is no text")
        if values["precision"] not in get_args(Precision):
            raise ValueError("unknown precision")
        return cls(
            **{
                **values,
                "end_token_ids": tuple(map(int, values["end_token_ids"])),
                "languages": tuple(map(str, values["languages"])),
                "bits_per_weight": None if bits is None else float(bits),
                "eight_bit_matrices": tuple(map(str, values.get("eight_bit_matrices", ()))),
                "files": {_plain_name(name): FileRecord(**record) for name, record in values["files"].items()},
                "quality": Quality(**quality) if quality else None,
            }
        )

    @staticmethod
    def _check_size(path: Path, record: FileRecord) -> None:
        if not path.is_file():
            raise ModelFolderError(
                "The model {folder} is incomplete: {file} is missing; import the model again.",
                folder=path.parent.name,
                file=path.name,
            )
        if path.stat().st_size != record.bytes:
            raise ModelFolderError(
                "The model {folder} is damaged: {file} is cut or altered; import the model again.",
                folder=path.parent.name,
                file=path.name,
            )


def _plain_name(name: str) -> str:
    if Path(name).name != name:
        raise ValueError(f"{name} is not a plain file name")
    return name
