"""Colours a code block a few lines at a time, so that a long one never holds the window up."""

from collections.abc import Iterator
from itertools import islice
from time import perf_counter

from PySide6.QtCore import QObject, QTimer
from PySide6.QtGui import QColor, QTextBlock, QTextCharFormat, QTextDocument, QTextLayout

from app.conversation_view.theme import Theme
from app.conversation_view.work_queue import WorkQueue
from app.markdown.highlighting import ColouredPart, coloured_lines, is_known, load_language

_LINES_A_STEP = 40
# A growing block is read from its beginning each time; the pause keeps that at a quarter of the time at most.
_PAUSE_FACTOR = 3


class CodeColours(QObject):
    """Keeps the colours of one document in step with its source.

    A pass reads the source as it was when the pass began; if it has changed since, another pass follows.
    """

    def __init__(self, document: QTextDocument, theme: Theme, work: WorkQueue) -> None:
        super().__init__(document)
        self._document: QTextDocument | None = document
        document.destroyed.connect(self.forget)
        self._theme = theme
        self._queue = work
        self._source = ""
        self._language = ""
        self._loading = ""
        self._shown: list[tuple[ColouredPart, ...]] = []
        self._pass: Iterator[tuple[ColouredPart, ...]] | None = None
        self._seconds = 0.0
        self._line = 0
        self._stale = False
        self._queued = False
        self._pause = QTimer(self, singleShot=True)
        self._pause.timeout.connect(self._begin)

    def colour(self, source: str, language: str) -> None:
        """Colour this source, which is what the document shows, soon."""
        continued = language == self._language and source.startswith(self._source)
        self._source, self._language = source, language
        if not continued:
            self._pass = None
            self._shown = []
        self._stale = True
        if not self._queued and not self._pause.isActive():
            self._begin()

    def apply_theme(self, theme: Theme) -> None:
        """Paint the same parts in other colours."""
        self._theme = theme
        if self._document is not None:
            block = self._document.begin()
            for parts in self._shown:
                self._paint(block, parts)
                block = block.next()
            self._document.markContentsDirty(0, self._document.characterCount())

    def forget(self) -> None:
        """Leave the document alone from now on."""
        self._document = None

    def _begin(self) -> None:
        self._queued = True
        self._loading = language = self._language
        self._queue.add_after(language, lambda: load_language(language), self._step)

    def _step(self) -> bool:
        if self._document is None:
            return False
        if self._language != self._loading:
            self._begin()
            return False
        started = perf_counter()
        if self._pass is None:
            if not is_known(self._language):
                self._queued = False
                return False
            self._stale, self._line, self._seconds = False, 0, 0.0
            self._pass = coloured_lines(self._source, self._language)
        lines = list(islice(self._pass, _LINES_A_STEP))
        self._show(self._document, lines)
        self._seconds += perf_counter() - started
        if len(lines) == _LINES_A_STEP:
            return True
        self._pass = None
        self._queued = False
        if self._stale:
            self._pause.start(round(self._seconds * 1000 * _PAUSE_FACTOR))
        return False

    def _show(self, document: QTextDocument, lines: list[tuple[ColouredPart, ...]]) -> None:
        first = block = document.findBlockByNumber(self._line)
        changed = False
        for parts in lines:
            before = self._shown[self._line] if self._line < len(self._shown) else None
            if before is None:
                self._shown.append(parts)
            if before != parts:
                self._shown[self._line] = parts
                self._paint(block, parts)
                changed = True
            self._line += 1
            block = block.next()
        if changed:
            end = block.position() if block.isValid() else document.characterCount()
            document.markContentsDirty(first.position(), end - first.position())

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
