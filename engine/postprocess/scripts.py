"""What kind of character one is, as far as Chinese typography cares."""

import re

HAN = "\u3005\u3007\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003134f"
"""Chinese characters, as the inside of a character class."""

OPENING_MARKS = frozenset("（《〈【「『“‘")
CLOSING_MARKS = frozenset("）》〉】」』”’")
PAUSES = frozenset("，。！？；：、…—")

_HAN = re.compile(f"[{HAN}]")
_MARKS = OPENING_MARKS | CLOSING_MARKS | PAUSES


def is_han(character: str) -> bool:
    """Whether it is a Chinese character; an empty text is none."""
    return bool(_HAN.match(character))


def is_chinese(character: str) -> bool:
    """Whether it is a Chinese character or a punctuation mark of Chinese."""
    return character in _MARKS or is_han(character)


def is_latin(character: str) -> bool:
    """Whether it is a letter or digit that Chinese sets apart by a space: Latin, Greek or Cyrillic, not full-width."""
    return character.isalnum() and (character < "\u1100" or "\u1e00" <= character < "\u2000")
