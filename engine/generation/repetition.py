"""Notices that an answer repeats itself without end, outside code and tables, where rows may well be alike."""

import re
from collections import deque

LONGEST_PERIOD = 64
"""The longest repeated passage that is noticed, in tokens."""

FEWEST_REPEATS = 8
FEWEST_TOKENS = 96
"""A passage must have come this often, and cover this many tokens, before it counts as endless."""

_FENCE = re.compile(r"[ >]*(`{3,}|~{3,})(.*)")


class RepetitionGuard:
    """Watches the tokens of one answer for a passage that comes again and again."""

    def __init__(self) -> None:
        self._recent: deque[int] = deque(maxlen=LONGEST_PERIOD)
        self._equal = [0] * LONGEST_PERIOD

    def is_endless(self, token_id: int) -> bool:
        """Take the next token and say whether the end of the answer is now one passage repeated."""
        for index, earlier in enumerate(reversed(self._recent)):
            self._equal[index] = self._equal[index] + 1 if earlier == token_id else 0
        self._recent.append(token_id)
        return any(
            equal + index + 1 >= max(FEWEST_TOKENS, FEWEST_REPEATS * (index + 1))
            for index, equal in enumerate(self._equal)
        )


class ProseTracker:
    """Tells whether the end of a growing Markdown text is prose: neither in a fenced code block nor in a table."""

    def __init__(self) -> None:
        self._fence = ""
        self._line = ""
        self._follows_row = False

    @property
    def is_prose(self) -> bool:
        """Whether what comes next is prose."""
        return not self._fence and not self._is_row and not (self._follows_row and not self._line.strip())

    @property
    def _is_row(self) -> bool:
        return self._line.lstrip().startswith("|")

    def feed(self, text: str) -> None:
        """Take more text."""
        *lines, rest = text.split("\n")
        for line in lines:
            self._line += line
            self._end_line()
        self._line += rest

    def _end_line(self) -> None:
        marker = _FENCE.match(self._line)
        if marker and not self._fence:
            self._fence = marker[1]
        elif marker and marker[1].startswith(self._fence) and not marker[2].strip():
            self._fence = ""
        self._follows_row = self._is_row
        self._line = ""
