"""The caches of several conversations, within a budget of memory."""

from collections.abc import Sequence

from engine.forward.kv_cache import CacheLayout, KVCache, steps

CACHE_BUDGET = 512 * 2**20
"""Bytes that the caches of all conversations may take together; the one in use may take more."""


class CachePool:
    """Keeps what the model has read of several conversations; the least recently used goes first.

    Args:
        layout: The measures of the model's cache.
        budget: The most bytes that all caches take together. The cache in use is never given up, however large.

    Attributes:
        caches: The least recently used first; the last is the one in use.
    """

    def __init__(self, layout: CacheLayout, budget: int = CACHE_BUDGET) -> None:
        self._layout = layout
        self._budget = budget
        self.caches = [KVCache(layout)]

    @property
    def current(self) -> KVCache:
        """The cache in use."""
        return self.caches[-1]

    @property
    def nbytes(self) -> int:
        """Bytes that all caches take."""
        return sum(cache.nbytes for cache in self.caches)

    def common_prefix(self, token_ids: Sequence[int]) -> int:
        """Length of the longest beginning of these tokens that some cache holds."""
        return self._nearest(token_ids)[1]

    def use(self, token_ids: Sequence[int], length: int) -> KVCache:
        """Put in use a cache that holds the first `length` of these tokens, and nothing else.

        The cache with the longest common beginning is rewound where little is lost by it. Where more would be lost
        than is shared, the conversation it belongs to is another one: its cache stays, and the beginning is copied,
        as far as the budget allows both.

        Args:
            token_ids: A prompt.
            length: At most its common prefix.
        """
        nearest, _ = self._nearest(token_ids)
        self.caches.remove(nearest)
        self.caches.append(nearest)
        lost = len(nearest.token_ids) - length
        if lost > length and nearest.nbytes + steps(len(token_ids)) * self._layout.token_bytes <= self._budget:
            self.caches.append(nearest.copy(length))
        else:
            nearest.rewind(length)
        self.current.reserve(len(token_ids))
        self.trim()
        return self.current

    def keep(self, cache: KVCache) -> None:
        """Take in a cache that was made elsewhere, in place of those that hold no more than its beginning."""
        *others, current = self.caches
        held = [other for other in others if cache.common_prefix(other.token_ids) < len(other.token_ids)]
        self.caches = [*held, cache, current]
        self.trim()

    def trim(self) -> None:
        """Give up the least recently used caches until the rest is within the budget."""
        while self.nbytes > self._budget and len(self.caches) > 1:
            # A binding that still names these buffers must not keep their memory.
            self.caches.pop(0).buffers.clear()

    def _nearest(self, token_ids: Sequence[int]) -> tuple[KVCache, int]:
        lengths = [(cache.common_prefix(token_ids), index) for index, cache in enumerate(self.caches)]
        length, index = max(lengths)
        return self.caches[index], length
