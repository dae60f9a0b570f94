"""Where threads meet: results, failures, progress and cancellation come back to the window's own thread."""

import time
from collections.abc import Callable
from pathlib import Path
from threading import Event as Gate
from threading import current_thread

import pytest
from PySide6.QtCore import QObject
from pytestqt.qtbot import QtBot

from app.engine_thread import BackgroundTask, EngineThread, Job
from engine import Cancellation, CancelledError, Event, Finished, GenerationSettings, Message, ModelRunError
from tests.support.scripted_engine import ScriptedEngine

Report = Callable[[int], None]


def job(reply_id: int) -> Job:
    return Job(reply_id, (Message("user", f"question {reply_id}"),), GenerationSettings())


def test_answers_come_one_after_the_other_each_with_its_own_id(qtbot: QtBot) -> None:
    thread = EngineThread(lambda _: ScriptedEngine())
    arrived: list[tuple[int, Event]] = []
    thread.event_arrived.connect(lambda reply_id, event: arrived.append((reply_id, event)))

    thread.load(Path("model"))
    thread.submit(job(7))
    thread.submit(job(8))
    qtbot.waitUntil(lambda: sum(isinstance(event, Finished) for _, event in arrived) == 2)
    thread.shut_down()

    ids = [reply_id for reply_id, _ in arrived]
    assert ids == sorted(ids)
    assert set(ids) == {7, 8}


def test_everything_arrives_on_the_thread_of_the_window(qtbot: QtBot) -> None:
    thread = EngineThread(lambda _: ScriptedEngine())
    threads = []
    thread.event_arrived.connect(lambda *_: threads.append(current_thread()))

    thread.load(Path("model"))
    thread.submit(job(1))
    qtbot.waitUntil(lambda: len(threads) >= 5)
    thread.shut_down()

    assert set(threads) == {current_thread()}


def test_an_answer_that_was_stopped_before_it_began_ends_as_cancelled(qtbot: QtBot) -> None:
    gate = Gate()
    thread = EngineThread(lambda _: ScriptedEngine(answers={"question 1": [gate]}))
    endings: dict[int, str] = {}

    def note(reply_id: int, event: Event) -> None:
        if isinstance(event, Finished):
            endings[reply_id] = event.reason

    thread.event_arrived.connect(note)
    thread.load(Path("model"))
    thread.submit(job(1))
    thread.submit(job(2))
    thread.cancel(2)
    gate.set()
    qtbot.waitUntil(lambda: len(endings) == 2)
    thread.shut_down()

    assert endings == {1: "end", 2: "cancelled"}


def test_stopping_an_answer_that_has_ended_does_nothing(qtbot: QtBot) -> None:
    thread = EngineThread(lambda _: ScriptedEngine())
    ended = []
    thread.event_arrived.connect(lambda _, event: ended.append(event) if isinstance(event, Finished) else None)

    thread.load(Path("model"))
    thread.submit(job(1))
    qtbot.waitUntil(lambda: bool(ended))
    thread.cancel(1)
    thread.cancel(99)
    thread.submit(job(2))
    qtbot.waitUntil(lambda: len(ended) == 2)
    thread.shut_down()

    assert [event.reason for event in ended] == ["end", "end"]


def test_a_question_without_a_model_fails_with_a_sentence(qtbot: QtBot) -> None:
    thread = EngineThread(lambda _: ScriptedEngine())

    with qtbot.waitSignal(thread.failed) as failure:
        thread.submit(job(3))
    thread.shut_down()

    assert failure.args is not None
    assert failure.args[0] == 3
    assert "No model is loaded" in str(failure.args[1])


def test_shutting_down_stops_what_runs_and_waits_for_it(qtbot: QtBot) -> None:
    thread = EngineThread(lambda _: ScriptedEngine(["said", Gate()]))
    arrived: list[Event] = []
    thread.event_arrived.connect(lambda _, event: arrived.append(event))
    thread.load(Path("model"))
    thread.submit(job(1))
    qtbot.waitUntil(lambda: len(arrived) >= 4)

    thread.shut_down()

    assert isinstance(arrived[-1], Finished)
    assert arrived[-1].reason == "cancelled"


@pytest.fixture
def owner(qtbot: QtBot) -> QObject:  # noqa: ARG001 - needs the application
    """The owner of a task."""
    return QObject()


def test_a_task_brings_its_progress_and_its_result(qtbot: QtBot, owner: QObject) -> None:
    def count(report: Report, _: Cancellation) -> str:
        report(1)
        report(2)
        return "done"

    task: BackgroundTask[int] = BackgroundTask(count, owner)
    progress: list[int] = []
    task.progressed.connect(progress.append)
    with qtbot.waitSignal(task.succeeded) as success:
        task.start()

    assert progress == [1, 2]
    assert success.args == ["done"]


def test_a_cancelled_task_fails_as_cancelled(qtbot: QtBot, owner: QObject) -> None:
    def wait(_: Report, cancellation: Cancellation) -> None:
        while True:
            time.sleep(0.001)
            cancellation.raise_if_requested()

    task: BackgroundTask[int] = BackgroundTask(wait, owner)
    task.start()
    with qtbot.waitSignal(task.failed) as failure:
        task.cancel()

    assert failure.args is not None
    assert isinstance(failure.args[0], CancelledError)


def test_a_fault_in_a_task_is_a_sentence_and_a_stack_trace_in_the_log(
    qtbot: QtBot, owner: QObject, caplog: pytest.LogCaptureFixture
) -> None:
    def divide(_: Report, __: Cancellation) -> float:
        return 1 / 0

    task: BackgroundTask[int] = BackgroundTask(divide, owner)
    with qtbot.waitSignal(task.failed) as failure:
        task.start()

    assert failure.args is not None
    assert isinstance(failure.args[0], ModelRunError)
    assert "ZeroDivisionError" in str(failure.args[0])
    assert "Traceback" in caplog.text


def test_shutting_a_task_down_waits_for_it(owner: QObject) -> None:
    ended = Gate()

    def wait(_: Report, cancellation: Cancellation) -> None:
        while not cancellation.requested:
            time.sleep(0.001)
        ended.set()

    task: BackgroundTask[int] = BackgroundTask(wait, owner)
    task.start()
    task.shut_down()

    assert ended.is_set()
