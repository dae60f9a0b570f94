"""One process at a time: a lock that ends with the process, however it ends."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from engine.errors import SixpaneError


@contextmanager
def exclusive(path: Path, busy: SixpaneError) -> Iterator[None]:
    """Hold a lock file for the length of a block.

    Args:
        path: The lock file; it is made if need be, and stays, since removing it would let two processes lock two files.
        busy: What is raised where another process, or another thread, holds the lock.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("ab") as file:
        try:
            _lock(file.fileno())
        except (BlockingIOError, PermissionError) as error:
            raise busy from error
        yield


if sys.platform == "win32":
    import msvcrt

    def _lock(descriptor: int) -> None:
        msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)

else:
    import fcntl

    def _lock(descriptor: int) -> None:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
