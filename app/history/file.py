"""The file of the history: looked at before it is touched, locked while it is open, moved aside if it is damaged.

Why a write-ahead log under an exclusive lock: a commit costs one `fsync`, where a rollback journal needs several, and
commits happen on the window's thread. A log that two connections write can damage the file in SQLite before 3.51.3;
under the exclusive lock there is no second connection.
"""

import os
import sqlite3
import time
from collections.abc import Callable
from contextlib import closing
from datetime import datetime
from pathlib import Path

from app.history.errors import DamagedHistoryError, cannot_be_written, sentences

_SIDE_FILES = ("-wal", "-shm", "-journal")
_OUR_TABLES = {"conversations", "messages"}


def peek(path: Path) -> int:
    """Read the version of the layout without a lock and without changing a byte.

    Raises:
        DamagedHistoryError: The file is a database of another program.
        sqlite3.Error: It is no database, or cannot be read.
    """
    log, journal = (path.with_name(path.name + side) for side in ("-wal", "-journal"))
    if not path.exists() or journal.exists():
        # Where a program was killed in the middle of a write, the file counts only after SQLite has undone it.
        return 0
    with closing(sqlite3.connect(f"{path.absolute().as_uri()}?immutable=1", uri=True)) as connection:
        # Where a program was killed while it wrote its log back, the file is shorter than its head says; this setting
        # has SQLite read the head all the same.
        connection.execute("PRAGMA writable_schema = ON")
        if not log.exists():
            refuse_foreign(connection, path)
        return version_of(connection)


def refuse_foreign(connection: sqlite3.Connection, path: Path) -> None:
    """Leave alone what another program keeps in this file.

    Raises:
        DamagedHistoryError: There are tables, but not ours.
    """
    tables = {name for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
    if tables and not tables >= _OUR_TABLES:
        raise DamagedHistoryError("The history {path} is damaged or is not a history of Sixpane.", path=path)


def version_of(connection: sqlite3.Connection) -> int:
    """The number of the last step that was applied to the layout; 0 for a new file."""
    version: int = connection.execute("PRAGMA user_version").fetchone()[0]
    return version


def connect_and_lock(path: Path) -> sqlite3.Connection:
    """Open the file, or make it for this person alone, and keep every other process out.

    Raises:
        DamagedHistoryError: The log of a killed program shows that the file is that of another one.
        HistoryError: The file is read-only.
        OSError: The folder or the file cannot be made.
        sqlite3.Error: Another process has it, or it cannot be written.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    path.touch(mode=0o600)
    if not os.access(path, os.W_OK):
        # SQLite would open it for reading, and call it a fault of the disk that it cannot be locked.
        raise cannot_be_written(path)
    connection = sqlite3.connect(path, timeout=1)
    try:
        # In this order SQLite keeps the log's index in its own memory, and never makes a file for sharing it.
        connection.execute("PRAGMA locking_mode = EXCLUSIVE")
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("PRAGMA synchronous = FULL")
        connection.execute("PRAGMA foreign_keys = ON")
        connection.execute("BEGIN EXCLUSIVE")
        connection.execute("COMMIT")
        refuse_foreign(connection, path)
    except BaseException:
        connection.close()
        raise
    return connection


def back_up(connection: sqlite3.Connection, path: Path, version: int, now: float) -> None:
    """Copy the open history beside its file; a copy that cannot be completed leaves nothing behind."""
    copy = free_name(path, f"version-{version}", now, ".backup.sqlite3")
    part = copy.with_name(copy.name + ".part")
    try:
        with closing(sqlite3.connect(part)) as target:
            connection.backup(target)
        part.replace(copy)
    finally:
        part.unlink(missing_ok=True)


def move_aside(path: Path, clock: Callable[[], float] = time.time) -> Path:
    """Give a history that cannot be opened another name, untouched, so that a fresh one can begin.

    Returns:
        Where it is now.

    Raises:
        HistoryError: The folder cannot be written.
    """
    aside = free_name(path, "damaged", clock(), path.suffix)
    with sentences(path):
        # The file itself comes last: a fresh one must never meet the log of another.
        for side in (*_SIDE_FILES, ""):
            if (old := path.with_name(path.name + side)).exists():
                old.rename(aside.with_name(aside.name + side))
    return aside


def free_name(path: Path, word: str, now: float, suffix: str) -> Path:
    """A dated name beside the file that nothing has yet."""
    stamp = datetime.fromtimestamp(now).strftime("%Y%m%d-%H%M%S")
    name = path.with_name(f"{path.stem}.{word}-{stamp}{suffix}")
    number = 1
    while any(name.with_name(name.name + side).exists() for side in ("", *_SIDE_FILES)):
        number += 1
        name = path.with_name(f"{path.stem}.{word}-{stamp}-{number}{suffix}")
    return name
