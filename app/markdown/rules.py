"""Where Sixpane's reading of inline Markdown differs from CommonMark: emphasis in Chinese text, and formulas."""

import re
import unicodedata
from collections.abc import Callable

from markdown_it import MarkdownIt
from markdown_it.common.utils import isMdAsciiPunct, isPunctChar, isWhiteSpace
from markdown_it.parser_inline import ParserInline
from markdown_it.rules_inline import StateInline
from markdown_it.rules_inline.state_inline import Scanned
from markdown_it.token import Token
from markdown_it.utils import EnvType

# Bounded, so that a text full of dollars costs no more than its length.
_LONGEST_FORMULA = 2000
_MOST_BRACKETS = 1000
_FORMULA = re.compile(
    rf"\$\$(?!\$)[^$`]{{1,{_LONGEST_FORMULA}}}\$\$"
    rf"|\$(?![\s$])(?:\\.|[^$`\\\n]){{0,{_LONGEST_FORMULA}}}(?<!\s)\$(?![\d$])"
    rf"|\\\([^`]{{1,{_LONGEST_FORMULA}}}?\\\)"
    rf"|\\\[[^`]{{1,{_LONGEST_FORMULA}}}?\\\]"
)


def formula(state: StateInline, silent: bool) -> bool:
    """Keep the source of a formula as typed: no emphasis, escape or link inside it."""
    if state.src[state.pos] not in "$\\":
        return False
    match = _FORMULA.match(state.src, state.pos, state.posMax)
    if match is None:
        return False
    if not silent:
        state.pending += match.group()
    state.pos = match.end()
    return True


class WideScriptState(StateInline):
    """Reads emphasis as a reader of Chinese does.

    CommonMark asks for a space or punctuation outside a marker that has punctuation inside, and Chinese has no
    spaces: in ``**提示：**先保存`` the closing marker would be none. Here a wide character outside is as good as a
    space, and wide punctuation inside counts as a letter.
    """

    def __init__(self, src: str, md: MarkdownIt, env: EnvType, tokens: list[Token]) -> None:
        super().__init__(src, md, env, tokens)
        # Looking for a label's end costs the square of the number of brackets; a text with so many has no links.
        self.last_label_end = src.rfind("](") if src.count("[") <= _MOST_BRACKETS else -1

    def scanDelims(self, start: int, canSplitWord: bool) -> Scanned:  # noqa: N802, N803 - the parser's own names
        """Say whether the run of markers at `start` can open or close; underscores keep the strict rule."""
        if not canSplitWord:
            return super().scanDelims(start, canSplitWord)
        end = start
        while end < self.posMax and self.src[end] == self.src[start]:
            end += 1
        before = self.src[start - 1] if start > 0 else " "
        after = self.src[end] if end < self.posMax else " "
        return Scanned(_clings(after, before), _clings(before, after), end - start)


def link_if_possible(rule: Callable[[StateInline, bool], bool], state: StateInline, silent: bool) -> bool:
    """Try a rule for links or images only where a label can still end."""
    return isinstance(state, WideScriptState) and state.pos < state.last_label_end and rule(state, silent)


class WideScriptInline(ParserInline):
    """The inline parser with that reading of emphasis."""

    def parse(self, src: str, md: MarkdownIt, env: EnvType, tokens: list[Token]) -> list[Token]:
        """Read the inline content of one block."""
        state = WideScriptState(src, md, env, tokens)
        self.tokenize(state)
        for rule in self.ruler2.getRules(""):
            rule(state)
        return state.tokens


def _clings(inside: str, outside: str) -> bool:
    """Tell whether a marker with these neighbours belongs to the text on its inner side."""
    if isWhiteSpace(ord(inside)):
        return False
    if not _is_punctuation(inside) or _is_wide(inside):
        return True
    return isWhiteSpace(ord(outside)) or _is_punctuation(outside) or _is_wide(outside)


def _is_punctuation(character: str) -> bool:
    return isMdAsciiPunct(ord(character)) or isPunctChar(character)


def _is_wide(character: str) -> bool:
    return unicodedata.east_asian_width(character) in ("W", "F", "H")
