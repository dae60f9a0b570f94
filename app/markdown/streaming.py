"""Markdown that arrives in pieces: which blocks are finished, and what the open end looks like so far."""

import re
from dataclasses import dataclass

from app.markdown.blocks import Block, Code
from app.markdown.flatten import flatten
from app.markdown.parser import parse, tokenise

# Only a fence at the margin: its lines need no cutting.
_OPEN_FENCE = re.compile(r"(?P<marker>`{3,}(?=[^`\n]*\n)|~{3,})(?P<info>[^\n]*)\n")


@dataclass(frozen=True, slots=True)
class Update:
    """What a step brought.

    Attributes:
        finished: Blocks that are final now; they follow those of earlier steps and never change.
        tail: How the text after them looks at the moment; replaces the tail of the step before.
    """

    finished: tuple[Block, ...]
    tail: tuple[Block, ...]


class StreamingMarkdown:
    """Reads a growing text; after every step all finished blocks and the tail equal `parse` of the whole text.

    A block at the outermost level is finished when another one has begun on a complete line. Only what follows the last
    finished block is read again.
    """

    def __init__(self) -> None:
        self._open = ""
        self._ended_with_return = False

    @property
    def tail_length(self) -> int:
        """How many characters are not part of a finished block yet, and are read again at each step."""
        return len(self._open)

    def feed(self, text: str) -> Update:
        """Append text, cut anywhere, and tell what follows."""
        self._open += self._normalised(text)
        if (code := self._open_fence()) is not None:
            return Update((), (code,))
        finished = self._take_finished()
        return Update(finished, parse(self._open))

    def _normalised(self, text: str) -> str:
        if not text:
            return text
        if self._ended_with_return and text.startswith("\n"):
            text = text[1:]
            self._ended_with_return = False
        if text:
            self._ended_with_return = text.endswith("\r")
        return text.replace("\r\n", "\n").replace("\r", "\n").replace("\0", "\ufffd")

    def _take_finished(self) -> tuple[Block, ...]:
        complete = self._open[: self._open.rfind("\n") + 1]
        tokens = tokenise(complete)
        starts = [i for i, token in enumerate(tokens) if token.level == 0 and token.nesting >= 0 and token.map]
        if len(starts) < 2:
            return ()
        last = tokens[starts[-1]]
        line = last.map[0] if last.map else 0
        self._open = self._open[_offset_of_line(self._open, line) :]
        return flatten(tokens[: starts[-1]])

    def _open_fence(self) -> Code | None:
        """Spare a long code block the parser: while its fence is open, everything after it is its source."""
        opening = _OPEN_FENCE.match(self._open)
        if opening is None:
            return None
        marker = opening["marker"]
        closing = re.compile(rf"^ {{0,3}}{marker}{marker[0]}*[ \t]*$", re.MULTILINE)
        if closing.search(self._open, opening.end()):
            return None
        words = opening["info"].split()
        return Code(self._open[opening.end() :].removesuffix("\n"), words[0] if words else "")


def _offset_of_line(text: str, line: int) -> int:
    offset = 0
    for _ in range(line):
        offset = text.index("\n", offset) + 1
    return offset
