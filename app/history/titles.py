"""The title that a conversation gets from its first question."""

import unicodedata

LONGEST_TITLE = 60


def title_of(question: str) -> str:
    """The first line that is not blank, cut at a word or character, never inside one."""
    line = next((line.strip() for line in question.splitlines() if line.strip()), "")
    if len(line) <= LONGEST_TITLE:
        return line
    end = LONGEST_TITLE
    while end > 1 and _continues(line[end]):
        end -= 1
    cut = line[:end]
    if not line[end].isspace() and " " in cut[LONGEST_TITLE // 2 :]:
        cut = cut[: cut.rindex(" ")]
    return cut.rstrip() + "…"


def _continues(character: str) -> bool:
    # Marks, joiners and variation selectors belong to the character before them.
    return unicodedata.category(character) in {"Mn", "Mc", "Me", "Cf", "Sk"}
