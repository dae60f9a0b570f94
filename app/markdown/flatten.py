"""From the parser's nested tokens to the flat row of blocks."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import cast

from markdown_it.token import Token

from app.markdown.addresses import is_allowed
from app.markdown.blocks import Alignment, Block, Code, Paragraph, Span, Spans, Table

_BULLET = "•"


@dataclass(slots=True)
class _List:
    """A list that is being read: the next number and its delimiter, or a bullet."""

    ordered: bool
    number: int
    item: str = ""
    marker_due: bool = False


@dataclass(slots=True)
class _TableCells:
    """The cells of a table that is being read, the header's row first."""

    rows: list[list[Spans]] = field(default_factory=list)
    alignments: list[Alignment] = field(default_factory=list)


def flatten(tokens: Sequence[Token]) -> tuple[Block, ...]:
    """Turn the tokens of one text into blocks."""
    walk = _Walk()
    for token in tokens:
        walk.take(token)
    return tuple(walk.blocks)


class _Walk:
    """Where in lists, quotes and tables the next token stands."""

    def __init__(self) -> None:
        self.blocks: list[Block] = []
        self._lists: list[_List] = []
        self._quote = 0
        self._heading = 0
        self._table: _TableCells | None = None

    def take(self, token: Token) -> None:
        match token.type:
            case "inline":
                self._take_text(spans_of(token.children or []))
            case "heading_open":
                self._heading = int(token.tag[1:])
            case "heading_close":
                self._heading = 0
            case "blockquote_open":
                self._place_due_marker()
                self._quote += 1
            case "blockquote_close":
                self._quote -= 1
            case "bullet_list_open" | "ordered_list_open":
                self._place_due_marker()
                self._lists.append(_List(token.type == "ordered_list_open", int(token.attrGet("start") or 0)))
                if token.type == "ordered_list_open" and token.attrGet("start") is None:
                    self._lists[-1].number = 1
            case "list_item_open":
                self._open_item(token.markup)
            case "list_item_close":
                self._place_due_marker()
            case "bullet_list_close" | "ordered_list_close":
                self._lists.pop()
            case "fence" | "code_block":
                self._place_due_marker()
                words = token.info.split()
                source = token.content.removesuffix("\n")
                self.blocks.append(Code(source, words[0] if words else "", len(self._lists), self._quote))
            case "hr":
                self._place_due_marker()
                self.blocks.append(Paragraph(indent=len(self._lists), quote=self._quote, rule=True))
            case "table_open":
                self._place_due_marker()
                self._table = _TableCells()
            case "tr_open" if self._table is not None:
                self._table.rows.append([])
            case "th_open" if self._table is not None:
                self._table.alignments.append(_alignment(token))
            case "table_close" if self._table is not None:
                self._close_table(self._table)

    def _take_text(self, spans: Spans) -> None:
        if self._table is not None:
            self._table.rows[-1].append(spans)
        else:
            marker = self._take_marker()
            self.blocks.append(Paragraph(spans, self._heading, len(self._lists), marker, self._quote))

    def _open_item(self, delimiter: str) -> None:
        current = self._lists[-1]
        current.item = f"{current.number}{delimiter}" if current.ordered else _BULLET
        current.number += 1
        current.marker_due = True

    def _take_marker(self) -> str:
        if not self._lists or not self._lists[-1].marker_due:
            return ""
        self._lists[-1].marker_due = False
        return self._lists[-1].item

    def _place_due_marker(self) -> None:
        """Give an item whose first content is no text (a code block, a list, nothing) a line for its marker."""
        marker = self._take_marker()
        if marker:
            self.blocks.append(Paragraph(indent=len(self._lists), marker=marker, quote=self._quote))

    def _close_table(self, cells: _TableCells) -> None:
        header, *rows = (tuple(row) for row in cells.rows)
        self.blocks.append(Table(header, tuple(rows), tuple(cells.alignments), len(self._lists), self._quote))
        self._table = None


def _alignment(token: Token) -> Alignment:
    match = re.search(r"text-align:(left|center|right)", str(token.attrGet("style") or ""))
    return cast(Alignment, match.group(1)) if match else "left"


def spans_of(tokens: Sequence[Token]) -> Spans:
    """Turn the inline tokens of one block into spans, neighbours of one look joined."""
    spans: list[Span] = []
    bold = italic = struck = 0
    link = ""
    for token in tokens:
        match token.type:
            case "strong_open" | "strong_close":
                bold += token.nesting
            case "em_open" | "em_close":
                italic += token.nesting
            case "s_open" | "s_close":
                struck += token.nesting
            case "link_open":
                link = str(token.attrGet("href") or "")
            case "link_close":
                link = ""
            case "image":
                alternative, address = token.content, str(token.attrGet("src") or "")
                if alternative:
                    _append(spans, Span(f"{alternative} ", bold > 0, italic > 0, struck > 0, link=link))
                target = link or (address if is_allowed(address) else "")
                _append(spans, Span(address, bold > 0, italic > 0, struck > 0, link=target))
            case "softbreak" | "hardbreak":
                _append(spans, Span("\n", bold > 0, italic > 0, struck > 0, link=link))
            case "code_inline":
                _append(spans, Span(token.content, bold > 0, italic > 0, struck > 0, code=True, link=link))
            case _ if token.content:
                _append(spans, Span(token.content, bold > 0, italic > 0, struck > 0, link=link))
    return tuple(spans)


def _append(spans: list[Span], span: Span) -> None:
    last = spans[-1] if spans else None
    if last is not None and _look(last) == _look(span):
        spans[-1] = Span(last.text + span.text, *_look(last))
    else:
        spans.append(span)


def _look(span: Span) -> tuple[bool, bool, bool, bool, str]:
    return (span.bold, span.italic, span.struck, span.code, span.link)
