"""Makes control characters visible, so that no text from a model can steer a terminal or reorder what is read."""

import unicodedata

_CONTROL_PICTURES = 0x2400
_DELETE_PICTURE = "\u2421"
_PLAIN = "\t\n"
# Overrides and isolates of the writing direction can show other text than what is there.
_DIRECTIONS = "\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"


def _visible(character: str) -> str:
    code = ord(character)
    if code < 0x20:
        return chr(_CONTROL_PICTURES + code)
    if code == 0x7F:
        return _DELETE_PICTURE
    return f"[{unicodedata.name(character, f'U+{code:04X}')}]"


_TABLE = {
    ord(character): _visible(character)
    for character in [*map(chr, range(0x20)), *map(chr, range(0x7F, 0xA0)), *_DIRECTIONS]
    if character not in _PLAIN
}


def show_control_characters(text: str) -> str:
    """Replace each control character but tab and line feed by its picture or its name; carriage returns go."""
    return text.replace("\r", "").translate(_TABLE)
