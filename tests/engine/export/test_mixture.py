"""The mixture of 4 and 8 bits: it uses the room that there is and never more."""

from dataclasses import replace

import pytest

from engine.export.architectures import ModelShape
from engine.export.mixture import body_bits, body_sizes, eight_bit_matrices

SMALL = ModelShape(
    architecture="llama",
    layers=30,
    hidden=576,
    feed_forward=1536,
    heads=9,
    kv_heads=3,
    head_size=64,
    vocabulary=49152,
    context=8192,
    epsilon=1e-5,
    rope_base=100_000.0,
    rope_scale=1.0,
    interleaved_rope=True,
    attention_bias=False,
    tied=True,
)
LARGER = replace(SMALL, layers=24, hidden=896, feed_forward=4864, heads=14, kv_heads=2)


@pytest.mark.parametrize("shape", [SMALL, LARGER])
def test_a_weight_takes_at_most_five_and_a_half_bits(shape: ModelShape) -> None:
    assert 5.125 < body_bits(shape, "int4", 32) <= 5.5


def test_all_queries_keys_and_values_have_8_bits_where_there_is_room() -> None:
    assert len(eight_bit_matrices(LARGER, "int4", 32)) == 24
    assert len(eight_bit_matrices(SMALL, "int4", 32)) == 17


def test_every_matrix_that_has_8_bits_is_one_of_the_graph() -> None:
    assert set(eight_bit_matrices(SMALL, "int4", 32)) < set(body_sizes(SMALL))


def test_the_other_precisions_are_not_mixed() -> None:
    assert eight_bit_matrices(SMALL, "int8", 32) == ()
    assert body_bits(SMALL, "int8", 32) == 9.25
    assert body_bits(SMALL, "fp32", 0) == 32
