"""Where generation begins and ends, and the sampling that the makers of a model advise, out of GGUF metadata."""

from math import isfinite
from typing import Any

from engine.export.gguf_header import GgufHeader
from engine.export.tokenizer import CONTROL

END_TOKENS = (
    "<|im_end|>",
    "<|endoftext|>",
    "<|eot_id|>",
    "<|eom_id|>",
    "<|end_of_text|>",
    "<|end|>",
    "<end_of_turn>",
    "</s>",
    "<｜end▁of▁sentence｜>",
)
"""Control tokens that end a turn or a text, wherever they are in a vocabulary."""

OPENING_TOKENS = ("<|im_start|>", "<|start_header_id|>")
"""Tokens that open a turn: some files name them as an end or as a beginning, and they are neither."""

_END_KEYS = ("eos_token_id", "eot_token_id", "eom_token_id")

_SAMPLING = {
    "general.sampling.temp": "temperature",
    "general.sampling.top_k": "top_k",
    "general.sampling.top_p": "top_p",
    "general.sampling.min_p": "min_p",
    "general.sampling.penalty_repeat": "repetition_penalty",
}


def end_token_ids(header: GgufHeader) -> tuple[int, ...]:
    """All tokens that end an answer: those that the metadata name, first, and the known ones of the vocabulary."""
    tokens, types = _vocabulary(header)
    named = [_token_id(header, key, len(tokens)) for key in _END_KEYS]
    known = [
        number
        for number, (token, kind) in enumerate(zip(tokens, types, strict=True))
        if kind == CONTROL and token in END_TOKENS
    ]
    union = dict.fromkeys(number for number in [*named, *known] if number is not None)
    return tuple(number for number in union if tokens[number] not in OPENING_TOKENS)


def generation_config(header: GgufHeader) -> dict[str, Any]:
    """The content of ``generation_config.json``, in the words of Hugging Face."""
    config: dict[str, Any] = {"eos_token_id": list(end_token_ids(header))}
    tokens, _ = _vocabulary(header)
    begin = _token_id(header, "bos_token_id", len(tokens))
    if begin is not None:
        config["bos_token_id"] = begin
    for key, name in _SAMPLING.items():
        value = header.metadata.get(key)
        if isinstance(value, int | float) and not isinstance(value, bool) and isfinite(value):
            config[name] = value
    return config


def _vocabulary(header: GgufHeader) -> tuple[list[Any], list[Any]]:
    tokens, types = (header.metadata.get(f"tokenizer.ggml.{key}") for key in ("tokens", "token_type"))
    assert isinstance(tokens, list)
    assert isinstance(types, list)
    return tokens, types


def _token_id(header: GgufHeader, key: str, vocabulary: int) -> int | None:
    value = header.metadata.get(f"tokenizer.ggml.{key}")
    return value if isinstance(value, int) and not isinstance(value, bool) and 0 <= value < vocabulary else None
