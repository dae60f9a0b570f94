"""Fixtures for every test: no connection unless the test says so, and the real starter model."""

import os
import socket
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from app.paths import Paths
from engine import Cancellation, ModelStore, find_starter
from engine.models.download import download_starter

# No test opens a window on somebody's screen; the one that needs a real window has a screen of its own.
os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")


@pytest.fixture(autouse=True)
def no_connections(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Fail a test that connects a socket to anything but a local pipe, unless it carries the mark `network`."""
    if request.node.get_closest_marker("network"):
        yield
        return
    attempts: list[object] = []
    real_connect = socket.socket.connect

    def connect(self: socket.socket, address: Any) -> None:
        if self.family in (socket.AF_INET, socket.AF_INET6):
            attempts.append(address)
            raise ConnectionRefusedError(f"this test may not connect to {address}")
        real_connect(self, address)

    monkeypatch.setattr(socket.socket, "connect", connect)
    yield
    assert not attempts, f"the test opened connections without the mark `network`: {attempts}"


@pytest.fixture(scope="session")
def starter_gguf(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The GGUF file of the small starter: from the folder SIXPANE_TEST_MODELS, or fetched once for all tests."""
    starter = find_starter("smollm2")
    if folder := os.environ.get("SIXPANE_TEST_MODELS"):
        return Path(folder) / starter.file
    return download_starter(starter, tmp_path_factory.mktemp("downloads"), lambda _: None, Cancellation())


@pytest.fixture(scope="session")
def starter_home(starter_gguf: Path, tmp_path_factory: pytest.TempPathFactory) -> Paths:
    """A home in which the small starter is installed; converted once for all tests, so nobody may change it."""
    paths = Paths(tmp_path_factory.mktemp("home"))
    ModelStore(paths.models).import_gguf(starter_gguf, "int8", lambda _: None, Cancellation())
    return paths


@pytest.fixture(scope="session")
def starter_folder(starter_home: Paths) -> Path:
    """The model folder of the small starter, INT8."""
    (model,) = ModelStore(starter_home.models).list()
    return model.path
