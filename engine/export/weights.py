"""The matrices of a model in the order that the graph wants: parts stacked, rotary rows in halves."""

from collections.abc import Iterator

import numpy as np

from engine.export.architectures import EMBEDDING, FINAL_NORM, HEAD, ROPE_FACTORS, ModelShape
from engine.export.gguf_tensors import GgufTensors, Rows


class ModelWeights:
    """What graph and reference read; every matrix is float32 ``[outputs, inputs]``, in pieces of whole rows."""

    def __init__(self, tensors: GgufTensors, shape: ModelShape) -> None:
        self._tensors = tensors
        self._shape = shape

    def embedding(self) -> Iterator[Rows]:
        """One row a token."""
        return self._tensors.chunks(EMBEDDING)

    def embedding_rows(self, token_ids: list[int]) -> Rows:
        """The rows of some tokens, float32 ``[tokens, hidden]``."""
        return np.concatenate([self._tensors.rows(EMBEDDING, token, token + 1) for token in token_ids])

    def head(self) -> Iterator[Rows]:
        """One row a token; the embedding where they are tied."""
        return self._tensors.chunks(EMBEDDING if self._shape.tied else HEAD)

    def queries_keys_values(self, layer: int) -> Iterator[Rows]:
        """Rows of all query heads, then of the key heads, then of the value heads."""
        yield from self._rotary(f"blk.{layer}.attn_q.weight")
        yield from self._rotary(f"blk.{layer}.attn_k.weight")
        yield from self._tensors.chunks(f"blk.{layer}.attn_v.weight")

    def queries_keys_values_bias(self, layer: int) -> Rows:
        """float32 ``[(heads + 2 * kv_heads) * head_size]``."""
        queries, keys, values = (self._tensors.vector(f"blk.{layer}.attn_{part}.bias") for part in "qkv")
        return np.concatenate([self._halves(queries[:, None])[:, 0], self._halves(keys[:, None])[:, 0], values])

    def attention_output(self, layer: int) -> Iterator[Rows]:
        """From the heads back to the residual stream."""
        return self._tensors.chunks(f"blk.{layer}.attn_output.weight")

    def gate_and_up(self, layer: int) -> Iterator[Rows]:
        """Rows of the gate, then of the up projection."""
        yield from self._tensors.chunks(f"blk.{layer}.ffn_gate.weight")
        yield from self._tensors.chunks(f"blk.{layer}.ffn_up.weight")

    def down(self, layer: int) -> Iterator[Rows]:
        """From the feed-forward part back to the residual stream."""
        return self._tensors.chunks(f"blk.{layer}.ffn_down.weight")

    def attention_norm(self, layer: int) -> Rows:
        """Scale of the norm before the attention, float32 ``[hidden]``."""
        return self._tensors.vector(f"blk.{layer}.attn_norm.weight")

    def feed_forward_norm(self, layer: int) -> Rows:
        """Scale of the norm before the feed-forward part, float32 ``[hidden]``."""
        return self._tensors.vector(f"blk.{layer}.ffn_norm.weight")

    def final_norm(self) -> Rows:
        """Scale of the norm before the head, float32 ``[hidden]``."""
        return self._tensors.vector(FINAL_NORM)

    def rotations(self, positions: int) -> tuple[Rows, Rows]:
        """Cosine and sine of each position's angles, each float32 ``[positions, head_size / 2]``."""
        exponents = np.arange(0, self._shape.head_size, 2) / self._shape.head_size
        frequencies = 1 / self._shape.rope_base**exponents
        if ROPE_FACTORS in self._tensors:
            frequencies = frequencies / self._tensors.vector(ROPE_FACTORS)
        angles = np.arange(positions)[:, None] / self._shape.rope_scale * frequencies
        return np.cos(angles).astype(np.float32), np.sin(angles).astype(np.float32)

    def _rotary(self, name: str) -> Iterator[Rows]:
        for rows in self._tensors.chunks(name, multiple=self._shape.head_size):
            yield self._halves(rows)

    def _halves(self, rows: Rows) -> Rows:
        if not self._shape.interleaved_rope:
            return rows
        return rows.reshape(-1, self._shape.head_size // 2, 2, rows.shape[1]).swapaxes(1, 2).reshape(rows.shape)
