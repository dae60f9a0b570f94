"""Full garbage collections wait until nothing streams."""

import gc
import weakref
from collections.abc import Iterator

import pytest
from pytestqt.qtbot import QtBot

from app.idle_collection import IDLE_MILLISECONDS
from tests.app.window.conftest import OpenWindow
from tests.support.scripted_engine import ScriptedEngine


@pytest.fixture
def full_collections() -> Iterator[list[int]]:
    """Grows by one with every full collection."""
    seen: list[int] = []

    def note(phase: str, info: dict[str, int]) -> None:
        if phase == "start" and info["generation"] == 2:
            seen.append(1)

    gc.callbacks.append(note)
    yield seen
    gc.callbacks.remove(note)


class Cycle:
    """Garbage that only a collection finds."""

    def __init__(self) -> None:
        self.itself = self


def test_no_full_collection_happens_while_an_answer_streams(
    open_sixpane: OpenWindow, full_collections: list[int]
) -> None:
    person = open_sixpane(ScriptedEngine(["word "] * 300))
    full_collections.clear()

    person.ask("go on")
    kept = [[Cycle() for _ in range(1000)] for _ in range(300)]
    person.wait_until_answered()

    assert len(kept) == 300
    assert not full_collections


def test_garbage_is_collected_when_the_window_rests(open_sixpane: OpenWindow, qtbot: QtBot) -> None:
    person = open_sixpane()
    cycle = Cycle()
    lost = weakref.ref(cycle)
    gc.collect()
    del cycle
    gc.collect(1)
    assert lost() is not None
    person.ask("hello")
    person.wait_until_answered()

    qtbot.waitUntil(lambda: lost() is None, timeout=3 * IDLE_MILLISECONDS)


def test_a_closed_window_leaves_the_collections_to_python(open_sixpane: OpenWindow) -> None:
    before = gc.get_threshold()
    person = open_sixpane()
    during = gc.get_threshold()
    person.closes_the_window()

    assert during != before
    assert gc.get_threshold() == before
