"""Colours a code block a few milliseconds at a time, so that a long one never holds the window up."""

from collections.abc import Iterator
from time import perf_counter

from PySide6.QtCore import QObject, QTimer
from PySide6.QtGui import QColor, QTextBlock, QTextCharFormat, QTextDocument, QTextLayout

from app.conversation_view.theme import Theme
from app.markdown.highlighting import ColouredPart, coloured_lines, is_known

_SLICE_SECONDS = 0.004
# A growing block is read from its beginning each time; the pause keeps that at a quarter of the time at most.
_PAUSE_FACTOR = 3


class CodeColours(QObject):
    """Keeps the colours of one document in step with its source.

    A pass reads the source as it was when the pass began; if it has changed since, another pass follows.
    """

    def __init__(self, document: QTextDocument, theme: Theme) -> None:
        super().__init__(document)
        self._document = document
        self._theme = theme
        self._source = ""
        self._language = ""
        self._shown: list[tuple[ColouredPart, ...]] = []
        self._pass: Iterator[tuple[ColouredPart, ...]] | None = None
        self._pass_seconds = 0.0
        self._line = 0
        self._stale = False
        self._timer = QTimer(self, singleShot=True)
        self._timer.timeout.connect(self._work)

    def colour(self, source: str, language: str) -> None:
        """Colour this source, which is what the document shows, soon."""
        continued = language == self._language and source.startswith(self._source)
        self._source, self._language = source, language
        if not is_known(language):
            return
        self._stale = True
        if not continued:
            self._pass = None
            self._shown = []
        if not self._timer.isActive():
            self._timer.start(0)

    def apply_theme(self, theme: Theme) -> None:
        """Paint the same parts in other colours."""
        self._theme = theme
        for line, parts in enumerate(self._shown):
            self._paint(self._document.findBlockByNumber(line), parts)
        self._document.markContentsDirty(0, self._document.characterCount())

    def _work(self) -> None:
        started = perf_counter()
        if self._pass is None:
            self._stale = False
            self._line = 0
            self._pass_seconds = 0.0
            self._pass = coloured_lines(self._source, self._language)
        first, changed = self._line, False
        block = self._document.findBlockByNumber(first)
        ended = True
        for parts in self._pass:
            changed = self._set_line(block, parts) or changed
            block = block.next()
            if perf_counter() - started > _SLICE_SECONDS:
                ended = False
                break
        if changed:
            start = self._document.findBlockByNumber(first).position()
            end = block.position() if block.isValid() else self._document.characterCount()
            self._document.markContentsDirty(start, end - start)
        self._pass_seconds += perf_counter() - started
        if ended:
            self._pass = None
            if self._stale:
                self._timer.start(round(self._pass_seconds * 1000 * _PAUSE_FACTOR))
        else:
            self._timer.start(0)

    def _set_line(self, block: QTextBlock, parts: tuple[ColouredPart, ...]) -> bool:
        line = self._line
        self._line += 1
        if line < len(self._shown):
            if self._shown[line] == parts:
                return False
            self._shown[line] = parts
        else:
            self._shown.append(parts)
        self._paint(block, parts)
        return True

    def _paint(self, block: QTextBlock, parts: tuple[ColouredPart, ...]) -> None:
        ranges = []
        for start, length, category in parts:
            part = QTextLayout.FormatRange()
            part.start, part.length = start, length
            look = QTextCharFormat()
            look.setForeground(QColor(self._theme.syntax[category]))
            part.format = look
            ranges.append(part)
        if block.isValid():
            block.layout().setFormats(ranges)
