"""The window never waits for the engine."""

from time import perf_counter

import pytest
from PySide6.QtCore import QTimer

from tests.app.window.conftest import OpenWindow
from tests.support.scripted_engine import ScriptedEngine

PIECES = 5000
LONGEST_STALL_SECONDS = 0.25
"""Generous, for machines are noisy; 0.05 is what is wanted."""


class StallMeter:
    """Ticks in the window's thread and remembers the longest time between two ticks."""

    def __init__(self) -> None:
        self.longest = 0.0
        self._last = perf_counter()
        self._timer = QTimer(interval=1)
        self._timer.timeout.connect(self._tick)
        self._timer.start()

    def _tick(self) -> None:
        now = perf_counter()
        self.longest = max(self.longest, now - self._last)
        self._last = now


def test_the_window_stays_responsive_while_5000_pieces_stream(
    open_sixpane: OpenWindow, capsys: pytest.CaptureFixture[str]
) -> None:
    lines = ["## 标题 ", "some *text* with `code`, ", "中文内容，", "\n\n```python\nprint(1)\n```\n\n", "- item\n"]
    pieces = [lines[number % len(lines)] for number in range(PIECES)]
    person = open_sixpane(ScriptedEngine(pieces))

    meter = StallMeter()
    started = perf_counter()
    person.ask("flood")
    person.wait_until_answered(timeout=60_000)

    took = perf_counter() - started
    with capsys.disabled():
        print(f"\nlongest stall {meter.longest * 1000:.0f} ms while {PIECES} pieces streamed in {took:.1f} s")
    assert meter.longest < LONGEST_STALL_SECONDS
