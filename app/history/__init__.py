"""The conversation history in SQLite: what was typed and said is never lost."""

from app.history.errors import DamagedHistoryError, HistoryError
from app.history.file import move_aside
from app.history.history import History
from app.history.records import Conversation, MessageState, ReplyRecord, StoredMessage
from app.history.search import SearchHit

__all__ = [
    "Conversation",
    "DamagedHistoryError",
    "History",
    "HistoryError",
    "MessageState",
    "ReplyRecord",
    "SearchHit",
    "StoredMessage",
    "move_aside",
]
