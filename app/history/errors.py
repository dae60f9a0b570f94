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
    """Turn what the disk, the file or another process is the reason of into sentences; faults of ours pass unchanged.

    Raises:
        HistoryError: SQLite or the system could not do what it was asked for inside.
    """
    try:
        yield
    except sqlite3.Error as error:
        # Without a code the connection is closed: a view that asks once more after the end is no fault.
        code = getattr(error, "sqlite_errorcode", 0) & _PRIMARY_CODE
        if code in _OUR_FAULTS:
            raise
        raise _sentence(code, error, path) from error
    except OSError as error:
        raise HistoryError(
            "The history {path} cannot be opened: {reason}.", path=path, reason=error.strerror or error
        ) from error


# The lower byte of a code; the rest says more than the person needs.
_PRIMARY_CODE = 0xFF

_OUR_FAULTS = {
    sqlite3.SQLITE_ERROR,
    sqlite3.SQLITE_CONSTRAINT,
    sqlite3.SQLITE_MISMATCH,
    sqlite3.SQLITE_MISUSE,
    sqlite3.SQLITE_RANGE,
}


def _sentence(code: int, error: sqlite3.Error, path: Path) -> HistoryError:
    match code:
        case sqlite3.SQLITE_BUSY | sqlite3.SQLITE_LOCKED:
            return HistoryError("Sixpane is already open with this history; use that window or close it.")
        case sqlite3.SQLITE_NOTADB | sqlite3.SQLITE_CORRUPT:
            return DamagedHistoryError("The history {path} is damaged or is not a history of Sixpane.", path=path)
        case sqlite3.SQLITE_FULL:
            return HistoryError("The disk is full, so the history cannot be saved; free some space and try again.")
        case sqlite3.SQLITE_READONLY | sqlite3.SQLITE_CANTOPEN | sqlite3.SQLITE_PERM:
            return cannot_be_written(path)
        case _:
            return HistoryError(
                "The history {path} cannot be used: {reason}.", path=path, reason=str(error).rstrip(".")
            )


def cannot_be_written(path: Path) -> HistoryError:
    """The rights of the file or of its folder keep the program out."""
    return HistoryError("The history {path} cannot be written; check the rights of the file and folder.", path=path)
