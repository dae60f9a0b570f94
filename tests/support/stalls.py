"""Measures how long the window's thread is kept from its events."""

from collections.abc import Callable
from time import perf_counter

from PySide6.QtCore import QTimer

LONGEST_STALL_SECONDS = 0.25
"""Generous, for machines are noisy; 0.05 is what is wanted."""

ATTEMPTS = 3


class StallMeter:
    """Ticks in the window's thread and remembers the longest time between two ticks, in seconds."""

    def __init__(self) -> None:
        self.longest = 0.0
        self._last = perf_counter()
        self._timer = QTimer(interval=1)
        self._timer.timeout.connect(self._tick)
        self._timer.start()

    def stop(self) -> float:
        """End the measuring; gives the longest time."""
        self._timer.stop()
        return self.longest

    def _tick(self) -> None:
        now = perf_counter()
        self.longest = max(self.longest, now - self._last)
        self._last = now


def least_stall(measure: Callable[[], float]) -> float:
    """The shortest of a few longest stalls: a busy machine stalls now and then, a fault of ours every time."""
    least = measure()
    for _ in range(ATTEMPTS - 1):
        if least < LONGEST_STALL_SECONDS:
            break
        least = min(least, measure())
    return least
