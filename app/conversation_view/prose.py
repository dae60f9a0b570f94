"""A run of paragraphs, headings, lists and quotes, in one panel so that they can be selected together."""

from collections.abc import Sequence

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import (
    QColor,
    QFont,
    QPainter,
    QPaintEvent,
    QTextBlock,
    QTextBlockFormat,
    QTextCharFormat,
    QTextCursor,
    QTextFormat,
)
from PySide6.QtWidgets import QWidget

from app.conversation_view.fonts import code_font, line_height, prose_font
from app.conversation_view.text_panel import TextPanel, displayable, utf16_length
from app.conversation_view.theme import Theme
from app.markdown import Paragraph, Span

LINE_HEIGHT = 1.6
_HEADING_SIZES = (1.45, 1.25, 1.1, 1.0, 1.0, 1.0)
_LIST_INDENT = 26
_QUOTE_INDENT = 18
_DEEPEST_INDENT = 8
_QUOTE = QTextFormat.Property.UserProperty.value + 1
_RULE = QTextFormat.Property.UserProperty.value + 2
_JOINED = QTextFormat.Property.UserProperty.value + 3
_MARKER = QTextFormat.Property.UserProperty.value + 4
_MARKER_GAP = 8
_BULLET_RADIUS = 2.5


class ProsePanel(TextPanel):
    """Shows paragraphs; when they change, only what differs is written anew."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(theme, parent)
        self._paragraphs: tuple[Paragraph, ...] = ()
        self._writer = SpanWriter(theme)
        self.setAccessibleName(self.tr("Text of the answer"))
        self.document().setDefaultFont(prose_font())
        self.document().setIndentWidth(_LIST_INDENT)

    def show_paragraphs(self, paragraphs: Sequence[Paragraph]) -> None:
        """Show these instead of those before."""
        new = tuple(paragraphs)
        if new == self._paragraphs:
            return
        same = _common_length(self._paragraphs, new)
        cursor = QTextCursor(self.document())
        cursor.beginEditBlock()
        self._cut(cursor, same, new)
        cursor.endEditBlock()
        self._paragraphs = new
        has_links = any(span.link for paragraph in new for span in paragraph.spans)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus if has_links else Qt.FocusPolicy.ClickFocus)

    def selected_text(self) -> str:
        """The selected characters as plain text, with the markers of items whose beginning is selected."""
        cursor = self.textCursor()
        start, end = cursor.selectionStart(), cursor.selectionEnd()
        lines = []
        block = self.document().findBlock(start)
        while block.isValid() and block.position() <= end:
            text = block.text().encode("utf-16-le", "surrogatepass")
            first, last = max(start - block.position(), 0), min(end - block.position(), block.length() - 1)
            marker = str(block.blockFormat().property(_MARKER) or "") if first == 0 else ""
            line = text[2 * first : 2 * last].decode("utf-16-le", "surrogatepass").replace("\u2028", "\n")
            lines.append(f"{'  ' * (block.blockFormat().indent() - 1)}{marker} {line}" if marker else line)
            block = block.next()
        return "\n".join(lines)

    def apply_theme(self, theme: Theme) -> None:
        """Write everything in other colours and keep the selection."""
        super().apply_theme(theme)
        self._writer = SpanWriter(theme)
        selected = self.textCursor()
        anchor, position = selected.anchor(), selected.position()
        paragraphs, self._paragraphs = self._paragraphs, ()
        self.document().clear()
        self.show_paragraphs(paragraphs)
        selected.setPosition(anchor)
        selected.setPosition(position, QTextCursor.MoveMode.KeepAnchor)
        self.setTextCursor(selected)

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: N802 - Qt's own name
        """Draw what a text document has no good means for: the markers of lists, the bars of quotes, rules."""
        painter = QPainter(self.viewport())
        layout = self.document().documentLayout()
        block = self.document().begin()
        bottom_before = 0.0
        while block.isValid():
            area = layout.blockBoundingRect(block)
            if area.bottom() >= event.rect().top() and area.top() <= event.rect().bottom():
                self._paint_lines(painter, block.blockFormat(), area, bottom_before)
                self._paint_marker(painter, block)
            bottom_before = area.bottom()
            block = block.next()
        painter.end()
        super().paintEvent(event)

    def _paint_lines(self, painter: QPainter, look: QTextBlockFormat, area: QRectF, bottom_before: float) -> None:
        for level in range(int(look.property(_QUOTE) or 0)):
            top = bottom_before if level < int(look.property(_JOINED) or 0) else area.top()
            bar = QRectF(level * _QUOTE_INDENT, top, 3, area.bottom() - top)
            painter.fillRect(bar, QColor(self._theme.quote_bar))
        if look.property(_RULE):
            left = look.leftMargin()
            painter.fillRect(QRectF(left, area.center().y(), self.width() - left, 1), QColor(self._theme.border))

    def _paint_marker(self, painter: QPainter, block: QTextBlock) -> None:
        marker = str(block.blockFormat().property(_MARKER) or "")
        if not marker:
            return
        line = block.layout().lineAt(0)
        # The layout of a block begins below its top margin.
        baseline = block.layout().position().y() + line.y() + line.ascent()
        right = line.x() + block.layout().position().x() - _MARKER_GAP
        painter.setFont(self.document().defaultFont())
        if marker == "•":
            # The character is tiny in many fonts.
            centre = QPointF(right - _BULLET_RADIUS, baseline - painter.fontMetrics().xHeight() / 2)
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(QColor(self._theme.text))
            painter.drawEllipse(centre, _BULLET_RADIUS, _BULLET_RADIUS)
            return
        painter.setPen(QColor(self._theme.muted))
        painter.drawText(QPointF(right - painter.fontMetrics().horizontalAdvance(marker), baseline), marker)

    def _cut(self, cursor: QTextCursor, same: int, new: tuple[Paragraph, ...]) -> None:
        """Remove what differs from `new`, of which `same` paragraphs are there already, and write the rest."""
        old = self._paragraphs
        if same < len(old):
            block = self.document().findBlockByNumber(same)
            if same < len(new) and _frame(old[same]) == _frame(new[same]):
                kept, spans = _common_text(old[same].spans, new[same].spans)
                cursor.setPosition(block.position() + kept)
                _remove_to_end(cursor)
                self._writer.write(cursor, spans, new[same])
                same += 1
            elif same > 0:
                cursor.setPosition(block.position() - 1)
                _remove_to_end(cursor)
            else:
                self.document().clear()
        cursor.movePosition(QTextCursor.MoveOperation.End)
        for index in range(same, len(new)):
            self._open_block(cursor, new[index], new[index - 1] if index else None)
            self._writer.write(cursor, new[index].spans, new[index])

    def _open_block(self, cursor: QTextCursor, paragraph: Paragraph, before: Paragraph | None) -> None:
        block_format = self._block_format(paragraph, before)
        character_format = self._writer.character_format(Span(""), paragraph)
        if before is None:
            cursor.setBlockFormat(block_format)
            cursor.setBlockCharFormat(character_format)
        else:
            cursor.insertBlock(block_format, character_format)

    def _block_format(self, paragraph: Paragraph, before: Paragraph | None) -> QTextBlockFormat:
        result = QTextBlockFormat()
        result.setIndent(min(paragraph.indent, _DEEPEST_INDENT))
        result.setLeftMargin(min(paragraph.quote, _DEEPEST_INDENT) * _QUOTE_INDENT)
        result.setTopMargin(_space_between(before, paragraph) if before else 0)
        font, factor = self.document().defaultFont(), LINE_HEIGHT
        if paragraph.heading:
            factor = 1.35 * _HEADING_SIZES[paragraph.heading - 1]
            result.setHeadingLevel(paragraph.heading)
        result.setLineHeight(line_height(font, factor), QTextBlockFormat.LineHeightTypes.MinimumHeight.value)
        result.setProperty(_QUOTE, min(paragraph.quote, _DEEPEST_INDENT))
        result.setProperty(_RULE, paragraph.rule)
        result.setProperty(_JOINED, min(before.quote, paragraph.quote, _DEEPEST_INDENT) if before else 0)
        result.setProperty(_MARKER, paragraph.marker)
        return result


class SpanWriter:
    """Writes spans into a document in the colours of a theme."""

    def __init__(self, theme: Theme) -> None:
        self._theme = theme
        self._prose = prose_font()
        self._code = code_font()

    def write(self, cursor: QTextCursor, spans: Sequence[Span], paragraph: Paragraph) -> None:
        """Insert spans as they look in this paragraph."""
        for span in spans:
            text = displayable(span.text).replace("\n", "\u2028")
            cursor.insertText(text, self.character_format(span, paragraph))

    def character_format(self, span: Span, paragraph: Paragraph) -> QTextCharFormat:
        """How a span looks in this paragraph."""
        result = QTextCharFormat()
        size = self._prose.pointSizeF()
        bold = span.bold
        if paragraph.heading:
            size *= _HEADING_SIZES[paragraph.heading - 1]
            bold = True
        if span.code:
            result.setFontFamilies(self._code.families())
            result.setBackground(QColor(self._theme.inline_code_background))
            size *= self._code.pointSizeF() / self._prose.pointSizeF()
        result.setFontPointSize(size)
        result.setFontWeight(QFont.Weight.DemiBold if bold else QFont.Weight.Normal)
        result.setFontItalic(span.italic)
        result.setFontStrikeOut(span.struck)
        result.setForeground(QColor(self._theme.muted if paragraph.quote else self._theme.text))
        if span.link:
            result.setAnchor(True)
            result.setAnchorHref(span.link)
            result.setForeground(QColor(self._theme.link))
            result.setFontUnderline(True)
        return result


def _space_between(before: Paragraph, paragraph: Paragraph) -> float:
    if paragraph.heading:
        return 22 if paragraph.heading < 3 else 18
    if before.heading:
        return 8
    if paragraph.marker and (before.marker or before.indent):
        return 4
    if paragraph.indent or paragraph.quote:
        return 8
    return 12


def _frame(paragraph: Paragraph) -> tuple[int, int, str, int, bool]:
    return (paragraph.heading, paragraph.indent, paragraph.marker, paragraph.quote, paragraph.rule)


def _common_length(old: Sequence[Paragraph], new: Sequence[Paragraph]) -> int:
    length = 0
    for one, other in zip(old, new, strict=False):
        if one != other:
            break
        length += 1
    return length


def _common_text(old: Sequence[Span], new: Sequence[Span]) -> tuple[int, tuple[Span, ...]]:
    """The length in UTF-16 units of what both begin with, and the spans of `new` after that."""
    kept = 0
    for index, span in enumerate(new):
        before = old[index] if index < len(old) else None
        if before == span:
            kept += utf16_length(span.text)
            continue
        look = (span.bold, span.italic, span.struck, span.code, span.link)
        if before and look == (before.bold, before.italic, before.struck, before.code, before.link):
            shared = before.text if span.text.startswith(before.text) else ""
            return kept + utf16_length(shared), (Span(span.text[len(shared) :], *look), *new[index + 1 :])
        return kept, tuple(new[index:])
    return kept, ()


def _remove_to_end(cursor: QTextCursor) -> None:
    cursor.movePosition(QTextCursor.MoveOperation.End, QTextCursor.MoveMode.KeepAnchor)
    cursor.removeSelectedText()
