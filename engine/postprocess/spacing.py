"""Sets Latin words and numbers apart from the Chinese around them by a space."""

from engine.postprocess.protected import Piece
from engine.postprocess.scripts import is_han, is_latin

_EMPHASIS = frozenset("*~")
_LONGEST_MARK = 3
_UNITS = frozenset("%‰°℃℉")
_NAME_ENDS = frozenset("+#")


class Spacing:
    """Adds spaces and nothing else; emphasis marks keep their word, so that the space stands outside of them."""

    def __init__(self) -> None:
        self._last = ""
        self._is_latin = False
        self._mark = ""
        self._open: list[str] = []

    def feed(self, piece: Piece) -> list[Piece]:
        """Take the next piece and give what is certain."""
        if piece.is_protected:
            held = self.flush()
            self._last, self._is_latin = "", False
            return [*held, piece]
        return [Piece("".join(map(self._next, piece.text)), is_protected=False)]

    def flush(self) -> list[Piece]:
        """Give what was held back."""
        mark, self._mark = self._mark, ""
        return [Piece(mark, is_protected=False)] if mark else []

    def _next(self, character: str) -> str:
        if (
            character in _EMPHASIS
            and len(self._mark) < _LONGEST_MARK
            and self._mark in ("", character * len(self._mark))
        ):
            self._mark += character
            return ""
        mark, self._mark = self._mark, ""
        before, after = self._around(mark, character)
        self._note(character)
        return before + mark + after + character

    def _around(self, mark: str, character: str) -> tuple[str, str]:
        """What stands before and after a mark, or between two characters where there is none."""
        closes = bool(mark) and mark in self._open[-1:]
        if closes:
            self._open.pop()
        elif mark and not character.isspace():
            self._open.append(mark)
        meets = (is_han(self._last) and is_latin(character)) or (self._is_latin and is_han(character))
        if not meets:
            return "", ""
        return ("", " ") if closes else (" ", "")

    def _note(self, character: str) -> None:
        if character == "\n":
            self._open.clear()
        continues = self._is_latin and (character in _UNITS or (character in _NAME_ENDS and not self._last.isdigit()))
        self._is_latin = is_latin(character) or continues
        self._last = character
