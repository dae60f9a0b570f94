"""A table in a panel of its own, which scrolls sideways where the table is wider than the column."""

from collections.abc import Sequence

from PySide6.QtCore import Qt
from PySide6.QtGui import (
    QBrush,
    QColor,
    QTextBlockFormat,
    QTextCursor,
    QTextFrameFormat,
    QTextOption,
    QTextTable,
    QTextTableFormat,
)
from PySide6.QtWidgets import QWidget

from app.conversation_view.fonts import line_height, prose_font
from app.conversation_view.prose import SpanWriter
from app.conversation_view.text_panel import TextPanel
from app.conversation_view.theme import Theme
from app.markdown import Paragraph, Span, Table
from app.markdown.blocks import Alignment

_LINE_HEIGHT = 1.45
_ALIGNMENTS: dict[Alignment, Qt.AlignmentFlag] = {
    "left": Qt.AlignmentFlag.AlignLeft,
    "center": Qt.AlignmentFlag.AlignHCenter,
    "right": Qt.AlignmentFlag.AlignRight,
}


class TablePanel(TextPanel):
    """Shows one table."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(theme, parent)
        self._table: Table | None = None
        self._grid: QTextTable | None = None
        self._writer = SpanWriter(theme)
        self._formats = {alignment: _cell_format(flag) for alignment, flag in _ALIGNMENTS.items()}
        self.document().setDefaultFont(prose_font())
        # A word stays whole; a table that is too wide for that scrolls.
        self.setWordWrapMode(QTextOption.WrapMode.WordWrap)
        self.scroll_sideways()
        self.setAccessibleName(self.tr("Table"))

    def show_table(self, table: Table) -> None:
        """Show this table instead of the one before."""
        before, self._table = self._table, table
        if before is not None and self._grid is not None and _continues(before, table):
            self._extend(self._grid, before, table)
        elif table != before:
            self._write(table)

    def arrange(self, width: int) -> int:
        """Take a width; returns the height with the scroll bar where one is needed."""
        height = super().arrange(width)
        if self.document().size().width() > width:
            height += self.horizontalScrollBar().sizeHint().height()
        return height

    def apply_theme(self, theme: Theme) -> None:
        """Write the table in other colours."""
        super().apply_theme(theme)
        self._writer = SpanWriter(theme)
        if self._table is not None:
            self._write(self._table)

    def _write(self, table: Table) -> None:
        self.document().clear()
        cursor = QTextCursor(self.document())
        cursor.beginEditBlock()
        grid = cursor.insertTable(len(table.rows) + 1, len(table.header), self._table_format())
        self._write_row(grid, 0, table, table.header)
        for number, row in enumerate(table.rows, start=1):
            self._write_row(grid, number, table, row)
        self._flatten_last_line()
        cursor.endEditBlock()
        self._grid = grid

    def _extend(self, grid: QTextTable, before: Table, table: Table) -> None:
        """Write the rows that a growing table has got, and those that were incomplete."""
        cursor = QTextCursor(self.document())
        cursor.beginEditBlock()
        if len(table.rows) > len(before.rows):
            grid.appendRows(len(table.rows) - len(before.rows))
        for number, row in enumerate(table.rows):
            if number >= len(before.rows) or row != before.rows[number]:
                self._write_row(grid, number + 1, table, row)
        cursor.endEditBlock()

    def _table_format(self) -> QTextTableFormat:
        result = QTextTableFormat()
        result.setHeaderRowCount(1)
        result.setCellPadding(7)
        result.setCellSpacing(0)
        result.setBorder(1)
        result.setBorderCollapse(True)
        result.setBorderBrush(QBrush(QColor(self._theme.border)))
        result.setBorderStyle(QTextFrameFormat.BorderStyle.BorderStyle_Solid)
        return result

    def _write_row(self, grid: QTextTable, number: int, table: Table, cells: Sequence[tuple[Span, ...]]) -> None:
        for column, spans in enumerate(cells):
            cell = grid.cellAt(number, column)
            cursor = cell.firstCursorPosition()
            cursor.setPosition(cell.lastPosition(), QTextCursor.MoveMode.KeepAnchor)
            cursor.removeSelectedText()
            cursor.setBlockFormat(self._formats[table.alignments[column]])
            if number == 0:
                spans = tuple(Span(s.text, True, s.italic, s.struck, s.code, s.link) for s in spans)
                cell_format = cell.format()
                cell_format.setBackground(QColor(self._theme.code_background))
                cell.setFormat(cell_format)
            self._writer.write(cursor, spans, Paragraph())

    def _flatten_last_line(self) -> None:
        """Take the height from the empty line that a document always has after a table."""
        cursor = QTextCursor(self.document())
        cursor.movePosition(QTextCursor.MoveOperation.End)
        block_format = QTextBlockFormat()
        block_format.setLineHeight(1, QTextBlockFormat.LineHeightTypes.FixedHeight.value)
        cursor.setBlockFormat(block_format)


def _continues(before: Table, table: Table) -> bool:
    same_columns = before.header == table.header and before.alignments == table.alignments
    return same_columns and len(before.rows) <= len(table.rows)


def _cell_format(alignment: Qt.AlignmentFlag) -> QTextBlockFormat:
    result = QTextBlockFormat()
    result.setAlignment(alignment)
    height = line_height(prose_font(), _LINE_HEIGHT)
    result.setLineHeight(height, QTextBlockFormat.LineHeightTypes.MinimumHeight.value)
    return result
