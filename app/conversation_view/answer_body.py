"""The blocks of an answer as panels, one above the other."""

from collections.abc import Sequence

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QWidget

from app.conversation_view.code import CodeBlock
from app.conversation_view.prose import ProsePanel
from app.conversation_view.table import TablePanel
from app.conversation_view.theme import Theme
from app.conversation_view.work_queue import WorkQueue
from app.markdown import Block, Code, Paragraph, Table, Update

Group = tuple[Paragraph, ...] | Code | Table
Panel = ProsePanel | CodeBlock | TablePanel

# Paragraphs are selected together within a panel; a panel without end would be slow to lay out.
_MOST_PARAGRAPHS = 60
_MOST_CHARACTERS = 8000
_SPACING = 12
_INDENT = 26


class AnswerBody(QWidget):
    """Shows a growing row of blocks; a panel whose blocks are finished is not touched again."""

    linkActivated = Signal(str)  # noqa: N815 - Qt's way of naming signals

    def __init__(self, theme: Theme, work: WorkQueue, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._work = work
        self._theme = theme
        self._panels: list[Panel] = []
        self._groups: list[Group] = []
        self._done = 0
        self._open: list[Block] = []
        self._width = 0
        self._first_changed = 0

    @property
    def panels(self) -> Sequence[Panel]:
        """The panels from top to bottom."""
        return self._panels

    def show_update(self, update: Update) -> None:
        """Add what is finished and show the tail after it."""
        self._open += update.finished
        finished = group(self._open)
        # The last group of finished blocks may still take up the next paragraph.
        for closed in finished[:-1]:
            self._show_group(self._done, closed)
            self._done += 1
            self._open = self._open[len(closed) if isinstance(closed, tuple) else 1 :]
        groups = group([*self._open, *update.tail])
        for offset, current in enumerate(groups):
            self._show_group(self._done + offset, current)
        self._drop_from(self._done + len(groups))

    def arrange(self, width: int) -> int:
        """Take a width; returns the height."""
        start = self._first_changed if width == self._width else 0
        top = self._panels[start - 1].geometry().bottom() + 1 if start else 0
        for index in range(start, len(self._panels)):
            panel, current = self._panels[index], self._groups[index]
            if index:
                top += _SPACING + _heading_space(current)
            indent = 0 if isinstance(current, tuple) else min(current.indent + current.quote, 8) * _INDENT
            height = panel.arrange(width - indent)
            panel.setGeometry(indent, top, width - indent, height)
            top += height
        self._width, self._first_changed = width, len(self._panels)
        return top

    def apply_theme(self, theme: Theme) -> None:
        """Change the colours."""
        self._theme = theme
        self._first_changed = 0
        for panel in self._panels:
            panel.apply_theme(theme)

    def _show_group(self, index: int, current: Group) -> None:
        if index < len(self._groups) and self._groups[index] == current:
            return
        self._first_changed = min(self._first_changed, index)
        if index < len(self._panels) and not _fits(self._panels[index], current):
            self._drop_from(index)
        if index == len(self._panels):
            self._panels.append(self._new_panel(current))
            self._groups.append(current)
        panel = self._panels[index]
        if isinstance(panel, ProsePanel) and isinstance(current, tuple):
            panel.show_paragraphs(current)
        elif isinstance(panel, CodeBlock) and isinstance(current, Code):
            panel.show_code(current)
        elif isinstance(panel, TablePanel) and isinstance(current, Table):
            panel.show_table(current)
        self._groups[index] = current

    def _new_panel(self, current: Group) -> Panel:
        panel: Panel
        if isinstance(current, Code):
            panel = CodeBlock(self._theme, self._work, self)
        else:
            panel = TablePanel(self._theme, self) if isinstance(current, Table) else ProsePanel(self._theme, self)
            panel.linkActivated.connect(self.linkActivated)
        panel.show()
        return panel

    def _drop_from(self, index: int) -> None:
        for panel in self._panels[index:]:
            panel.hide()
            panel.deleteLater()
        self._first_changed = min(self._first_changed, index)
        del self._panels[index:]
        del self._groups[index:]


def group(blocks: Sequence[Block]) -> list[Group]:
    """Put neighbouring paragraphs together; where a group ends depends only on what is before."""
    groups: list[Group] = []
    run: list[Paragraph] = []
    characters = 0
    for block in blocks:
        if isinstance(block, Paragraph):
            if len(run) >= _MOST_PARAGRAPHS or characters >= _MOST_CHARACTERS:
                groups.append(tuple(run))
                run, characters = [], 0
            run.append(block)
            characters += sum(len(span.text) for span in block.spans)
        else:
            if run:
                groups.append(tuple(run))
                run, characters = [], 0
            groups.append(block)
    if run:
        groups.append(tuple(run))
    return groups


def _fits(panel: Panel, current: Group) -> bool:
    kind = CodeBlock if isinstance(current, Code) else TablePanel if isinstance(current, Table) else ProsePanel
    return type(panel) is kind


def _heading_space(current: Group) -> int:
    return 8 if isinstance(current, tuple) and current[0].heading else 0
