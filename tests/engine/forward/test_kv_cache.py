"""The KV cache: grows in steps, forgets by rewinding, knows what it holds."""

import numpy as np
import pytest

from engine.forward.kv_cache import GROWTH, CacheLayout, KVCache


@pytest.fixture
def cache() -> KVCache:
    return KVCache(CacheLayout(layers=2, kv_heads=3, head_size=4))


def test_buffers_grow_in_steps_and_never_to_the_whole_context(cache: KVCache) -> None:
    cache.reserve(1)
    assert cache.capacity == GROWTH

    cache.reserve(GROWTH + 1)
    assert cache.capacity == 2 * GROWTH


def test_buffers_stay_the_same_while_there_is_room(cache: KVCache) -> None:
    cache.reserve(1)
    buffers = cache.buffers

    cache.reserve(GROWTH)

    assert cache.buffers is buffers


def test_growing_keeps_the_rows_of_the_cached_tokens(cache: KVCache) -> None:
    cache.reserve(2)
    cache.buffers[3].numpy()[0, 1, :2] = [[1, 2, 3, 4], [5, 6, 7, 8]]
    cache.token_ids += [10, 11]

    cache.reserve(GROWTH + 1)

    assert cache.buffers[3].shape() == [1, 3, 2 * GROWTH, 4]
    assert np.array_equal(cache.buffers[3].numpy()[0, 1, :3], [[1, 2, 3, 4], [5, 6, 7, 8], [0, 0, 0, 0]])


@pytest.mark.parametrize(
    ("asked", "common"), [([], 0), ([1, 2, 3], 3), ([1, 2], 2), ([1, 9, 3], 1), ([9], 0), ([1, 2, 3, 4], 3)]
)
def test_the_common_prefix_is_counted_in_tokens(cache: KVCache, asked: list[int], common: int) -> None:
    cache.token_ids += [1, 2, 3]

    assert cache.common_prefix(asked) == common


def test_rewinding_forgets_the_last_tokens(cache: KVCache) -> None:
    cache.token_ids += [1, 2, 3]

    cache.rewind(1)

    assert cache.token_ids == [1]
