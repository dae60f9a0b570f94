"""The cache of a conversation on the disk, so that a long chat need not be read again when it is reopened.

A file is a line of JSON (what it is and for which model), the token ids as int64, keys and values layer by layer as
(kv_heads, tokens, head_size), and the SHA-256 of all that. Numbers are little-endian.
"""

import json
import os
from contextlib import suppress
from hashlib import sha256
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import Any

import numpy as np

from engine.errors import CacheFileError
from engine.forward.kv_cache import CacheLayout, KVCache

FORMAT = "sixpane cache 1"
LARGEST_FILE = 512 * 2**20
"""Bytes that a file takes at most; of a longer conversation the beginning is kept."""

LONGEST_HEADER = 1024
DIGEST_BYTES = 32
TOKEN_ID = np.dtype("<i8")


def save_cache(cache: KVCache, model_hash: str, path: Path, largest: int = LARGEST_FILE) -> None:
    """Write what a cache holds, whole or not at all.

    Args:
        cache: The cache of one conversation.
        model_hash: The hash of the model that has read it.
        path: The file; one that is there is replaced.
        largest: The most bytes for token ids, keys and values.

    Raises:
        CacheFileError: The file cannot be written.
    """
    layout = cache.layout
    length = min(len(cache.token_ids), largest // (layout.token_bytes + TOKEN_ID.itemsize))
    temporary = None
    try:
        with NamedTemporaryFile(dir=path.parent, prefix=f".{path.name}.", delete=False) as file:
            temporary = Path(file.name)
            digest = sha256()
            for part in (_header(layout, model_hash, length), np.array(cache.token_ids[:length], TOKEN_ID).tobytes()):
                file.write(part)
                digest.update(part)
            for array in cache.arrays:
                content = np.ascontiguousarray(array[0, :, :length]).data
                file.write(content)
                digest.update(content)
            file.write(digest.digest())
        temporary.replace(path)
    except OSError as error:
        if temporary:
            with suppress(OSError):
                temporary.unlink()
        raise CacheFileError(
            "What the model has read of this conversation cannot be kept on the disk ({reason}).",
            reason=error.strerror or error,
        ) from error


def load_cache(layout: CacheLayout, model_hash: str, path: Path) -> KVCache | None:
    """Read a file that `save_cache` has written for this model.

    Returns:
        The cache, or None where there is no such file, or it is cut, altered or of another model: the conversation is
        then read again, and nothing is lost.
    """
    try:
        with path.open("rb") as file:
            header = file.readline(LONGEST_HEADER)
            length = int(json.loads(header)["tokens"])
            content_bytes = length * (layout.token_bytes + TOKEN_ID.itemsize)
            expected = len(header) + content_bytes + DIGEST_BYTES
            if header != _header(layout, model_hash, length) or os.fstat(file.fileno()).st_size != expected:
                return None
            cache, digest = _read(file, layout, length, sha256(header))
            return cache if digest == file.read() else None
    except (OSError, ValueError, TypeError, KeyError):
        return None


def _header(layout: CacheLayout, model_hash: str, length: int) -> bytes:
    values = {
        "format": FORMAT,
        "model": model_hash,
        "layers": layout.layers,
        "kv_heads": layout.kv_heads,
        "head_size": layout.head_size,
        "dtype": np.dtype(layout.dtype).str,
        "tokens": length,
    }
    return json.dumps(values).encode() + b"\n"


def _read(file: Any, layout: CacheLayout, length: int, digest: Any) -> tuple[KVCache, bytes]:
    cache = KVCache(layout)
    cache.reserve(length)
    token_ids = np.empty(length, TOKEN_ID)
    _fill(file, token_ids, digest)
    content = np.empty((layout.kv_heads, length, layout.head_size), layout.dtype)
    for array in cache.arrays:
        _fill(file, content, digest)
        array[0, :, :length] = content
    cache.token_ids = token_ids.tolist()
    return cache, digest.digest()


def _fill(file: Any, array: np.ndarray[Any, Any], digest: Any) -> None:
    if file.readinto(array.data.cast("B")) != array.nbytes:
        raise ValueError("the file became shorter while it was read")
    digest.update(array.data)
