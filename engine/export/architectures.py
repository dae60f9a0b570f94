"""The architectures that can be exported, as a table: what their files call things and how they differ."""

from dataclasses import dataclass

from engine.errors import ModelFileError
from engine.export.gguf_header import GgufHeader, Value

LONGEST_CONTEXT = 32_768
LARGEST_MEASURE = 2**24
MULTIPLE_OF_WIDTHS = 32


@dataclass(frozen=True, slots=True)
class Architecture:
    """One family of models.

    Attributes:
        interleaved_rope: The rows of queries and keys stand so that a rotation turns neighbours (0, 1), (2, 3) …;
            the graph turns row i with row i + half, so they are put in that order.
    """

    interleaved_rope: bool


ARCHITECTURES = {
    "llama": Architecture(interleaved_rope=True),
    "qwen2": Architecture(interleaved_rope=False),
}

EMBEDDING = "token_embd.weight"
HEAD = "output.weight"
FINAL_NORM = "output_norm.weight"
ROPE_FACTORS = "rope_freqs.weight"
LAYER_MATRICES = ("attn_q", "attn_k", "attn_v", "attn_output", "ffn_gate", "ffn_up", "ffn_down")
LAYER_NORMS = ("attn_norm", "ffn_norm")
LAYER_BIASES = ("attn_q", "attn_k", "attn_v")


@dataclass(frozen=True, slots=True)
class ModelShape:
    """The measures of one model, checked against its tensors.

    Attributes:
        architecture: The family in the words of GGUF, a key of `ARCHITECTURES`.
        layers: Number of transformer layers.
        hidden: Width of the residual stream.
        feed_forward: Width inside the feed-forward part.
        heads: Query heads.
        kv_heads: Key and value heads; each serves ``heads / kv_heads`` query heads.
        head_size: Numbers in one head.
        vocabulary: Rows of the embedding and of the head.
        context: The longest sequence, in tokens, at most `LONGEST_CONTEXT`.
        epsilon: Added to the mean square in the norms.
        rope_base: Base of the rotation frequencies.
        rope_scale: Positions are divided by it.
        interleaved_rope: See `Architecture`.
        attention_bias: Queries, keys and values have biases.
        tied: The head is the embedding.
    """

    architecture: str
    layers: int
    hidden: int
    feed_forward: int
    heads: int
    kv_heads: int
    head_size: int
    vocabulary: int
    context: int
    epsilon: float
    rope_base: float
    rope_scale: float
    interleaved_rope: bool
    attention_bias: bool
    tied: bool


def model_shape(header: GgufHeader) -> ModelShape:
    """Find out what the model of a file is.

    Raises:
        ModelFileError: Its architecture is unknown, or its measures contradict themselves or its tensors.
    """
    name = header.metadata.get("general.architecture")
    if not isinstance(name, str) or name not in ARCHITECTURES:
        raise ModelFileError(
            "The file {name} has the architecture {architecture}; Sixpane knows {known}.",
            name=header.path.name,
            architecture=str(name)[:40],
            known=", ".join(ARCHITECTURES),
        )
    keys = _Keys(header, name)
    hidden, heads = keys.measure("embedding_length"), keys.measure("attention.head_count")
    head_size = keys.measure("attention.key_length", hidden // heads)
    embedding = header.tensors.get(EMBEDDING)
    if embedding is None:
        raise _misses(header, EMBEDDING)
    shape = ModelShape(
        architecture=name,
        layers=keys.measure("block_count"),
        hidden=hidden,
        feed_forward=keys.measure("feed_forward_length"),
        heads=heads,
        kv_heads=keys.measure("attention.head_count_kv", heads),
        head_size=head_size,
        vocabulary=embedding.shape[0],
        context=min(keys.measure("context_length"), LONGEST_CONTEXT),
        epsilon=keys.number("attention.layer_norm_rms_epsilon", 1e-5),
        rope_base=keys.number("rope.freq_base", 10_000.0),
        rope_scale=_rope_scale(keys),
        interleaved_rope=ARCHITECTURES[name].interleaved_rope,
        attention_bias="blk.0.attn_q.bias" in header.tensors,
        tied=HEAD not in header.tensors,
    )
    keys.require("attention.value_length", head_size)
    keys.require("rope.dimension_count", head_size)
    keys.require("expert_count", 0)
    if heads % shape.kv_heads or head_size % 2 or hidden % MULTIPLE_OF_WIDTHS:
        raise keys.contradiction("attention.head_count")
    _check_tensors(header, shape)
    return shape


def _rope_scale(keys: "_Keys") -> float:
    kind = keys.text("rope.scaling.type", "none")
    if kind not in ("none", "linear"):
        raise keys.contradiction("rope.scaling.type")
    return keys.number("rope.scaling.factor", 1.0) if kind == "linear" else 1.0


def _check_tensors(header: GgufHeader, shape: ModelShape) -> None:
    """Every tensor that the graph needs is there in its shape, and the file holds no other."""
    expected = _expected_tensors(shape)
    for name, dimensions in expected.items():
        tensor = header.tensors.get(name)
        if tensor is None:
            raise _misses(header, name)
        if tensor.shape != dimensions:
            raise ModelFileError(
                "The file {name} is damaged: its tensor {tensor} has the shape {found} instead of {expected}.",
                name=header.path.name,
                tensor=name,
                found=" × ".join(map(str, tensor.shape)),
                expected=" × ".join(map(str, dimensions)),
            )
    for name, tensor in header.tensors.items():
        if name not in expected and (name, tensor.shape) != (ROPE_FACTORS, (shape.head_size // 2,)):
            raise ModelFileError(
                "The file {name} holds the tensor {tensor}, which Sixpane does not know in this architecture.",
                name=header.path.name,
                tensor=name[:60],
            )


def _expected_tensors(shape: ModelShape) -> dict[str, tuple[int, ...]]:
    queries, keys = shape.heads * shape.head_size, shape.kv_heads * shape.head_size
    matrices = {
        "attn_q": (queries, shape.hidden),
        "attn_k": (keys, shape.hidden),
        "attn_v": (keys, shape.hidden),
        "attn_output": (shape.hidden, queries),
        "ffn_gate": (shape.feed_forward, shape.hidden),
        "ffn_up": (shape.feed_forward, shape.hidden),
        "ffn_down": (shape.hidden, shape.feed_forward),
    }
    expected: dict[str, tuple[int, ...]] = {
        EMBEDDING: (shape.vocabulary, shape.hidden),
        FINAL_NORM: (shape.hidden,),
    }
    if not shape.tied:
        expected[HEAD] = (shape.vocabulary, shape.hidden)
    for layer in range(shape.layers):
        expected |= {f"blk.{layer}.{name}.weight": size for name, size in matrices.items()}
        expected |= {f"blk.{layer}.{name}.weight": (shape.hidden,) for name in LAYER_NORMS}
        if shape.attention_bias:
            expected |= {f"blk.{layer}.{name}.bias": matrices[name][:1] for name in LAYER_BIASES}
    return expected


def _misses(header: GgufHeader, tensor: str) -> ModelFileError:
    return ModelFileError("The file {name} lacks the tensor {tensor}.", name=header.path.name, tensor=tensor)


class _Keys:
    """The metadata under the prefix of the architecture, each with its kind and range."""

    def __init__(self, header: GgufHeader, architecture: str) -> None:
        self._header = header
        self._prefix = architecture + "."

    def measure(self, key: str, default: int | None = None) -> int:
        """A whole number above zero."""
        value = self._value(key, default)
        if isinstance(value, bool) or not isinstance(value, int) or not 0 < value <= LARGEST_MEASURE:
            raise self.contradiction(key)
        return value

    def number(self, key: str, default: float) -> float:
        """A number above zero."""
        value = self._value(key, default)
        if isinstance(value, bool) or not isinstance(value, int | float) or not 0 < value < float("inf"):
            raise self.contradiction(key)
        return float(value)

    def text(self, key: str, default: str) -> str:
        """A text."""
        value = self._value(key, default)
        if not isinstance(value, str):
            raise self.contradiction(key)
        return value

    def require(self, key: str, value: int) -> None:
        """The key is absent or has this value."""
        if self._value(key, value) != value:
            raise self.contradiction(key)

    def contradiction(self, key: str) -> ModelFileError:
        """What a person is told about a value that cannot be used."""
        return ModelFileError(
            "The file {name} gives {key} as {value}, which Sixpane does not support.",
            name=self._header.path.name,
            key=self._prefix + key,
            value=str(self._header.metadata.get(self._prefix + key, "nothing"))[:60],
        )

    def _value(self, key: str, default: Value | None) -> Value | None:
        return self._header.metadata.get(self._prefix + key, default)
