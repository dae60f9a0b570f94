"""Wheels, a package index on this machine, and a pip that knows no other."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.package_index import PackageIndex


@pytest.fixture
def pip_settings(monkeypatch: pytest.MonkeyPatch) -> pytest.MonkeyPatch:
    """Take this machine's settings away from pip; what the test sets is all it knows."""
    for name in [name for name in os.environ if name.upper().startswith("PIP_") or name.lower().endswith("_proxy")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("PIP_CONFIG_FILE", os.devnull)
    monkeypatch.setenv("PIP_RETRIES", "0")
    monkeypatch.setenv("PIP_INDEX_URL", "http://127.0.0.1:9/simple")
    return monkeypatch


@pytest.fixture
def wheels(tmp_path: Path) -> Path:
    """The folder of wheels that the index serves."""
    return tmp_path / "wheels"


@pytest.fixture
def index(wheels: Path, pip_settings: pytest.MonkeyPatch) -> Iterator[PackageIndex]:
    """A running index, which is pip's only one."""
    with PackageIndex(wheels) as running:
        pip_settings.setenv("PIP_INDEX_URL", running.address)
        yield running
