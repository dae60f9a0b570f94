"""The pool of caches: several conversations within a budget, the least recently used out first."""

import pytest

from engine.forward.cache_pool import CachePool
from engine.forward.kv_cache import GROWTH, CacheLayout

LAYOUT = CacheLayout(layers=1, kv_heads=1, head_size=2)
STEP = GROWTH * LAYOUT.token_bytes
FIRST, SECOND, THIRD = list(range(100)), list(range(100, 200)), list(range(200, 300))


@pytest.fixture
def pool() -> CachePool:
    return CachePool(LAYOUT, budget=2 * STEP)


def read(pool: CachePool, token_ids: list[int]) -> int:
    """Read a prompt as the session does; gives how many tokens were reused."""
    reused = min(pool.common_prefix(token_ids), len(token_ids) - 1)
    pool.use(token_ids, reused).token_ids[reused:] = token_ids[reused:]
    return reused


def test_switching_between_two_conversations_reads_neither_again(pool: CachePool) -> None:
    read(pool, FIRST)
    read(pool, SECOND)

    assert read(pool, [*FIRST, 7]) == len(FIRST)
    assert read(pool, [*SECOND, 7]) == len(SECOND)


def test_the_conversation_used_longest_ago_goes_first(pool: CachePool) -> None:
    read(pool, FIRST)
    read(pool, SECOND)
    read(pool, [*FIRST, 7])

    read(pool, THIRD)

    assert pool.nbytes <= 2 * STEP
    assert (pool.common_prefix(FIRST), pool.common_prefix(SECOND)) == (len(FIRST), 0)


def test_another_conversation_with_the_same_beginning_leaves_the_first_as_it_was(pool: CachePool) -> None:
    read(pool, FIRST)
    pool.current.arrays[0][0, 0, :20] = 5

    assert read(pool, [*FIRST[:20], 900, 901]) == 20

    assert (pool.current.arrays[0][0, 0, :20] == 5).all()
    assert pool.common_prefix(FIRST) == len(FIRST)


def test_an_edit_near_the_end_goes_on_in_the_same_cache(pool: CachePool) -> None:
    read(pool, FIRST)

    assert read(pool, [*FIRST[:80], 900, 901]) == 80

    assert len(pool.caches) == 1


def test_without_room_for_a_copy_the_cache_is_rewound() -> None:
    pool = CachePool(LAYOUT, budget=STEP)
    read(pool, FIRST)

    assert read(pool, [*FIRST[:20], 900]) == 20

    assert (len(pool.caches), pool.nbytes) == (1, STEP)


def test_the_cache_in_use_is_kept_however_large_it_is(pool: CachePool) -> None:
    read(pool, FIRST)

    read(pool, list(range(1000, 1000 + 3 * GROWTH)))

    assert (len(pool.caches), pool.nbytes) == (1, 3 * STEP)
