"""Which matrices of a 4-bit model keep 8 bits, and how many bits a weight of the body takes then."""

from engine.export.architectures import ModelShape
from engine.models.manifest import Precision

MOST_BITS = 5.5
"""Bits that a weight of the body may take on average, scales and zero points counted."""

SCALE_BITS = 32
"""A scale is a float32."""


def eight_bit_matrices(shape: ModelShape, precision: Precision, block_size: int) -> tuple[str, ...]:
    """Names of the matrices that have 8 bits where the others have 4.

    These are the projections to queries, keys and values, from the first layer on, as far as `MOST_BITS` allows: an
    error in them turns the attention to other tokens, and of all the matrices their bits save most.
    """
    if precision != "int4":
        return ()
    spared, costly = _stored_bits(4, block_size), _stored_bits(8, block_size)
    sizes = body_sizes(shape)
    packed = [name for name in sizes if name.endswith("attention.packed")]
    room = (MOST_BITS - spared) / (costly - spared) * sum(sizes.values())
    return tuple(packed[: int(room // sizes[packed[0]])])


def body_bits(shape: ModelShape, precision: Precision, block_size: int) -> float:
    """Mean bits of a weight in the matrices of the layers, scales and zero points counted."""
    if precision == "fp32":
        return 32.0
    sizes, eight_bit = body_sizes(shape), eight_bit_matrices(shape, precision, block_size)
    fewest = 4 if precision == "int4" else 8
    stored = sum(size * _stored_bits(8 if name in eight_bit else fewest, block_size) for name, size in sizes.items())
    return stored / sum(sizes.values())


def _stored_bits(bits: int, block_size: int) -> float:
    return bits + (SCALE_BITS + bits) / block_size


def body_sizes(shape: ModelShape) -> dict[str, int]:
    """Number of weights of each matrix of the layers, by name and in the order of the graph."""
    queries, keys = shape.heads * shape.head_size, shape.kv_heads * shape.head_size
    sizes = {
        "attention.packed": (queries + 2 * keys) * shape.hidden,
        "attention.output": queries * shape.hidden,
        "feed_forward.packed": 2 * shape.feed_forward * shape.hidden,
        "feed_forward.down": shape.feed_forward * shape.hidden,
    }
    return {f"layers.{layer}.{name}": size for layer in range(shape.layers) for name, size in sizes.items()}
