"""Finds what no view may change: code, formulas, URLs, paths, link targets, HTML, front matter.

One scanner serves every view. It decides by what came before, except for a ``$``, whose formula must end on the same
line; so it can read a text in pieces and holds back no more than a word or such a line.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass

LONGEST_SCHEME = 16


@dataclass(frozen=True, slots=True)
class Piece:
    """A stretch of text, and whether it must stay as it is."""

    text: str
    is_protected: bool


@dataclass(frozen=True, slots=True)
class _Span:
    """A kind of protected text.

    Attributes:
        end: Where it ends, certain whatever follows; an empty match ends it before the next character.
        undecided: What, at the end of the text so far, could become an end.
    """

    end: re.Pattern[str]
    undecided: re.Pattern[str]


_NOTHING = re.compile(r"(?!)")
_BLANK_LINE = r"\n[ \t]*\n"
_BEGUN_BLANK_LINE = r"\n[ \t]*\Z"
_ADDRESS = _Span(re.compile(r"(?=[\s<>\"'`|，。！？；：、（）《》〈〉【】「」『』“”‘’…—])"), _NOTHING)
_SPANS = {
    "display": _Span(re.compile(rf"\$\$|{_BLANK_LINE}"), re.compile(rf"\$\Z|{_BEGUN_BLANK_LINE}")),
    "round": _Span(re.compile(rf"\\\)|{_BLANK_LINE}"), re.compile(rf"\\\Z|{_BEGUN_BLANK_LINE}")),
    "square": _Span(re.compile(rf"\\\]|{_BLANK_LINE}"), re.compile(rf"\\\Z|{_BEGUN_BLANK_LINE}")),
    "target": _Span(re.compile(r"[)\s]"), _NOTHING),
    "tag": _Span(re.compile(r"[>\n]"), _NOTHING),
    "address": _ADDRESS,
    "path": _ADDRESS,
    "front": _Span(re.compile(r"(?<=\n)---[ \t]*\n"), re.compile(r"(?<=\n)-{0,3}[ \t]*\Z")),
}

_OPENER = re.compile(
    rf"""
      (?<=\n)[ \t>]* (?P<fence> `{{3,}} | ~{{3,}} )
    | (?P<escape> \\[!-'*-/:-@\]^_`{{-~] )
    | (?P<code> `+ )
    | (?P<display> \$\$ )
    | (?P<dollar> \$ )
    | (?P<round> \\\( )
    | (?P<square> \\\[ )
    | (?P<target> \]\( )
    | (?P<tag> < (?=[A-Za-z/!]) )
    | (?<![A-Za-z0-9+.\-]) (?P<address> (?: [A-Za-z][A-Za-z0-9+.\-]{{0,{LONGEST_SCHEME - 1}}} :// | www\. ) )
    | (?<![A-Za-z0-9/~.]) (?P<path> (?: ~ | \.{{1,2}} )? / (?=[A-Za-z0-9_.\-]) | [A-Za-z]:\\ )
    """,
    re.VERBOSE,
)
_UNDECIDED = re.compile(
    rf"""
    (?: (?<=\n)[ \t>]+ (?: `+ | ~+ )? | `+ | ~+ | \\ | \] | <
      | (?<![A-Za-z0-9+.\-]) [A-Za-z][A-Za-z0-9+.\-]{{0,{LONGEST_SCHEME - 1}}} (?: :/? )?
      | (?<![A-Za-z0-9/~.]) (?: [A-Za-z] :? | (?: ~ | \.{{1,2}} )? /? )
    ) \Z
    """,
    re.VERBOSE,
)
_FRONT = "---\n"


class ProtectedScanner:
    """Cuts a growing text into pieces; however it arrives, the joined pieces of each kind are the same."""

    def __init__(self) -> None:
        # One character before what is held, for the rules that look back; the beginning is the beginning of a line.
        self._before = "\n"
        self._held = ""
        self._span: _Span | None = None
        self._is_beginning = True

    def feed(self, text: str) -> list[Piece]:
        """Take more text and give the pieces that are certain."""
        self._held += text
        return [piece for piece in self._scan(is_end=False) if piece.text]

    def flush(self) -> list[Piece]:
        """Give what was held back, at the end of the text."""
        return [piece for piece in self._scan(is_end=True) if piece.text]

    def _scan(self, is_end: bool) -> Iterator[Piece]:
        if self._is_beginning:
            if not is_end and _FRONT.startswith(self._held):
                return
            if self._held.startswith(_FRONT):
                self._span = _SPANS["front"]
                yield self._give(len(_FRONT), is_protected=True)
            self._is_beginning = False
        while self._held:
            before = len(self._held), self._span
            if self._span is None:
                yield from self._scan_plain(is_end)
            else:
                yield self._scan_span(self._span, is_end)
            if (len(self._held), self._span) == before:
                return

    def _scan_plain(self, is_end: bool) -> Iterator[Piece]:
        """Give text up to the next protected span, and begin it."""
        text = self._before + self._held
        position = 1
        # An opener that stands at the very end may be the beginning of a longer one.
        while (opener := _OPENER.search(text, position)) and (opener.end() < len(text) or is_end):
            kind = str(opener.lastgroup)
            if kind == "escape":
                position = opener.end()
                continue
            start = opener.start(kind)
            if kind == "dollar":
                end = _formula_end(text, start, is_end)
                if end is None:
                    yield self._give(start - 1, is_protected=False)
                    return
                if end == start:
                    position = start + 1
                    continue
            else:
                end = opener.end()
                self._span = _span_of(kind, opener[kind])
            yield self._give(start - 1, is_protected=False)
            yield self._give(end - start, is_protected=True)
            return
        decided = len(text) if is_end else _undecided_from(_UNDECIDED, text, position)
        yield self._give(min(decided, opener.start() if opener else decided) - 1, is_protected=False)

    def _scan_span(self, span: _Span, is_end: bool) -> Piece:
        """Give protected text, up to the end of its span where that is in sight."""
        text = self._before + self._held + ("\n" if is_end else "")
        if end := span.end.search(text, 1):
            self._span = None
            return self._give(end.end() - 1, is_protected=True)
        decided = len(text) if is_end else _undecided_from(span.undecided, text, 1)
        return self._give(decided - 1, is_protected=True)

    def _give(self, length: int, is_protected: bool) -> Piece:
        piece, self._held = self._held[:length], self._held[length:]
        self._before = piece[-1:] or self._before
        return Piece(piece, is_protected)


def _undecided_from(pattern: re.Pattern[str], text: str, position: int) -> int:
    undecided = pattern.search(text, position)
    return undecided.start() if undecided else len(text)


def _span_of(kind: str, opener: str) -> _Span:
    if kind == "fence":
        marker = f"{opener[0]}{{{len(opener)},}}"
        return _Span(re.compile(rf"(?<=\n)[ \t>]*{marker}[ \t]*\n"), re.compile(rf"(?<=\n)[ \t>]*{opener[0]}*[ \t]*\Z"))
    if kind == "code":
        run = f"(?<!`){opener}(?=[^`])"
        return _Span(re.compile(rf"{run}|{_BLANK_LINE}"), re.compile(rf"`+\Z|{_BEGUN_BLANK_LINE}"))
    return _SPANS[kind]


def _formula_end(text: str, start: int, is_end: bool) -> int | None:
    """Where the formula that a ``$`` opens ends; the start itself if there is none; None if that is not certain."""
    closing = text.find("$", start + 1)
    line_end = text.find("\n", start + 1)
    if closing < 0 or 0 <= line_end < closing:
        return start if is_end or line_end >= 0 else None
    if closing + 1 == len(text) and not is_end:
        return None
    inside = text[start + 1 : closing]
    is_formula = inside == inside.strip() != "" and not text[closing + 1 : closing + 2].isdigit()
    return closing + 1 if is_formula else start
