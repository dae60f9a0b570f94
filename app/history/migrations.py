"""The schema, as numbered steps that are applied once, in order, and never change once they are released.

The number of the last one stands in the head of the file; the table `migrations` says what was applied when.
"""

from collections.abc import Callable
from pathlib import Path

from sqlite_utils import Database

from app.history.errors import HistoryError
from app.history.file import back_up, version_of


def conversations_and_messages(database: Database) -> None:
    """Conversations, their messages as trees, and how each reply was made."""
    database["conversations"].create(
        {
            "id": int,
            "title": str,
            "titled_by_hand": int,
            "created": float,
            "updated": float,
            "deleted": float,
            "leaf": int,
        },
        pk="id",
        not_null={"title", "titled_by_hand", "created", "updated"},
    )
    database["messages"].create(
        {
            "id": int,
            "conversation_id": int,
            "parent_id": int,
            "role": str,
            "text": str,
            "state": str,
            "created": float,
            "error": str,
        },
        pk="id",
        not_null={"conversation_id", "role", "text", "state", "created", "error"},
        foreign_keys=[("conversation_id", "conversations", "id"), ("parent_id", "messages", "id")],
    )
    database["messages"].create_index(["conversation_id"])
    database["messages"].create_index(["state"])
    database["replies"].create(
        {
            "message_id": int,
            "model": str,
            "model_hash": str,
            "settings": str,
            "seed": int,
            "stop_reason": str,
            "statistics": str,
            "token_ids": bytes,
        },
        pk="message_id",
        not_null={"model", "model_hash", "settings", "token_ids"},
        foreign_keys=[("message_id", "messages", "id")],
    )


def full_text_search(database: Database) -> None:
    """An index of three-character pieces, which finds Chinese too; a reply enters it when it no longer streams."""
    for statement in _FULL_TEXT_SEARCH:
        database.execute(statement)


# The index keeps no texts of its own, so it must be told the old text before a message changes.
_FULL_TEXT_SEARCH = (
    "CREATE VIRTUAL TABLE messages_text USING fts5(text, content='messages', content_rowid='id', tokenize='trigram')",
    """
    CREATE TRIGGER messages_added AFTER INSERT ON messages WHEN new.state <> 'streaming' BEGIN
        INSERT INTO messages_text(rowid, text) VALUES (new.id, new.text);
    END
    """,
    """
    CREATE TRIGGER messages_changing BEFORE UPDATE OF text, state ON messages WHEN old.state <> 'streaming' BEGIN
        INSERT INTO messages_text(messages_text, rowid, text) VALUES ('delete', old.id, old.text);
    END
    """,
    """
    CREATE TRIGGER messages_changed AFTER UPDATE OF text, state ON messages WHEN new.state <> 'streaming' BEGIN
        INSERT INTO messages_text(rowid, text) VALUES (new.id, new.text);
    END
    """,
    "INSERT INTO messages_text(rowid, text) SELECT id, text FROM messages WHERE state <> 'streaming'",
)


def order_and_what_the_index_leaves_out(database: Database) -> None:
    """An order of conversations that no clock changes, and a short way to the texts that the index does not hold."""
    for statement in _ORDER_AND_REST:
        database.execute(statement)


# SQLite takes a NUL for the end of a text wherever it searches, so these few texts are compared in another way.
_ORDER_AND_REST = (
    "ALTER TABLE conversations ADD COLUMN recency INTEGER NOT NULL DEFAULT 0",
    """
    UPDATE conversations SET recency = ranked.number
    FROM (SELECT id, row_number() OVER (ORDER BY updated, id) AS number FROM conversations) AS ranked
    WHERE ranked.id = conversations.id
    """,
    "CREATE INDEX conversations_recency ON conversations (recency)",
    "CREATE INDEX messages_not_indexed ON messages (id) WHERE state = 'streaming' OR instr(text, char(0)) > 0",
)


MIGRATIONS: tuple[Callable[[Database], None], ...] = (
    conversations_and_messages,
    full_text_search,
    order_and_what_the_index_leaves_out,
)


def refuse_newer(version: int, path: Path) -> None:
    """Leave alone what a later version of the program has written.

    Raises:
        HistoryError: The layout is newer than this program.
    """
    if version > len(MIGRATIONS):
        raise HistoryError(
            "The history {path} was written by a newer Sixpane; update the program to open it.", path=path
        )


def migrate(database: Database, path: Path, now: float) -> None:
    """Bring the schema up to date, after a backup where there is something to lose.

    Raises:
        HistoryError: A newer Sixpane wrote this history.
    """
    version = version_of(database.conn)
    refuse_newer(version, path)
    if version == len(MIGRATIONS):
        return
    if version > 0:
        back_up(database.conn, path, version, now)
    for number, step in enumerate(MIGRATIONS[version:], version + 1):
        with database.atomic():
            step(database)
            database["migrations"].insert({"number": number, "name": step.__name__, "applied": now}, pk="number")
            database.execute(f"PRAGMA user_version = {number}")
    # An older program looks for the version in the file itself, not in the log.
    database.execute("PRAGMA wal_checkpoint(TRUNCATE)")
