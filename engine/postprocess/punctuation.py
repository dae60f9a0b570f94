"""Gives Chinese sentences their own punctuation where a model has written that of English."""

import re

from engine.postprocess.protected import Piece
from engine.postprocess.scripts import CLOSING_MARKS, is_chinese, is_han

_FULL_WIDTH = {",": "，", ";": "；", ":": "：", "?": "？", "!": "！", ".": "。"}
_RUNS = frozenset("-.…。—")
_HELD = _RUNS | frozenset(_FULL_WIDTH) | frozenset('"()')
_CRIES = frozenset("!?！？")
_FIRM_OPENING = frozenset("《〈【「『")
_SENTENCE_ENDS = frozenset("！？")
_BESIDE_CHINESE = frozenset('"!?()`')
_NO_SENTENCE = frozenset("/\\|")
_PROTECTED = "\0"
_ELLIPSIS, _DASH = "……", "——"
_NUMERALS = re.compile(r"[ \t>#*-]*[一二三四五六七八九十百]+\Z")
_LONGEST_LABEL = 16


class Punctuation:
    """Replaces half-width marks between Chinese characters; every decision needs what stands on both sides.

    A mark and the blanks after it are held back until the next character comes.
    """

    def __init__(self) -> None:
        self._line = ""
        self._held = ""
        self._brackets: list[bool] = []
        self._in_quotation = False

    def feed(self, piece: Piece) -> list[Piece]:
        """Take the next piece and give what is certain."""
        if piece.is_protected:
            held = self._decide(piece.text[0])
            self._line = (self._line + _PROTECTED)[-_LONGEST_LABEL:]
            return [Piece(held, is_protected=False), piece]
        return [Piece("".join(map(self._next, piece.text)), is_protected=False)]

    def flush(self) -> list[Piece]:
        """Give what was held back."""
        return [Piece(self._decide(""), is_protected=False)]

    def _next(self, character: str) -> str:
        if self._continues(character):
            self._held += character
            return ""
        decided = self._decide(character)
        if character in _HELD:
            self._held = character
            return decided
        self._note(character)
        return decided + character

    def _continues(self, character: str) -> bool:
        """Whether it belongs to what is held: the same mark again, or the blank after it."""
        mark = self._held[:1]
        if not mark:
            return False
        if character == " ":
            return mark in _FULL_WIDTH
        return mark in _RUNS and character == mark and " " not in self._held

    def _decide(self, after: str) -> str:
        held, self._held = self._held, ""
        if not held:
            return ""
        written = self._written(held.rstrip(" "), held[len(held.rstrip(" ")) :], after)
        for character in written:
            self._note(character)
        return written

    def _written(self, mark: str, blanks: str, after: str) -> str:
        before = self._line[-1:]
        match mark[0]:
            case "(":
                converts = is_han(after) or after in _FIRM_OPENING
                self._brackets.append(converts)
                return "（" if converts else mark
            case ")":
                return "）" if self._brackets and self._brackets.pop() else mark
            case '"':
                return self._quotation_mark(before, after)
            case "-" | "—":
                is_dash = len(mark) > 1 or mark == "—"
                return _DASH if is_dash and is_han(before) and is_han(after) else mark + blanks
            case "." | "…" | "。" if len(mark) > 2 or mark[0] == "…":
                return (_ELLIPSIS if is_chinese(before) else mark) + blanks
            case "。":
                return mark + blanks
        # A full stop before that of Chinese is the beginning of a clumsy ellipsis.
        is_whole = len(mark) == 1 and mark + after != ".。"
        if not is_whole or not self._ends_chinese(before, after, blanks) or (mark == "." and self._is_label()):
            return mark + blanks
        # The blank after a half-width mark is part of the full-width one; two before a line end are a line break.
        return _FULL_WIDTH[mark] + ("" if after.strip() else blanks)

    def _quotation_mark(self, before: str, after: str) -> str:
        if self._in_quotation:
            self._in_quotation = False
            return "”"
        opens = is_han(after) or after in _FIRM_OPENING
        if opens and (is_chinese(before) or not before.isalnum()):
            self._in_quotation = True
            return "“"
        return '"'

    def _ends_chinese(self, before: str, after: str, blanks: str) -> bool:
        if before == _PROTECTED:
            return is_han(after)
        if before in _CRIES and after in _CRIES:
            return before in _SENTENCE_ENDS
        if not (is_han(before) or before in CLOSING_MARKS or before in _SENTENCE_ENDS):
            return False
        # What follows a blank may be of any script: the sentence before it is Chinese all the same.
        follows = is_chinese(after) or after in _BESIDE_CHINESE or (bool(blanks) and after not in _NO_SENTENCE)
        return not after.strip() or follows

    def _is_label(self) -> bool:
        """Whether the line so far is a Chinese number, as before the title of a section."""
        return bool(_NUMERALS.fullmatch(self._line))

    def _note(self, character: str) -> None:
        if character == "\n":
            if self._line == "":
                self._brackets.clear()
                self._in_quotation = False
            self._line = ""
        else:
            # Only a label's length of the line is ever looked at, and one more, so that a longer line is none.
            self._line = (self._line + character)[-_LONGEST_LABEL - 1 :]
