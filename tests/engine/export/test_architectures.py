"""What a model is, read from its file; what cannot be exported is named."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from engine.errors import ModelFileError
from engine.export.architectures import LONGEST_CONTEXT, ModelShape, model_shape
from engine.export.gguf_header import read_header
from tests.support.gguf_models import TinyModel


def shape_of(path: Path, model: TinyModel, without: str = "") -> ModelShape:
    return model_shape(read_header(model.write_gguf(path / "tiny.gguf", without=without)))


def test_a_llama_is_tied_and_has_no_biases(tmp_path: Path) -> None:
    shape = shape_of(tmp_path, TinyModel("llama"))

    assert (shape.tied, shape.attention_bias, shape.interleaved_rope) == (True, False, True)
    assert (shape.layers, shape.heads, shape.kv_heads, shape.head_size, shape.vocabulary) == (3, 4, 2, 16, 320)


def test_a_qwen_has_its_own_head_and_biases(tmp_path: Path) -> None:
    shape = shape_of(tmp_path, TinyModel("qwen2"))

    assert (shape.tied, shape.attention_bias, shape.interleaved_rope) == (False, True, False)


def test_a_very_long_context_is_shortened(tmp_path: Path) -> None:
    assert shape_of(tmp_path, TinyModel("llama", context=2**20)).context == LONGEST_CONTEXT


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("general.architecture", "mamba"),
        ("llama.block_count", 0),
        ("llama.block_count", 2**31),
        ("llama.block_count", "three"),
        ("llama.block_count", 4),
        ("llama.embedding_length", 48),
        ("llama.feed_forward_length", 97),
        ("llama.attention.head_count_kv", 3),
        ("llama.attention.head_count", [4, 4, 2]),
        ("llama.attention.key_length", 15),
        ("llama.attention.value_length", 8),
        ("llama.rope.dimension_count", 8),
        ("llama.rope.scaling.type", "yarn"),
        ("llama.rope.freq_base", -1.0),
        ("llama.expert_count", 8),
    ],
)
def test_measures_that_cannot_be_are_refused_with_a_sentence(tmp_path: Path, key: str, value: Any) -> None:
    with pytest.raises(ModelFileError, match=r"tiny\.gguf"):
        shape_of(tmp_path, TinyModel("llama", overrides={key: value}))


@pytest.mark.parametrize("tensor", ["token_embd.weight", "output_norm.weight", "blk.1.ffn_up.weight", "blk.2.attn_k"])
def test_a_missing_tensor_is_named(tmp_path: Path, tensor: str) -> None:
    with pytest.raises(ModelFileError, match=f"lacks the tensor {tensor}"):
        shape_of(tmp_path, TinyModel("llama"), without=tensor)


def test_a_tensor_that_nobody_would_read_is_named(tmp_path: Path) -> None:
    odd = np.ones(9, np.float32)

    with pytest.raises(ModelFileError, match=r"holds the tensor rope_freqs\.weight"):
        shape_of(tmp_path, TinyModel("llama", rope_factors=odd))
