"""The schema, as numbered steps that are applied once, in order."""

import sqlite3
from collections.abc import Callable
from datetime import datetime
from pathlib import Path

from sqlite_utils import Database

from app.history.errors import HistoryError


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
)


MIGRATIONS: tuple[Callable[[Database], None], ...] = (conversations_and_messages, full_text_search)


def migrate(database: Database, path: Path) -> None:
    """Bring the schema up to date, after a backup where there is something to lose.

    Raises:
        HistoryError: A newer Sixpane wrote this history; nothing was touched.
    """
    version = database.conn.execute("PRAGMA user_version").fetchone()[0]
    if version > len(MIGRATIONS):
        raise HistoryError(
            "The history {path} was written by a newer Sixpane; update the program to open it.", path=path
        )
    if 0 < version < len(MIGRATIONS):
        _back_up(database, path, version)
    for number, step in enumerate(MIGRATIONS[version:], version + 1):
        with database.atomic():
            step(database)
            database.execute(f"PRAGMA user_version = {number}")


def _back_up(database: Database, path: Path, version: int) -> None:
    stamp = datetime.now().strftime("%Y%m%d-%H%M%S")
    target = sqlite3.connect(path.with_name(f"{path.stem}.version-{version}.{stamp}.backup.sqlite3"))
    try:
        database.conn.backup(target)
    finally:
        target.close()
