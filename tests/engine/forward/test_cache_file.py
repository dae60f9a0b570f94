"""A cache on the disk: comes back bit by bit, or not at all."""

from pathlib import Path

import numpy as np
import pytest

from engine.errors import CacheFileError
from engine.forward.cache_file import load_cache, save_cache
from engine.forward.kv_cache import CacheLayout, KVCache

LAYOUT = CacheLayout(layers=2, kv_heads=3, head_size=4)
TOKENS = 50


@pytest.fixture
def cache() -> KVCache:
    cache = KVCache(LAYOUT)
    cache.reserve(TOKENS)
    random = np.random.default_rng(0)
    for array in cache.arrays:
        array[:] = random.standard_normal(array.shape)
    cache.token_ids += range(TOKENS)
    return cache


@pytest.fixture
def path(tmp_path: Path, cache: KVCache) -> Path:
    save_cache(cache, "model", tmp_path / "chat.cache")
    return tmp_path / "chat.cache"


def test_what_was_saved_comes_back_bit_by_bit(cache: KVCache, path: Path) -> None:
    loaded = load_cache(LAYOUT, "model", path)

    assert loaded is not None
    assert loaded.token_ids == cache.token_ids
    for ours, theirs in zip(loaded.arrays, cache.arrays, strict=True):
        assert np.array_equal(ours[:, :, :TOKENS], theirs[:, :, :TOKENS])


def test_of_a_conversation_that_is_too_long_the_beginning_is_kept(cache: KVCache, tmp_path: Path) -> None:
    save_cache(cache, "model", tmp_path / "chat.cache", largest=20 * (LAYOUT.token_bytes + 8) + 7)

    loaded = load_cache(LAYOUT, "model", tmp_path / "chat.cache")
    assert loaded is not None
    assert loaded.token_ids == cache.token_ids[:20]


@pytest.mark.parametrize(
    ("layout", "model_hash"), [(LAYOUT, "another"), (CacheLayout(2, 4, 3), "model"), (CacheLayout(1, 3, 4), "model")]
)
def test_a_file_of_another_model_is_ignored(path: Path, layout: CacheLayout, model_hash: str) -> None:
    assert load_cache(layout, model_hash, path) is None


def test_a_cut_file_is_ignored_wherever_it_ends(path: Path) -> None:
    whole = path.read_bytes()
    for length in (0, 1, 60, len(whole) // 2, len(whole) - 33, len(whole) - 1):
        path.write_bytes(whole[:length])

        assert load_cache(LAYOUT, "model", path) is None


def test_an_altered_file_is_ignored_wherever_it_was_altered(path: Path) -> None:
    whole = path.read_bytes()
    for position in np.random.default_rng(1).integers(0, len(whole), 300):
        path.write_bytes(whole[:position] + bytes([whole[position] ^ 1]) + whole[position + 1 :])

        assert load_cache(LAYOUT, "model", path) is None


@pytest.mark.parametrize(
    "content", [b"", b"\n", b"[]\n", b"{}\n", b'{"tokens": null}\n', b'{"tokens": -1}\n', b"\xff" * 5000]
)
def test_what_is_no_cache_is_ignored(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "chat.cache").write_bytes(content)

    assert load_cache(LAYOUT, "model", tmp_path / "chat.cache") is None


def test_a_missing_file_is_ignored(tmp_path: Path) -> None:
    assert load_cache(LAYOUT, "model", tmp_path / "chat.cache") is None


def test_a_failure_leaves_the_old_file_and_nothing_else(
    path: Path, cache: KVCache, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = path.read_bytes()
    cache.rewind(10)

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "replace", full)
    with pytest.raises(CacheFileError, match="No space left"):
        save_cache(cache, "model", path)

    assert path.read_bytes() == before
    assert list(path.parent.iterdir()) == [path]
