"""What can go wrong with the file of the history, as sentences for the person."""

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from engine import SixpaneError


class HistoryError(SixpaneError):
    """The history cannot be opened, read or written; what is in the file stays as it is."""


class DamagedHistoryError(HistoryError):
    """The file is no database or a part of it is damaged; it can be moved aside."""


@contextmanager
def sentences(path: Path) -> Iterator[None]:
    """Turn SQLite's errors into sentences.

    Raises:
        HistoryError: Whatever SQLite raised inside.
    """
    try:
        yield
    except sqlite3.Error as error:
        raise _sentence(error, path) from error
    except OSError as error:
        raise HistoryError(
            "The history {path} cannot be opened: {reason}.", path=path, reason=error.strerror or error
        ) from error


def _sentence(error: sqlite3.Error, path: Path) -> HistoryError:
    # The lower byte is the primary code; the rest says more than the person needs.
    match getattr(error, "sqlite_errorcode", sqlite3.SQLITE_ERROR) & 0xFF:
        case sqlite3.SQLITE_BUSY | sqlite3.SQLITE_LOCKED:
            return HistoryError("Sixpane is already open with this history; use that window or close it.")
        case sqlite3.SQLITE_NOTADB | sqlite3.SQLITE_CORRUPT:
            return DamagedHistoryError("The history {path} is damaged or is not a history of Sixpane.", path=path)
        case sqlite3.SQLITE_FULL:
            return HistoryError("The disk is full, so the history cannot be saved; free some space and try again.")
        case sqlite3.SQLITE_READONLY | sqlite3.SQLITE_CANTOPEN | sqlite3.SQLITE_PERM:
            return HistoryError(
                "The history {path} cannot be written; check the rights of the file and folder.", path=path
            )
        case _:
            return HistoryError(
                "The history {path} cannot be used: {reason}.", path=path, reason=str(error).rstrip(".")
            )
