"""What goes into the engine: messages with their roles."""

from dataclasses import dataclass
from typing import Literal

Role = Literal["system", "user", "assistant"]


@dataclass(frozen=True, slots=True)
class Message:
    """One message of a conversation, as typed by a person or as said by a model.

    Attributes:
        role: Who speaks.
        text: The original text; it is data everywhere and never becomes a control token.
    """

    role: Role
    text: str
