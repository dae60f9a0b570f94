"""Where a text may be cut so that no visible character is cut in two."""

import unicodedata

_ZERO_WIDTH_JOINER = "\u200d"
_MARKS = frozenset({"Mn", "Mc", "Me"})


def well_formed(text: str) -> str:
    """Return the text with UTF-16 halves joined, and U+FFFD for a half that stands alone.

    Toolkits that count in UTF-16 can hand over such halves; they are no characters, and UTF-8 cannot hold them.
    """
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


def cut_before(text: str, index: int) -> int:
    """Return the nearest place at or before ``index`` where the text may be cut."""
    while 0 < index < len(text) and _is_inside_character(text, index):
        index -= 1
    return max(index, 0)


def _is_inside_character(text: str, index: int) -> bool:
    before, after = text[index - 1], text[index]
    if _ZERO_WIDTH_JOINER in (before, after) or _extends(after):
        return True
    return _is_flag_letter(after) and _flag_letters_before(text, index) % 2 == 1


def _extends(character: str) -> bool:
    skin_tone_or_tag = "\U0001f3fb" <= character <= "\U0001f3ff" or "\U000e0020" <= character <= "\U000e007f"
    vowel_or_final_of_hangul = "\u1160" <= character <= "\u11ff"
    return skin_tone_or_tag or vowel_or_final_of_hangul or unicodedata.category(character) in _MARKS


def _is_flag_letter(character: str) -> bool:
    return "\U0001f1e6" <= character <= "\U0001f1ff"


def _flag_letters_before(text: str, index: int) -> int:
    start = index
    while start > 0 and _is_flag_letter(text[start - 1]):
        start -= 1
    return index - start
