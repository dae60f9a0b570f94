"""Work that can wait, done in small steps between the events of the window."""

from collections import deque
from collections.abc import Callable
from time import perf_counter

from PySide6.QtCore import QObject, QTimer

from app.engine_thread import BackgroundTask

_SLICE_SECONDS = 0.008
_REST_MILLISECONDS = 4

Step = Callable[[], bool]


class WorkQueue(QObject):
    """Takes turns among steps; all of them together take one short slice of time, then the window has its turn."""

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self._steps: deque[Step] = deque()
        self._prepared: set[str] = set()
        self._waiting: dict[str, list[Step]] = {}
        self._tasks: dict[str, BackgroundTask[None]] = {}
        self._timer = QTimer(self, singleShot=True, interval=_REST_MILLISECONDS)
        self._timer.timeout.connect(self._work)

    def add(self, step: Step) -> None:
        """Call `step`, which takes a millisecond or so, until it returns False."""
        self._steps.append(step)
        if not self._timer.isActive():
            self._timer.start()

    def add_after(self, name: str, preparation: Callable[[], None], step: Step) -> None:
        """Add a step that needs something which takes too long for the window's thread.

        Args:
            name: What is prepared; done once.
            preparation: Runs on a thread of its own.
            step: As in `add`.
        """
        if name in self._prepared:
            self.add(step)
        elif name in self._waiting:
            self._waiting[name].append(step)
        else:
            self._waiting[name] = [step]
            task: BackgroundTask[None] = BackgroundTask(lambda _report, _cancellation: preparation(), self)
            task.succeeded.connect(lambda _: self._release(name))
            self._tasks[name] = task
            task.start()

    def shut_down(self) -> None:
        """Wait for what is being prepared."""
        for task in list(self._tasks.values()):
            task.shut_down()

    def _release(self, name: str) -> None:
        self._prepared.add(name)
        self._tasks.pop(name).deleteLater()
        for step in self._waiting.pop(name):
            self.add(step)

    def _work(self) -> None:
        ends = perf_counter() + _SLICE_SECONDS
        while self._steps and perf_counter() < ends:
            step = self._steps.popleft()
            if step():
                self._steps.append(step)
        if self._steps:
            self._timer.start()
