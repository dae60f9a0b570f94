"""What the history holds, as values."""

from dataclasses import dataclass
from typing import Literal

from engine import GenerationSettings, Role, Statistics, StopReason

MessageState = Literal["complete", "streaming", "interrupted", "failed"]
"""How far a message is: only replies are ever anything but complete."""


@dataclass(frozen=True, slots=True)
class Conversation:
    """A conversation in the list; times in seconds since 1970."""

    id: int
    title: str
    created: float
    updated: float


@dataclass(frozen=True, slots=True)
class ReplyRecord:
    """How a reply was made, enough to make it again.

    Attributes:
        model: Name of the model.
        model_hash: The hash of its folder.
        settings: The settings, as asked for.
        seed: The seed in use; None until the reply is finished.
        stop_reason: Why it ended; None while it streams, and when it never ended.
        statistics: Measured figures; None until the reply is finished.
        token_ids: The generated tokens.
    """

    model: str
    model_hash: str
    settings: GenerationSettings
    seed: int | None = None
    stop_reason: StopReason | None = None
    statistics: Statistics | None = None
    token_ids: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class StoredMessage:
    """A message on the disk.

    Attributes:
        id: Grows with every message; the order of messages.
        conversation_id: Where it belongs.
        parent_id: The message that it follows; None for the first.
        role: Who speaks.
        text: The original text.
        state: How far it is.
        created: Seconds since 1970; only for people to read, never for the order.
        reply: How it was made; None for what a person typed.
        error: The sentence of a failure, else empty.
        versions: The ids of its versions, the oldest first, its own among them; known where a whole thread is read.
    """

    id: int
    conversation_id: int
    parent_id: int | None
    role: Role
    text: str
    state: MessageState
    created: float
    reply: ReplyRecord | None
    error: str
    versions: tuple[int, ...] = ()
