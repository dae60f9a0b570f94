"""Search over titles and texts, for Chinese and English alike."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from sqlite_utils import Database

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
        excerpt: A piece of the text around the first word.
        matched: Where in the excerpt that word stands, start and end.
    """

    conversation_id: int
    title: str
    message_id: int | None
    excerpt: str
    matched: tuple[int, int]


def search(database: Database, term: str, limit: int) -> list[SearchHit]:
    """Conversations whose titles, then messages whose texts have every word of the term, the newest first."""
    words = term.split()
    if not words:
        return []
    titles = _rows(database, _IN_TITLES, [_contains("title", words)], _patterns(words), limit)
    hits = [_hit(row["id"], row["title"], None, row["title"], words[0]) for row in titles]
    indexed = [word for word in words if len(word) >= SHORTEST_INDEXED]
    short = [word for word in words if len(word) < SHORTEST_INDEXED]
    conditions = [_contains("messages.text", short)] if short else []
    parameters = _patterns(short)
    if indexed:
        conditions.append("messages.id IN (SELECT rowid FROM messages_text WHERE messages_text MATCH ?)")
        parameters.append(" ".join(f'"{word.replace(chr(34), chr(34) * 2)}"' for word in indexed))
    messages = _rows(database, _IN_MESSAGES, conditions, parameters, limit - len(hits))
    hits += [_hit(row["conversation_id"], row["title"], row["id"], row["text"], words[0]) for row in messages]
    return hits


_IN_TITLES = "SELECT id, title FROM conversations WHERE deleted IS NULL AND {} ORDER BY updated DESC, id DESC LIMIT ?"
_IN_MESSAGES = """
    SELECT messages.id, messages.conversation_id, messages.text, conversations.title
    FROM messages JOIN conversations ON conversations.id = messages.conversation_id
    WHERE conversations.deleted IS NULL AND {} ORDER BY messages.id DESC LIMIT ?
"""


def _rows(
    database: Database, query: str, conditions: Sequence[str], parameters: Sequence[str], limit: int
) -> list[dict[str, Any]]:
    return list(database.query(query.format(" AND ".join(conditions)), [*parameters, max(limit, 0)]))


def _contains(column: str, words: Sequence[str]) -> str:
    return " AND ".join(f"{column} LIKE ? ESCAPE '\\'" for _ in words)


def _patterns(words: Sequence[str]) -> list[str]:
    return ["%" + re.sub(r"([\\%_])", r"\\\1", word) + "%" for word in words]


def _hit(conversation_id: int, title: str, message_id: int | None, text: str, word: str) -> SearchHit:
    found = re.search(re.escape(word), text, re.IGNORECASE)
    start, end = found.span() if found else (0, 0)
    first = max(0, start - EXCERPT_BEFORE)
    excerpt = text[first : first + EXCERPT_LENGTH]
    # One blank for one line end, so that the range stays true.
    shown = "".join(" " if character.isspace() else character for character in excerpt)
    return SearchHit(conversation_id, title, message_id, shown, (start - first, min(end - first, len(shown))))
