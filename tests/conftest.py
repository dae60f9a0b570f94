"""Fixtures for every test: no test opens a connection unless it says so."""

import os
import socket
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest


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
def starter_gguf() -> Path:
    """The English starter's weights, in the folder that SIXPANE_TEST_MODELS names."""
    folder = os.environ.get("SIXPANE_TEST_MODELS")
    if not folder:
        pytest.skip("SIXPANE_TEST_MODELS names no folder with the starter models")
    return Path(folder) / "SmolLM2-135M-Instruct.Q4_1.gguf"
