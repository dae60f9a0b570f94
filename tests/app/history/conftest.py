"""A history in a fresh file."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from app.history import History


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "history.sqlite3"


@pytest.fixture
def history(path: Path) -> Iterator[History]:
    history = History.open(path)
    yield history
    history.close()
