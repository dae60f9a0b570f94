"""The one file where threads meet: the engine's thread, long operations beside it, and what comes back from them.

Threads put what they have to say into a queue, and a timer of the window takes it out about thirty times a second. So
a flood of tokens can never flood the window, and every signal here is emitted on the window's own thread.
"""

import logging
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from queue import Empty, SimpleQueue
from time import perf_counter
from typing import Generic, TypeVar

from PySide6.QtCore import QObject, QThread, QTimer, Signal

from engine import Cancellation, ChatEngine, GenerationSettings, Message, ModelRunError, SixpaneError

SWITCH_SECONDS = 0.0005
"""How long a thread may keep the interpreter while another waits.

Qt's functions give the interpreter up, and the window's thread waits this long to have it again, many times in one
drawing; with Python's 5 ms a busy thread beside it makes stalls of a quarter of a second.
"""

DRAIN_MILLISECONDS = 33
DRAIN_BUDGET_SECONDS = 0.006
"""What is not delivered in this time waits for the next turn, so that the window is never kept longer."""

Report = TypeVar("Report")

log = logging.getLogger(__name__)


def favour_the_window() -> None:
    """Let the window's thread have the interpreter soon, whatever the others do."""
    sys.setswitchinterval(SWITCH_SECONDS)


@dataclass(frozen=True, slots=True)
class Job:
    """An answer to make.

    Attributes:
        reply_id: The message row that the answer fills; everything that comes back carries it.
        conversation: The messages that go in, the question last.
        settings: How tokens are chosen.
    """

    reply_id: int
    conversation: tuple[Message, ...]
    settings: GenerationSettings


Notice = tuple[Callable[..., None], tuple[object, ...]]
"""A signal's emit and what it carries, to be called on the window's thread."""


class Outbox(QObject):
    """Carries notices from a thread to the window's thread, where this object lives."""

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self._notices: SimpleQueue[Notice] = SimpleQueue()
        self._timer = QTimer(self, interval=DRAIN_MILLISECONDS)
        self._timer.timeout.connect(lambda: self._deliver(DRAIN_BUDGET_SECONDS))

    def start(self) -> None:
        """Begin to look for notices."""
        self._timer.start()

    def stop(self) -> None:
        """Deliver what is there and look no more; a window at rest costs nothing."""
        self._timer.stop()
        self._deliver(float("inf"))

    def put(self, emit: Callable[..., None], *values: object) -> None:
        """Leave a notice; from any thread."""
        self._notices.put((emit, values))

    def _deliver(self, budget_seconds: float) -> None:
        deadline = perf_counter() + budget_seconds
        while perf_counter() < deadline:
            try:
                emit, values = self._notices.get_nowait()
            except Empty:
                return
            emit(*values)


class EngineThread(QObject):
    """Owns the thread on which the engine loads models and answers, one request after the other.

    Args:
        load: Loads the engine of a model folder; runs on that thread.
        parent: The owner.
    """

    loaded = Signal(object, object)
    """The folder of a model and its engine, which is ready; only its manifest and device may be looked at."""

    load_failed = Signal(object, object)
    """The folder of a model and the `SixpaneError` that says why it could not be loaded."""

    event_arrived = Signal(int, object)
    """The id of a reply and the next `Event` of it."""

    failed = Signal(int, object)
    """The id of a reply and the `SixpaneError` that ended it."""

    def __init__(self, load: Callable[[Path], ChatEngine], parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._outbox = Outbox(self)
        self._cancellations: dict[int, Cancellation] = {}
        self._open_requests = 0
        self._worker = _EngineWorker(load, self)
        self._worker.start()

    def load(self, folder: Path) -> None:
        """Load a model in place of the one before."""
        self._request(lambda: self._worker.load(folder))

    def submit(self, job: Job) -> None:
        """Make an answer, after those that were asked for before."""
        cancellation = self._cancellations[job.reply_id] = Cancellation()
        self._request(lambda: self._worker.answer(job, cancellation))

    def cancel(self, reply_id: int) -> None:
        """Stop an answer, also one that has not begun; its `Finished` event still comes."""
        if reply_id in self._cancellations:
            self._cancellations[reply_id].cancel()

    def shut_down(self) -> None:
        """Stop everything and wait for the thread; what was said until then is still delivered."""
        for cancellation in self._cancellations.values():
            cancellation.cancel()
        self._worker.requests.put(None)
        self._worker.wait()
        self._outbox.stop()

    def post(self, emit: Callable[..., None], *values: object) -> None:
        """Leave a notice for the window; called by the worker."""
        self._outbox.put(emit, *values)

    def request_done(self) -> None:
        """A request was worked off; called by way of the outbox."""
        self._open_requests -= 1
        if not self._open_requests:
            self._outbox.stop()

    def answer_done(self, reply_id: int) -> None:
        """An answer ended; called by way of the outbox."""
        del self._cancellations[reply_id]

    def _request(self, request: Callable[[], None]) -> None:
        self._open_requests += 1
        self._outbox.start()
        self._worker.requests.put(request)


class _EngineWorker(QThread):
    """Works off requests; everything but the queue belongs to this thread alone."""

    def __init__(self, load: Callable[[Path], ChatEngine], owner: EngineThread) -> None:
        super().__init__(owner)
        self.requests: SimpleQueue[Callable[[], None] | None] = SimpleQueue()
        self._load = load
        self._owner = owner
        self._engine: ChatEngine | None = None

    def run(self) -> None:
        while (request := self.requests.get()) is not None:
            request()
            self._owner.post(self._owner.request_done)

    def load(self, folder: Path) -> None:
        # The old model's memory is free before the new one needs its own.
        self._engine = None
        try:
            self._engine = self._load(folder)
        except Exception as error:
            self._owner.post(self._owner.load_failed.emit, folder, as_sentence(error))
        else:
            self._owner.post(self._owner.loaded.emit, folder, self._engine)

    def answer(self, job: Job, cancellation: Cancellation) -> None:
        try:
            if self._engine is None:
                raise ModelRunError("No model is loaded, so this cannot be answered; choose another model.")
            for event in self._engine.generate(job.conversation, job.settings, cancellation):
                self._owner.post(self._owner.event_arrived.emit, job.reply_id, event)
        except Exception as error:
            self._owner.post(self._owner.failed.emit, job.reply_id, as_sentence(error))
        self._owner.post(self._owner.answer_done, job.reply_id)


class BackgroundTask(QObject, Generic[Report]):
    """Runs one long operation beside the window and brings its result back.

    Args:
        operation: Is given a function for progress and a cancellation; runs on a thread of its own.
        parent: The owner.
    """

    progressed = Signal(object)
    """Whatever the operation reported."""

    succeeded = Signal(object)
    """What the operation returned."""

    failed = Signal(object)
    """The `SixpaneError` that ended it, a `CancelledError` if it was cancelled."""

    def __init__(self, operation: Callable[[Callable[[Report], None], Cancellation], object], parent: QObject) -> None:
        super().__init__(parent)
        self._operation = operation
        self._cancellation = Cancellation()
        self._outbox = Outbox(self)
        self._thread = _TaskThread(self)

    def start(self) -> None:
        """Begin; once."""
        self._outbox.start()
        self._thread.start()

    def cancel(self) -> None:
        """Ask the operation to end; `failed` still comes."""
        self._cancellation.cancel()

    def shut_down(self) -> None:
        """End the operation and wait for its thread."""
        self.cancel()
        self._thread.wait()
        self._outbox.stop()

    def execute(self) -> None:
        """Run the operation; called by the thread."""
        try:
            result = self._operation(self._report, self._cancellation)
        except Exception as error:
            self._outbox.put(self._end, self.failed.emit, as_sentence(error))
        else:
            self._outbox.put(self._end, self.succeeded.emit, result)

    def _report(self, progress: Report) -> None:
        self._outbox.put(self.progressed.emit, progress)

    def _end(self, emit: Callable[[object], None], value: object) -> None:
        self._thread.wait()
        self._outbox.stop()
        emit(value)


class _TaskThread(QThread):
    """The thread of one background task."""

    def __init__(self, task: BackgroundTask[Report]) -> None:
        super().__init__(task)
        self._execute = task.execute

    def run(self) -> None:
        self._execute()


def as_sentence(error: Exception) -> SixpaneError:
    """What the person is told of a failure; a fault of ours goes to the log with its stack trace."""
    if isinstance(error, SixpaneError):
        log.info("%s", error, exc_info=error.__cause__)
        return error
    log.error("unexpected failure", exc_info=error)
    return ModelRunError(
        "Something went wrong inside Sixpane ({kind}); the log has the details.", kind=type(error).__name__
    )
