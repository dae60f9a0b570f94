"""Work that can wait, done in small steps between the events of the window."""

from collections import deque
from collections.abc import Callable
from time import perf_counter

from PySide6.QtCore import QObject, QTimer

_SLICE_SECONDS = 0.008
_REST_MILLISECONDS = 4


class WorkQueue(QObject):
    """Takes turns among steps; all of them together take one short slice of time, then the window has its turn."""

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self._steps: deque[Callable[[], bool]] = deque()
        self._timer = QTimer(self, singleShot=True, interval=_REST_MILLISECONDS)
        self._timer.timeout.connect(self._work)

    def add(self, step: Callable[[], bool]) -> None:
        """Call `step`, which takes a millisecond or so, until it returns False."""
        self._steps.append(step)
        if not self._timer.isActive():
            self._timer.start()

    def _work(self) -> None:
        ends = perf_counter() + _SLICE_SECONDS
        while self._steps and perf_counter() < ends:
            step = self._steps.popleft()
            if step():
                self._steps.append(step)
        if self._steps:
            self._timer.start()
