"""Work that can wait leaves the window its turns."""

import threading
from collections.abc import Iterator

import pytest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from app.conversation_view.work_queue import WorkQueue


@pytest.fixture
def queue(qapp: QApplication) -> Iterator[WorkQueue]:
    result = WorkQueue(qapp)
    yield result
    result.shut_down()


def test_a_step_is_called_until_it_has_nothing_left(queue: WorkQueue, qtbot: QtBot) -> None:
    left = [3, 2, 1]

    queue.add(lambda: bool(left.pop()) and bool(left))

    qtbot.waitUntil(lambda: not left)


def test_a_preparation_runs_once_beside_the_window_and_before_its_steps(queue: WorkQueue, qtbot: QtBot) -> None:
    happened: list[tuple[str, bool]] = []

    def note(what: str) -> bool:
        happened.append((what, threading.current_thread() is threading.main_thread()))
        return False

    def prepare() -> None:
        note("prepared")

    queue.add_after("rules", prepare, lambda: note("first"))
    queue.add_after("rules", prepare, lambda: note("second"))
    qtbot.waitUntil(lambda: len(happened) == 3)
    queue.add_after("rules", prepare, lambda: note("third"))
    qtbot.waitUntil(lambda: len(happened) == 4)

    assert happened == [("prepared", False), ("first", True), ("second", True), ("third", True)]


def test_shutting_down_waits_for_what_is_being_prepared(queue: WorkQueue) -> None:
    started, release, done = threading.Event(), threading.Event(), threading.Event()

    def prepare() -> None:
        started.set()
        release.wait(5)
        done.set()

    queue.add_after("slow", prepare, lambda: False)
    started.wait(5)
    threading.Timer(0.1, release.set).start()
    queue.shut_down()

    assert done.is_set()
