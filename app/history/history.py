"""Everything that is done with conversations, as short methods named after what the person does."""

import json
import time
from array import array
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any, Self

from sqlite_utils import Database

from app.history.characters import well_formed
from app.history.errors import sentences
from app.history.file import connect_and_lock, peek
from app.history.migrations import migrate, refuse_newer
from app.history.records import Conversation, MessageState, ReplyRecord, StoredMessage
from app.history.search import SearchHit, prepare_search, search
from app.history.titles import one_line, title_of
from engine import GenerationSettings, Role, Statistics, StopReason


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
            DamagedHistoryError: The file is no database, one of another program, or damaged.
            HistoryError: It cannot be opened: locked by another window, newer than this program, no rights, …; a file
                that is refused for its content is not touched.
        """
        with sentences(path):
            refuse_newer(peek(path), path)
            connection = connect_and_lock(path)
            try:
                # Without plugins: no package that happens to be installed may run code on the history.
                database = Database(connection, execute_plugins=False)
                migrate(database, path, clock())
                prepare_search(connection)
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
                "SELECT id, title, created, updated FROM conversations WHERE deleted IS NULL ORDER BY recency DESC"
            )
            return [Conversation(**row) for row in rows]

    def create_conversation(self, title: str = "") -> Conversation:
        """Begin a conversation; without a title it gets one from its first question."""
        now = self._clock()
        title = one_line(title)
        with self._transaction() as database:
            row = {"title": title, "titled_by_hand": bool(title), "created": now, "updated": now}
            conversation_id = int(database["conversations"].insert(row | {"recency": _next(database)}).last_pk)
        return Conversation(conversation_id, title, now, now)

    def rename(self, conversation_id: int, title: str) -> None:
        """Give a title by hand, which no question changes any more."""
        with self._transaction() as database:
            database["conversations"].update(conversation_id, {"title": one_line(title), "titled_by_hand": True})

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
        text = well_formed(text)
        with self._transaction() as database:
            conversation = database["conversations"].get(conversation_id)
            question = self._add(database, conversation_id, conversation["leaf"], "user", text, "complete")
            reply = self._begin_reply(database, conversation_id, question, ReplyRecord(model, model_hash, settings))
            if not conversation["titled_by_hand"] and not conversation["title"]:
                database["conversations"].update(conversation_id, {"title": title_of(text)})
        return self.message(question), self.message(reply)

    def ask_instead(
        self, message_id: int, text: str, settings: GenerationSettings, model: str, model_hash: str
    ) -> tuple[StoredMessage, StoredMessage]:
        """Store another version of a question, which stays, and the empty reply that will be filled."""
        text = well_formed(text)
        with self._transaction() as database:
            old = database["messages"].get(message_id)
            question = self._add(database, old["conversation_id"], old["parent_id"], "user", text, "complete")
            record = ReplyRecord(model, model_hash, settings)
            reply = self._begin_reply(database, old["conversation_id"], question, record)
        return self.message(question), self.message(reply)

    def regenerate(self, message_id: int, settings: GenerationSettings, model: str, model_hash: str) -> StoredMessage:
        """Begin another reply beside one, which stays; the new one is now shown.

        Raises:
            ValueError: The message is a question.
        """
        with self._transaction() as database:
            old = database["messages"].get(message_id)
            if old["role"] != "assistant":
                raise ValueError(f"message {message_id} is no reply")
            record = ReplyRecord(model, model_hash, settings)
            reply = self._begin_reply(database, old["conversation_id"], old["parent_id"], record)
        return self.message(reply)

    def save_partial(self, message_id: int, text: str, token_ids: Sequence[int]) -> None:
        """Store what there is of a reply that still streams; one that has ended stays as it is."""
        self._fill(message_id, {"text": text}, {"token_ids": _packed(token_ids)})

    def finish(
        self,
        message_id: int,
        text: str,
        stop_reason: StopReason,
        seed: int,
        statistics: Statistics,
        token_ids: Sequence[int],
    ) -> None:
        """Store a reply that ended, for whatever reason; one that has ended before stays as it is."""
        how = {
            "stop_reason": stop_reason,
            "seed": seed,
            "statistics": json.dumps(asdict(statistics)),
            "token_ids": _packed(token_ids),
        }
        self._fill(message_id, {"text": text, "state": "complete"}, how)

    def fail(self, message_id: int, text: str, error: str) -> None:
        """Store a reply that failed, with what there is of it; one that has ended before stays as it is."""
        self._fill(message_id, {"text": text, "state": "failed", "error": well_formed(error)}, {})

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
        versions: dict[int | None, list[int]] = {}
        for message in messages.values():
            versions.setdefault(message.parent_id, []).append(message.id)
        thread: list[StoredMessage] = []
        while leaf is not None:
            message = messages[leaf]
            thread.append(replace(message, versions=tuple(sorted(versions[message.parent_id]))))
            leaf = message.parent_id
        return thread[::-1]

    def show_branch_of(self, message_id: int) -> None:
        """Make the branch that holds a message the shown one; where it branches again, its newest end."""
        with self._transaction() as database:
            leaf = database.execute(_NEWEST_END, [message_id]).fetchone()[0]
            conversation_id = database["messages"].get(message_id)["conversation_id"]
            database["conversations"].update(conversation_id, {"leaf": leaf})

    def search(self, term: str, limit: int = 50) -> list[SearchHit]:
        """Find the words of a term, in any case, in titles and texts."""
        with sentences(self._path):
            return search(self._database, term, limit)

    @contextmanager
    def _transaction(self) -> Iterator[Database]:
        with sentences(self._path), self._database.atomic():
            yield self._database

    def _fill(self, message_id: int, message: dict[str, str], how: Mapping[str, object]) -> None:
        with self._transaction() as database:
            # A late word of a job that was stopped must not change what is complete.
            if database["messages"].get(message_id)["state"] != "streaming":
                return
            database["messages"].update(message_id, message | {"text": well_formed(message["text"])})
            if how:
                database["replies"].update(message_id, dict(how))

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
        changes = {"leaf": message_id, "updated": now, "recency": _next(database)}
        database["conversations"].update(conversation_id, changes)
        return message_id


def _next(database: Database) -> int:
    """A place in the list before all others, whatever the clock says."""
    number: int = database.execute("SELECT coalesce(max(recency), 0) + 1 FROM conversations").fetchone()[0]
    return number


# An id grows with every message, so the largest one below a message is an end.
_NEWEST_END = """
    WITH RECURSIVE below (id) AS (
        SELECT ? UNION ALL SELECT messages.id FROM messages JOIN below ON messages.parent_id = below.id
    )
    SELECT max(id) FROM below
"""

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
