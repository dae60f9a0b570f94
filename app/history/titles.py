"""The title that a conversation gets from its first question."""

import unicodedata

from app.history.characters import cut_before, well_formed

LONGEST_TITLE = 60


def title_of(question: str) -> str:
    """The first line that is not blank, cut at a word or character, never inside one."""
    line = next(filter(None, map(one_line, question.splitlines())), "")
    if len(line) <= LONGEST_TITLE:
        return line
    end = cut_before(line, LONGEST_TITLE) or LONGEST_TITLE
    cut = line[:end]
    if not line[end].isspace() and " " in cut[LONGEST_TITLE // 2 :]:
        cut = cut[: cut.rindex(" ")]
    return cut.rstrip() + "…"


def one_line(text: str) -> str:
    """The text on one line: line ends and runs of blanks become one blank, other control characters go."""
    blanks = (" " if character.isspace() else character for character in well_formed(text))
    return " ".join("".join(one for one in blanks if unicodedata.category(one) != "Cc").split())
