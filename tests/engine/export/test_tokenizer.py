"""The tokenizer out of GGUF metadata."""

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tokenizers import Tokenizer

from engine.errors import ModelFileError
from engine.export.generation_config import end_token_ids, generation_config
from engine.export.gguf_header import GgufHeader, read_header
from engine.export.tokenizer import SPLITTINGS, build_tokenizer
from tests.support.gguf_models import TinyModel


def header_with(tmp_path: Path, without: str = "", **overrides: Any) -> GgufHeader:
    keys = {f"tokenizer.ggml.{key}": value for key, value in overrides.items()}
    return read_header(TinyModel("llama", layers=1, overrides=keys).write_gguf(tmp_path / "tiny.gguf", without=without))


@pytest.fixture(scope="module")
def tokenizers(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Tokenizer]:
    """A tokenizer of single bytes for every way of splitting."""
    folder = tmp_path_factory.mktemp("gguf")
    return {name: build_tokenizer(header_with(folder, pre=name), 320) for name in SPLITTINGS}


@given(st.text())
def test_every_text_comes_back(tokenizers: dict[str, Tokenizer], text: str) -> None:
    for name, tokenizer in tokenizers.items():
        normal = tokenizer.normalizer.normalize_str(text) if SPLITTINGS[name].composed else text
        ids = tokenizer.encode(text, add_special_tokens=False).ids
        if not any(token in text for token in ("<|endoftext|>", "<|im_start|>", "<|im_end|>")):
            assert tokenizer.decode(ids, skip_special_tokens=False) == normal


@pytest.mark.parametrize(
    ("name", "pieces"),
    [
        ("gpt-2", ["It", "'s", "Ġ2024", ",", "Ġok", "ĠĠ", "Ċ", "x"]),
        ("smollm", ["It", "'s", "Ġ", "2", "0", "2", "4", ",", "Ġok", "ĠĠ", "Ċ", "x"]),
        ("qwen2", ["It", "'s", "Ġ", "2", "0", "2", "4", ",", "Ġok", "ĠĠĊ", "x"]),
        ("llama-bpe", ["It", "'s", "Ġ", "202", "4", ",", "Ġok", "ĠĠĊ", "x"]),
    ],
)
def test_texts_are_cut_as_the_makers_cut_them(tokenizers: dict[str, Tokenizer], name: str, pieces: list[str]) -> None:
    cut = tokenizers[name].pre_tokenizer.pre_tokenize_str("It's 2024, ok  \nx")

    assert [piece for piece, _ in cut] == pieces


def test_control_tokens_are_special_and_user_defined_ones_are_not(tmp_path: Path) -> None:
    header = header_with(tmp_path, tokens=["<|im_end|>", "<tool>", "t", "h", "th"], token_type=[3, 4, 1, 1, 1])

    added = build_tokenizer(header, 320).get_added_tokens_decoder()

    assert {number: (token.content, token.special) for number, token in added.items()} == {
        0: ("<|im_end|>", True),
        1: ("<tool>", False),
    }


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"without": "tokenizer.ggml.tokens"}, "has no tokenizer"),
        ({"without": "tokenizer.ggml.merges"}, "has no tokenizer"),
        ({"without": "tokenizer.ggml.token_type"}, "damaged tokenizer"),
        ({"pre": "something-new"}, "cuts texts in the way something-new"),
        ({"without": "tokenizer.ggml.pre"}, "cuts texts in the way None"),
        ({"model": "t5"}, "tokenizer of the kind t5"),
        ({"tokens": "none"}, "damaged tokenizer"),
        ({"token_type": [1, 2]}, "damaged tokenizer"),
        ({"merges": ["no such"]}, "damaged tokenizer"),
        ({"merges": ["nospace"]}, "damaged tokenizer"),
        ({"tokens": ["a", "a"], "token_type": [1, 1]}, "damaged tokenizer"),
    ],
)
def test_a_tokenizer_that_cannot_be_built_is_a_sentence(tmp_path: Path, change: dict[str, Any], sentence: str) -> None:
    with pytest.raises(ModelFileError, match=sentence):
        build_tokenizer(header_with(tmp_path, **change), 320)


def test_more_tokens_than_rows_are_refused(tmp_path: Path) -> None:
    with pytest.raises(ModelFileError, match="damaged tokenizer"):
        build_tokenizer(header_with(tmp_path), vocabulary=100)


def test_end_tokens_are_the_union_of_all_sources_without_the_opening_token(tmp_path: Path) -> None:
    assert end_token_ids(header_with(tmp_path)) == (2, 0)
    assert end_token_ids(header_with(tmp_path, eos_token_id=1)) == (0, 2)
    assert end_token_ids(header_with(tmp_path, eot_token_id=7, eos_token_id=0)) == (0, 7, 2)
    assert end_token_ids(header_with(tmp_path, eos_token_id=2**31)) == (0, 2)


def test_the_generation_config_speaks_the_words_of_hugging_face(tmp_path: Path) -> None:
    overrides = {"general.sampling.temp": 0.5, "general.sampling.top_k": 20}
    header = read_header(TinyModel("llama", layers=1, overrides=overrides).write_gguf(tmp_path / "tiny.gguf"))

    assert generation_config(header) == {"eos_token_id": [2, 0], "bos_token_id": 1, "temperature": 0.5, "top_k": 20}
