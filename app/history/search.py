"""Search over titles and texts, for Chinese and English alike."""

import re
import sqlite3
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from sqlite_utils import Database

from app.history.characters import cut_before, well_formed

SHORTEST_INDEXED = 3
"""The index knows pieces of three characters; shorter words are compared with the texts themselves."""

EXCERPT_BEFORE = 24
EXCERPT_LENGTH = 120


@dataclass(frozen=True, slots=True)
class SearchHit:
    """A conversation or message in which every word was found.

    Attributes:
        conversation_id: The conversation.
        title: Its title.
        message_id: The message; None where the title has the words.
        excerpt: A piece of the text around the first word that stands in it; of a title the whole.
        matched: Where in the excerpt that word stands, start and end, in code points.
    """

    conversation_id: int
    title: str
    message_id: int | None
    excerpt: str
    matched: tuple[int, int]


def prepare_search(connection: sqlite3.Connection) -> None:
    """Teach a connection to compare texts in any case: SQLite itself knows only the letters of ASCII."""
    connection.create_function("casefold", 1, str.casefold, deterministic=True)


def search(database: Database, term: str, limit: int) -> list[SearchHit]:
    """Conversations whose titles, then messages whose texts have every word of the term, the newest first."""
    words = well_formed(term).split()
    if not words:
        return []
    patterns = [re.compile(re.escape(word), re.IGNORECASE) for word in words]
    in_titles = [("instr(casefold(title), ?) > 0", [word.casefold()]) for word in words]
    titles = _rows(database, _IN_TITLES, in_titles, limit)
    messages = _rows(database, _IN_MESSAGES, [_in_message(word) for word in words], limit - len(titles))
    return [
        SearchHit(row["id"], row["title"], None, row["title"], _place(row["title"], patterns)) for row in titles
    ] + [_hit(row["conversation_id"], row["title"], row["id"], row["text"], patterns) for row in messages]


Condition = tuple[str, list[str]]
"""SQL that is true or false, and its parameters."""

_IN_TITLES = "SELECT id, title FROM conversations WHERE deleted IS NULL AND {} ORDER BY recency DESC LIMIT ?"
_IN_MESSAGES = """
    SELECT messages.id, messages.conversation_id, messages.text, conversations.title
    FROM messages JOIN conversations ON conversations.id = messages.conversation_id
    WHERE conversations.deleted IS NULL AND {} ORDER BY messages.id DESC LIMIT ?
"""

_NOT_INDEXED = """messages.id IN (
    SELECT id FROM messages
    WHERE (state = 'streaming' OR instr(text, char(0)) > 0) AND instr(casefold(text), ?) > 0
)"""


def _rows(database: Database, query: str, conditions: Sequence[Condition], limit: int) -> list[dict[str, Any]]:
    sql = " AND ".join(condition for condition, _ in conditions)
    parameters = [parameter for _, of_condition in conditions for parameter in of_condition]
    return list(database.query(query.format(sql), [*parameters, max(limit, 0)]))


def _in_message(word: str) -> Condition:
    folded = word.casefold()
    if "\0" in word:
        return _NOT_INDEXED, [folded]
    if len(word) >= SHORTEST_INDEXED:
        indexed = "messages.id IN (SELECT rowid FROM messages_text WHERE messages_text MATCH ?)"
        quoted = word.replace('"', '""')
        return f"({indexed} OR {_NOT_INDEXED})", [f'"{quoted}"', folded]
    if any(not one.isascii() and one.lower() != one.upper() for one in word):
        return "instr(casefold(messages.text), ?) > 0", [folded]
    # Three times as fast, and enough for words whose case SQLite knows and for those that have none.
    pattern = "%" + re.sub(r"([\\%_])", r"\\\1", word) + "%"
    return f"(messages.text LIKE ? ESCAPE '\\' OR {_NOT_INDEXED})", [pattern, folded]


def _place(text: str, patterns: Sequence[re.Pattern[str]]) -> tuple[int, int]:
    """Where the first word stands that is found."""
    return min((match.span() for match in (pattern.search(text) for pattern in patterns) if match), default=(0, 0))


def _hit(
    conversation_id: int, title: str, message_id: int, text: str, patterns: Sequence[re.Pattern[str]]
) -> SearchHit:
    start, end = _place(text, patterns)
    first = cut_before(text, start - EXCERPT_BEFORE)
    last = cut_before(text, first + EXCERPT_LENGTH)
    # One blank for one line end or control character, so that the range stays true.
    shown = "".join(" " if one.isspace() or one < " " else one for one in text[first:last])
    return SearchHit(conversation_id, title, message_id, shown, (start - first, min(end - first, len(shown))))
