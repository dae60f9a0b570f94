"""Everything about a GGUF file that can be refused is refused here, before anything large is imported or written."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tokenizers import Tokenizer

from engine.errors import ModelFileError
from engine.export.architectures import ModelShape, model_shape
from engine.export.generation_config import generation_config
from engine.export.gguf_header import GgufHeader, read_header
from engine.export.tokenizer import build_tokenizer


@dataclass(frozen=True, slots=True)
class CheckedFile:
    """A file that can be exported.

    Attributes:
        header: Its metadata and its table of tensors.
        shape: The measures of the model.
        tokenizer: The tokenizer of the model.
        generation_config: The content of ``generation_config.json``.
    """

    header: GgufHeader
    shape: ModelShape
    tokenizer: Tokenizer
    generation_config: dict[str, Any]


def check_file(path: Path) -> CheckedFile:
    """Read the head of a file and check that a model can be made of it.

    Raises:
        ModelFileError: The file cannot be read, lies about itself, or holds what is not supported.
    """
    header = read_header(path)
    shape = model_shape(header)
    tokenizer = build_tokenizer(header, shape.vocabulary)
    config = generation_config(header)
    if not config["eos_token_id"]:
        raise ModelFileError("The file {name} does not say which token ends an answer.", name=path.name)
    return CheckedFile(header, shape, tokenizer, config)
