"""Small models with random weights, written as GGUF files in the layout of the real ones."""

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

import numpy as np
from gguf import GGMLQuantizationType, GGUFWriter
from gguf.quants import quantize
from numpy.typing import NDArray

from tests.support.tokenizers import SPECIAL, byte_level_tokenizer

CONTROL, NORMAL = 3, 1
TEMPLATE = (
    "{% for message in messages %}<|im_start|>{{ message['role'] }}\n{{ message['content'] }}<|im_end|>\n{% endfor %}"
    "{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}"
)

Array = NDArray[np.float32]


@dataclass(frozen=True)
class TinyModel:
    """A random Llama (tied) or Qwen2 (biases, untied) of a few thousand weights, with a byte-level tokenizer.

    Attributes:
        architecture: In the words of GGUF.
        seed: Decides the weights.
        rope_factors: Divisors of the rotation frequencies, as Llama 3.1 has them; None for none.
    """

    architecture: Literal["llama", "qwen2"]
    seed: int = 0
    rope_factors: Array | None = None
    layers: int = 3
    hidden: int = 64
    feed_forward: int = 96
    heads: int = 4
    kv_heads: int = 2
    head_size: int = 16
    vocabulary: int = 320
    context: int = 256
    epsilon: float = 1e-5
    rope_base: float = 10_000.0
    overrides: dict[str, Any] = field(default_factory=dict)

    @property
    def tied(self) -> bool:
        """Whether the head is the embedding."""
        return self.architecture == "llama"

    def weights(self) -> dict[str, Array]:
        """Named as in GGUF, rows of queries and keys in the order of transformers."""
        random = np.random.default_rng(self.seed)

        def matrix(rows: int, columns: int) -> Array:
            return random.normal(0, columns**-0.5, (rows, columns)).astype(np.float32)

        def vector(length: int, mean: float) -> Array:
            return random.normal(mean, 0.3, length).astype(np.float32)

        queries, keys = self.heads * self.head_size, self.kv_heads * self.head_size
        weights = {
            "token_embd.weight": matrix(self.vocabulary, self.hidden) * 4,
            "output_norm.weight": vector(self.hidden, 1),
        }
        if not self.tied:
            weights["output.weight"] = matrix(self.vocabulary, self.hidden) * 4
        for layer in range(self.layers):
            block = {
                "attn_norm.weight": vector(self.hidden, 1),
                "attn_q.weight": matrix(queries, self.hidden),
                "attn_k.weight": matrix(keys, self.hidden),
                "attn_v.weight": matrix(keys, self.hidden),
                "attn_output.weight": matrix(self.hidden, queries),
                "ffn_norm.weight": vector(self.hidden, 1),
                "ffn_gate.weight": matrix(self.feed_forward, self.hidden),
                "ffn_up.weight": matrix(self.feed_forward, self.hidden),
                "ffn_down.weight": matrix(self.hidden, self.feed_forward),
            }
            if self.architecture == "qwen2":
                block |= {"attn_q.bias": vector(queries, 0), "attn_k.bias": vector(keys, 0)}
                block |= {"attn_v.bias": vector(keys, 0)}
            weights |= {f"blk.{layer}.{name}": array for name, array in block.items()}
        return weights

    def write_gguf(
        self, path: Path, block_type: GGMLQuantizationType = GGMLQuantizationType.F32, without: str = ""
    ) -> Path:
        """Write the file; ``without`` leaves out keys and tensors that begin with it."""
        writer = GGUFWriter(path, self.architecture)
        for key, value in {**self._metadata(), **self.overrides}.items():
            if without and key.startswith(without):
                continue
            _add(writer, key, value)
        for name, array in self.weights().items():
            if without and name.startswith(without):
                continue
            if block_type is GGMLQuantizationType.F32 or array.ndim == 1:
                writer.add_tensor(name, self._in_gguf_order(name, array))
            else:
                writer.add_tensor(name, quantize(self._in_gguf_order(name, array), block_type), raw_dtype=block_type)
        if self.rope_factors is not None:
            writer.add_tensor("rope_freqs.weight", self.rope_factors)
        writer.write_header_to_file()
        writer.write_kv_data_to_file()
        writer.write_tensors_to_file()
        writer.close()
        return path

    def _metadata(self) -> dict[str, Any]:
        vocabulary = sorted(byte_level_tokenizer().get_vocab().items(), key=lambda entry: entry[1])
        tokens = [*(token for token, _ in vocabulary), "th"]
        own = {
            "block_count": self.layers,
            "context_length": self.context,
            "embedding_length": self.hidden,
            "feed_forward_length": self.feed_forward,
            "attention.head_count": self.heads,
            "attention.head_count_kv": self.kv_heads,
            "attention.key_length": self.head_size,
            "attention.value_length": self.head_size,
            "attention.layer_norm_rms_epsilon": self.epsilon,
            "rope.freq_base": self.rope_base,
        }
        return {
            **{f"{self.architecture}.{key}": value for key, value in own.items()},
            "general.license": "apache-2.0",
            "general.languages": ["en"],
            "tokenizer.ggml.model": "gpt2",
            "tokenizer.ggml.pre": "gpt-2",
            "tokenizer.ggml.tokens": tokens,
            "tokenizer.ggml.token_type": [CONTROL if token in SPECIAL else NORMAL for token in tokens],
            "tokenizer.ggml.merges": ["t h"],
            "tokenizer.ggml.eos_token_id": tokens.index("<|im_end|>"),
            "tokenizer.ggml.bos_token_id": tokens.index("<|im_start|>"),
            "tokenizer.chat_template": TEMPLATE,
        }

    def _in_gguf_order(self, name: str, array: Array) -> Array:
        """Llama files hold the rows of queries and keys in pairs, such as 0, half, 1, half + 1."""
        if self.architecture != "llama" or not name.endswith(("attn_q.weight", "attn_k.weight")):
            return array
        halves = array.reshape(-1, 2, self.head_size // 2, array.shape[1])
        return np.ascontiguousarray(halves.swapaxes(1, 2).reshape(array.shape))


def _add(writer: GGUFWriter, key: str, value: Any) -> None:
    match value:
        case bool():
            writer.add_bool(key, value)
        case int():
            writer.add_uint32(key, value)
        case float():
            writer.add_float32(key, value)
        case str():
            writer.add_string(key, value)
        case list():
            writer.add_array(key, value)
        case _:
            raise TypeError(f"{key} has no GGUF type")
