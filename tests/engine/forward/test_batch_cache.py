"""The cache of a batch: rows join, leave and take over from one another."""

import numpy as np
import pytest

from engine.forward.batch_cache import BatchCache
from engine.forward.kv_cache import GROWTH, CacheLayout, KVCache

LAYOUT = CacheLayout(layers=2, kv_heads=3, head_size=4)


def cache_of(token_ids: list[int]) -> KVCache:
    """A cache whose numbers are the tokens themselves."""
    cache = KVCache(LAYOUT)
    cache.reserve(len(token_ids))
    for array in cache.arrays:
        array[0, :, : len(token_ids)] = np.array(token_ids)[:, None]
    cache.token_ids += token_ids
    return cache


def contents(batch: BatchCache) -> list[list[float]]:
    """What every layer and head holds for each row."""
    for buffer in batch.buffers:
        held = buffer.numpy()
        assert (held == batch.buffers[0].numpy()[:, :1, :, :1]).all()
    return [batch.buffers[0].numpy()[row, 0, : len(tokens), 0].tolist() for row, tokens in enumerate(batch.rows)]


@pytest.fixture
def batch() -> BatchCache:
    batch = BatchCache(LAYOUT, places=3)
    for token_ids in ([1, 2, 3], [4, 5, 6], [1, 2, 9]):
        batch.join(cache_of(token_ids))
    return batch


def test_rows_hold_what_the_caches_held(batch: BatchCache) -> None:
    assert contents(batch) == batch.rows == [[1, 2, 3], [4, 5, 6], [1, 2, 9]]


def test_the_last_row_takes_the_place_of_one_that_leaves(batch: BatchCache) -> None:
    batch.leave(0)

    assert contents(batch) == batch.rows == [[1, 2, 9], [4, 5, 6]]


def test_the_last_row_can_leave(batch: BatchCache) -> None:
    batch.leave(2)

    assert contents(batch) == batch.rows == [[1, 2, 3], [4, 5, 6]]


def test_a_longer_row_makes_room_in_every_row(batch: BatchCache) -> None:
    batch.leave(1)

    batch.join(cache_of(long := list(range(GROWTH + 1))))

    assert contents(batch) == batch.rows == [[1, 2, 3], [1, 2, 9], long]


@pytest.mark.parametrize("parents", [[0, 0, 0], [1, 1, 2], [2, 0, 1], [0, 1, 2], [2, 1, 2]])
def test_rows_take_over_from_one_another(batch: BatchCache, parents: list[int]) -> None:
    before = batch.rows

    batch.reorder(parents)

    assert contents(batch) == batch.rows == [before[parent] for parent in parents]


def test_a_row_becomes_a_cache_of_its_own(batch: BatchCache) -> None:
    cache = batch.extract(2)

    assert cache.token_ids == [1, 2, 9]
    assert all((array[0, :, :3] == np.array([1, 2, 9])[:, None]).all() for array in cache.arrays)
