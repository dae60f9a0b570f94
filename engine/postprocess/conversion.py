"""Converts Simplified and Traditional Chinese, by OpenCC and a list of words that its dictionaries get wrong."""

import json
from functools import cache
from pathlib import Path
from typing import Any

import opencc

from engine.postprocess.protected import Piece
from engine.postprocess.scripts import is_han
from engine.postprocess.settings import Chinese

_CONFIGURATIONS = {"simplified": "t2s", "traditional": "s2t", "taiwan": "s2twp", "hong kong": "s2hk"}
OVERRIDES = Path(__file__).parents[2] / "resources" / "words" / "conversion_overrides.json"

LONGEST_RUN = 400
"""A longer run without any punctuation is converted in parts of this length."""


class Conversion:
    """Converts runs of Chinese characters; each is held back until it ends, since words must not be cut.

    Args:
        chinese: The Chinese that is wanted.
    """

    def __init__(self, chinese: Chinese) -> None:
        self._chinese = chinese
        self._run = ""

    def feed(self, piece: Piece) -> list[Piece]:
        """Take the next piece and give what is certain."""
        if piece.is_protected:
            return [*self.flush(), piece]
        converted = []
        for character in piece.text:
            if is_han(character):
                self._run += character
                if len(self._run) == LONGEST_RUN:
                    converted.append(self._take_run())
            else:
                converted += [self._take_run(), character]
        return [Piece("".join(converted), is_protected=False)]

    def flush(self) -> list[Piece]:
        """Give what was held back."""
        return [Piece(self._take_run(), is_protected=False)]

    def _take_run(self) -> str:
        run, self._run = self._run, ""
        return convert(run, self._chinese) if run else ""


def convert(text: str, chinese: Chinese) -> str:
    """Convert Chinese characters that stand in one run."""
    for word, wanted in _overrides(chinese).items():
        before, found, after = text.partition(word)
        if found:
            return convert(before, chinese) + wanted + convert(after, chinese)
    converted: str = _converter(chinese).convert(text) if text else ""
    return converted


@cache
def _converter(chinese: Chinese) -> Any:
    return opencc.OpenCC(_CONFIGURATIONS[chinese])


@cache
def _overrides(chinese: Chinese) -> dict[str, str]:
    overrides: dict[str, dict[str, str]] = json.loads(OVERRIDES.read_text(encoding="utf-8"))
    words = overrides.get(chinese, {})
    # What is right already stays so.
    return words | {wanted: wanted for wanted in words.values()}
