"""Everything that is done with conversations, as short methods named after what the person does."""

import json
import sqlite3
import time
from array import array
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict
from datetime import datetime
from pathlib import Path
from typing import Any, Self

from sqlite_utils import Database

from app.history.errors import sentences
from app.history.migrations import migrate
from app.history.records import Conversation, MessageState, ReplyRecord, StoredMessage
from app.history.search import SearchHit, search
from app.history.titles import title_of
from engine import GenerationSettings, Role, Statistics, StopReason

_SIDE_FILES = ("-wal", "-shm", "-journal")


class History:
    """The one connection to the history; every method is one transaction that is on the disk when it returns.

    The file is locked from opening to closing, so that no second writer can come between; SQLite before 3.51.3 can
    damage a write-ahead log that two connections write. For one thread only.

    Args:
        database: The open, migrated database.
        path: Its file.
        clock: Gives the time in seconds since 1970.
    """

    def __init__(self, database: Database, path: Path, clock: Callable[[], float]) -> None:
        self._database = database
        self._path = path
        self._clock = clock

    @classmethod
    def open(cls, path: Path, clock: Callable[[], float] = time.time) -> Self:
        """Open the history or make a new one; replies that a killed program left streaming become interrupted.

        Raises:
            DamagedHistoryError: The file is no database, or damaged.
            HistoryError: It cannot be opened: locked by another window, newer than this program, no rights, …
        """
        with sentences(path):
            path.parent.mkdir(parents=True, exist_ok=True)
            connection = sqlite3.connect(path, timeout=1)
            try:
                # With the exclusive lock SQLite keeps the log's index in its own memory and no second process gets in.
                connection.execute("PRAGMA locking_mode = EXCLUSIVE")
                connection.execute("PRAGMA journal_mode = WAL")
                connection.execute("PRAGMA synchronous = FULL")
                connection.execute("PRAGMA foreign_keys = ON")
                database = Database(connection)
                migrate(database, path)
                with database.atomic():
                    database.execute("UPDATE messages SET state = 'interrupted' WHERE state = 'streaming'")
            except BaseException:
                connection.close()
                raise
        return cls(database, path, clock)

    def close(self) -> None:
        """Release the file."""
        self._database.conn.close()

    def conversations(self) -> list[Conversation]:
        """All that are not deleted, the most recently used first."""
        with sentences(self._path):
            rows = self._database.query(
                "SELECT id, title, created, updated FROM conversations "
                "WHERE deleted IS NULL ORDER BY updated DESC, id DESC"
            )
            return [Conversation(**row) for row in rows]

    def create_conversation(self, title: str = "") -> Conversation:
        """Begin a conversation; without a title it gets one from its first question."""
        now = self._clock()
        with self._transaction() as database:
            row = {"title": title, "titled_by_hand": bool(title), "created": now, "updated": now}
            conversation_id = int(database["conversations"].insert(row).last_pk)
        return Conversation(conversation_id, title, now, now)

    def rename(self, conversation_id: int, title: str) -> None:
        """Give a title by hand."""
        with self._transaction() as database:
            database["conversations"].update(conversation_id, {"title": title.strip(), "titled_by_hand": True})

    def delete(self, conversation_id: int) -> None:
        """Put a conversation into the bin."""
        with self._transaction() as database:
            database["conversations"].update(conversation_id, {"deleted": self._clock()})

    def restore(self, conversation_id: int) -> None:
        """Take a conversation out of the bin again."""
        with self._transaction() as database:
            database["conversations"].update(conversation_id, {"deleted": None})

    def ask(
        self, conversation_id: int, text: str, settings: GenerationSettings, model: str, model_hash: str
    ) -> tuple[StoredMessage, StoredMessage]:
        """Store a question and the empty reply that will be filled."""
        with self._transaction() as database:
            conversation = database["conversations"].get(conversation_id)
            question = self._add(database, conversation_id, conversation["leaf"], "user", text, "complete")
            reply = self._begin_reply(database, conversation_id, question, ReplyRecord(model, model_hash, settings))
            if not conversation["titled_by_hand"] and not conversation["title"]:
                database["conversations"].update(conversation_id, {"title": title_of(text)})
        return self.message(question), self.message(reply)

    def regenerate(self, message_id: int, settings: GenerationSettings, model: str, model_hash: str) -> StoredMessage:
        """Begin another reply beside one, which stays; the new one is now shown."""
        with self._transaction() as database:
            old = database["messages"].get(message_id)
            record = ReplyRecord(model, model_hash, settings)
            reply = self._begin_reply(database, old["conversation_id"], old["parent_id"], record)
        return self.message(reply)

    def save_partial(self, message_id: int, text: str, token_ids: Sequence[int]) -> None:
        """Store what there is of a reply that still streams."""
        with self._transaction() as database:
            database["messages"].update(message_id, {"text": text})
            database["replies"].update(message_id, {"token_ids": _packed(token_ids)})

    def finish(
        self,
        message_id: int,
        text: str,
        stop_reason: StopReason,
        seed: int,
        statistics: Statistics,
        token_ids: Sequence[int],
    ) -> None:
        """Store a reply that ended, for whatever reason."""
        with self._transaction() as database:
            database["messages"].update(message_id, {"text": text, "state": "complete"})
            values = {
                "stop_reason": stop_reason,
                "seed": seed,
                "statistics": json.dumps(asdict(statistics)),
                "token_ids": _packed(token_ids),
            }
            database["replies"].update(message_id, values)

    def fail(self, message_id: int, text: str, error: str) -> None:
        """Store a reply that failed, with what there is of it."""
        with self._transaction() as database:
            database["messages"].update(message_id, {"text": text, "state": "failed", "error": error})

    def message(self, message_id: int) -> StoredMessage:
        """One message."""
        with sentences(self._path):
            rows = self._database.query(f"{_MESSAGES} WHERE messages.id = ?", [message_id])
            return _message(next(iter(rows)))

    def thread(self, conversation_id: int) -> list[StoredMessage]:
        """The messages of the shown branch, the first one first."""
        with sentences(self._path):
            leaf = self._database["conversations"].get(conversation_id)["leaf"]
            rows = self._database.query(f"{_MESSAGES} WHERE messages.conversation_id = ?", [conversation_id])
            messages = {message.id: message for message in map(_message, rows)}
        thread: list[StoredMessage] = []
        while leaf is not None:
            thread.append(messages[leaf])
            leaf = messages[leaf].parent_id
        return thread[::-1]

    def search(self, term: str, limit: int = 50) -> list[SearchHit]:
        """Find the words of a term, in any case, in titles and texts."""
        with sentences(self._path):
            return search(self._database, term, limit)

    @contextmanager
    def _transaction(self) -> Iterator[Database]:
        with sentences(self._path), self._database.atomic():
            yield self._database

    def _begin_reply(self, database: Database, conversation_id: int, parent_id: int | None, record: ReplyRecord) -> int:
        reply = self._add(database, conversation_id, parent_id, "assistant", "", "streaming")
        database["replies"].insert(
            {
                "message_id": reply,
                "model": record.model,
                "model_hash": record.model_hash,
                "settings": json.dumps(asdict(record.settings)),
                "token_ids": b"",
            }
        )
        return reply

    def _add(
        self,
        database: Database,
        conversation_id: int,
        parent_id: int | None,
        role: Role,
        text: str,
        state: MessageState,
    ) -> int:
        now = self._clock()
        row = {
            "conversation_id": conversation_id,
            "parent_id": parent_id,
            "role": role,
            "text": text,
            "state": state,
            "created": now,
            "error": "",
        }
        message_id = int(database["messages"].insert(row).last_pk)
        database["conversations"].update(conversation_id, {"leaf": message_id, "updated": now})
        return message_id


def move_aside(path: Path) -> Path:
    """Give a history that cannot be opened another name, untouched, so that a fresh one can begin.

    Returns:
        Where it is now.
    """
    stamp = datetime.now().strftime("%Y%m%d-%H%M%S")
    aside = path.with_name(f"{path.stem}.damaged-{stamp}{path.suffix}")
    for side in ("", *_SIDE_FILES):
        if (old := path.with_name(path.name + side)).exists():
            old.replace(aside.with_name(aside.name + side))
    return aside


_MESSAGES = """
    SELECT messages.*, replies.model, replies.model_hash, replies.settings, replies.seed, replies.stop_reason,
        replies.statistics, replies.token_ids
    FROM messages LEFT JOIN replies ON replies.message_id = messages.id
"""


def _message(row: dict[str, Any]) -> StoredMessage:
    reply = None if row["model"] is None else _reply(row)
    names = ("id", "conversation_id", "parent_id", "role", "text", "state", "created", "error")
    return StoredMessage(**{name: row[name] for name in names}, reply=reply)


def _reply(row: dict[str, Any]) -> ReplyRecord:
    settings = json.loads(row["settings"])
    return ReplyRecord(
        model=row["model"],
        model_hash=row["model_hash"],
        settings=GenerationSettings(**settings | {"stop": tuple(settings["stop"])}),
        seed=row["seed"],
        stop_reason=row["stop_reason"],
        statistics=Statistics(**json.loads(row["statistics"])) if row["statistics"] else None,
        token_ids=tuple(array("I", row["token_ids"])),
    )


def _packed(token_ids: Sequence[int]) -> bytes:
    return array("I", token_ids).tobytes()
