"""The model in float32 on plain numpy, a layer at a time: what a quantised graph is measured against.

No layer stays in memory after the text has passed it, so that this works for every model whose export works.
"""

from collections.abc import Callable, Iterator

import numpy as np
from numpy.typing import NDArray

from engine.export.architectures import ModelShape
from engine.export.gguf_tensors import Rows
from engine.export.weights import ModelWeights

States = NDArray[np.float32]


def reference_logits(
    shape: ModelShape, weights: ModelWeights, token_ids: list[int], report: Callable[[float], None]
) -> NDArray[np.float32]:
    """Logits after each token of a text, float32 ``[tokens, vocabulary]``.

    Args:
        shape: The measures of the model.
        weights: Where the numbers come from.
        token_ids: The text.
        report: Told the share that is computed, from 0 to 1.
    """
    *_, (_, normed) = body_products(shape, weights, token_ids, report)
    return _product(normed, weights.head())


def body_products(
    shape: ModelShape, weights: ModelWeights, token_ids: list[int], report: Callable[[float], None]
) -> Iterator[tuple[str, States]]:
    """Take a text through the model and tell what each matrix is multiplied with.

    Yields:
        The name of each matrix in the graph and its inputs, float32 ``[tokens, inputs]``; the last one is the head.
    """
    steps = shape.layers + 1
    cosines, sines = weights.rotations(len(token_ids))
    stream = weights.embedding_rows(token_ids)
    for layer in range(shape.layers):
        report(layer / steps)
        normed = _rms_norm(stream, weights.attention_norm(layer), shape.epsilon)
        yield f"layers.{layer}.attention.packed", normed
        packed = _product(normed, weights.queries_keys_values(layer))
        if shape.attention_bias:
            packed += weights.queries_keys_values_bias(layer)
        heads = _attention(shape, packed, cosines, sines)
        yield f"layers.{layer}.attention.output", heads
        stream = stream + _product(heads, weights.attention_output(layer))
        normed = _rms_norm(stream, weights.feed_forward_norm(layer), shape.epsilon)
        yield f"layers.{layer}.feed_forward.packed", normed
        gate, up = np.split(_product(normed, weights.gate_and_up(layer)), 2, axis=1)
        gated = _silu(gate) * up
        yield f"layers.{layer}.feed_forward.down", gated
        stream = stream + _product(gated, weights.down(layer))
    report(shape.layers / steps)
    yield "head", _rms_norm(stream, weights.final_norm(), shape.epsilon)


def _product(states: States, rows: Iterator[Rows]) -> States:
    return np.concatenate([states @ piece.T for piece in rows], axis=1)


def _rms_norm(states: States, scale: Rows, epsilon: float) -> States:
    mean_square = np.mean(np.square(states), axis=1, keepdims=True)
    normed: States = states / np.sqrt(mean_square + np.float32(epsilon)) * scale
    return normed


def _silu(values: States) -> States:
    activated: States = values / (1 + np.exp(-values))
    return activated


def _attention(shape: ModelShape, packed: States, cosines: Rows, sines: Rows) -> States:
    """Causal attention of all heads; ``packed`` holds queries, keys and values of each token side by side."""
    heads, kv_heads, tokens = shape.heads, shape.kv_heads, len(packed)
    split = packed.reshape(tokens, heads + 2 * kv_heads, shape.head_size).swapaxes(0, 1)
    queries = _rotated(split[:heads], cosines, sines)
    keys = np.repeat(_rotated(split[heads : heads + kv_heads], cosines, sines), heads // kv_heads, axis=0)
    values = np.repeat(split[heads + kv_heads :], heads // kv_heads, axis=0)
    future = np.triu(np.full((tokens, tokens), -np.inf, np.float32), 1)
    scores = queries @ keys.swapaxes(1, 2) * np.float32(shape.head_size**-0.5) + future
    shares = np.exp(scores - scores.max(axis=2, keepdims=True))
    shares /= shares.sum(axis=2, keepdims=True)
    joined: States = (shares @ values).swapaxes(0, 1).reshape(tokens, -1)
    return joined


def _rotated(heads: States, cosines: Rows, sines: Rows) -> States:
    first, second = np.split(heads, 2, axis=2)
    return np.concatenate([first * cosines - second * sines, second * cosines + first * sines], axis=2)
