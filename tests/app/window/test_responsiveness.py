"""The window never waits for the engine."""

from time import perf_counter

import pytest

from tests.app.window.conftest import OpenWindow
from tests.support.scripted_engine import ScriptedEngine
from tests.support.stalls import LONGEST_STALL_SECONDS, StallMeter, least_stall

PIECES = 5000


def test_the_window_stays_responsive_while_5000_pieces_stream(
    open_sixpane: OpenWindow, capsys: pytest.CaptureFixture[str]
) -> None:
    lines = ["## 标题 ", "some *text* with `code`, ", "中文内容，", "\n\n```python\nprint(1)\n```\n\n", "- item\n"]
    pieces = [lines[number % len(lines)] for number in range(PIECES)]
    person = open_sixpane(ScriptedEngine(pieces))

    def flood() -> float:
        meter = StallMeter()
        started = perf_counter()
        person.ask("flood")
        person.wait_until_answered(timeout=60_000)
        took = perf_counter() - started
        with capsys.disabled():
            print(f"\nlongest stall {meter.stop() * 1000:.0f} ms while {PIECES} pieces streamed in {took:.1f} s")
        return meter.longest

    assert least_stall(flood) < LONGEST_STALL_SECONDS
