"""The keys and values of several sequences that a model reads at once, one a row."""

from collections.abc import Sequence

from onnxruntime import OrtValue

from engine.forward.kv_cache import CacheLayout, KVCache, common_prefix, grown, steps


class BatchCache:
    """Keys and values of several sequences, one a row; sequences of different lengths join and leave.

    Args:
        layout: The measures of the model's cache.
        places: The most rows; memory is only taken for places that were used.

    Attributes:
        rows: The tokens of each row, in order.
        arrays: Two a layer, key then value, each of shape (places, kv_heads, capacity, head_size); the rows are the
            first of the places.
    """

    def __init__(self, layout: CacheLayout, places: int) -> None:
        self._layout = layout
        self.places = places
        self.arrays = layout.buffers(places, 0)
        self.rows: list[list[int]] = []
        self._buffers: list[OrtValue] = []

    @property
    def buffers(self) -> list[OrtValue]:
        """Values of ONNX Runtime over the rows; another list whenever their number or their memory has changed."""
        if not self._buffers:
            count = len(self.rows)
            self._buffers = [OrtValue.ortvalue_from_numpy(array[:count]) for array in self.arrays]
        return self._buffers

    @property
    def capacity(self) -> int:
        """Tokens that fit into every row."""
        return int(self.arrays[0].shape[2])

    def reserve(self, length: int) -> None:
        """Make room for `length` tokens in every row."""
        if length <= self.capacity:
            return
        used = max(map(len, self.rows), default=0)
        self._buffers = []
        for index, array in enumerate(self.arrays):
            self.arrays[index] = grown(array, steps(length), used)

    def join(self, cache: KVCache) -> None:
        """Add a last row that holds what a cache holds; there must be a place for it."""
        length = len(cache.token_ids)
        self.reserve(length)
        row = len(self.rows)
        for target, source in zip(self.arrays, cache.arrays, strict=True):
            target[row, :, :length] = source[0, :, :length]
        self.rows.append(cache.token_ids.copy())
        self._buffers = []

    def leave(self, row: int) -> None:
        """Take out a row; the last one takes its place."""
        last = len(self.rows) - 1
        if row < last:
            self._copy([last], [row], 0)
            self.rows[row] = self.rows[last]
        del self.rows[last]
        self._buffers = []

    def reorder(self, parents: Sequence[int]) -> None:
        """Make each row go on from the row that `parents` names for it; what two rows share is not copied.

        Args:
            parents: For each row the row whose tokens it takes over, itself to stay. All rows are of one length.
        """
        changed = [row for row, parent in enumerate(parents) if parent != row]
        if not changed:
            return
        sources = [parents[row] for row in changed]
        shared = min(common_prefix(self.rows[row], self.rows[parents[row]]) for row in changed)
        self._copy(sources, changed, shared)
        self.rows = [self.rows[parent].copy() for parent in parents]

    def extract(self, row: int) -> KVCache:
        """A cache of its own with what a row holds."""
        cache = KVCache(self._layout)
        length = len(self.rows[row])
        cache.reserve(length)
        for target, source in zip(cache.arrays, self.arrays, strict=True):
            target[0, :, :length] = source[row, :, :length]
        cache.token_ids = self.rows[row].copy()
        return cache

    def _copy(self, sources: list[int], targets: list[int], start: int) -> None:
        end = max(len(self.rows[source]) for source in sources)
        for array in self.arrays:
            array[targets, :, start:end] = array[sources, :, start:end]
