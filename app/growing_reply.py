"""What is known of a reply while it streams."""

from dataclasses import dataclass, field
from time import monotonic


@dataclass
class GrowingReply:
    """A reply that streams.

    Attributes:
        conversation_id: Where it belongs, whatever is shown meanwhile.
        question: What it answers.
        model: Name of the model that makes it.
        turns: Ids of the questions and answers that were given to the engine, in order.
        text: The original text so far.
        token_ids: The tokens so far.
        seed: The seed in use.
        context_tokens: Tokens of prompt and answer so far.
        first_token: When the first token came, on the monotonic clock.
        saved_length: Length of the text that is on the disk.
        has_begun: Whether the engine is at it; before, it waits for the model or for another reply.
        is_stopped: Whether the person stopped it; what still comes is dropped.
    """

    conversation_id: int
    question: str
    model: str
    turns: tuple[int, ...]
    text: str = ""
    token_ids: list[int] = field(default_factory=list)
    seed: int = 0
    context_tokens: int = 0
    first_token: float | None = None
    saved_length: int = 0
    has_begun: bool = False
    is_stopped: bool = False

    @property
    def tokens_per_second(self) -> float:
        """Measured here, while it streams; 0 before the second token."""
        if self.first_token is None or len(self.token_ids) < 2:
            return 0.0
        return (len(self.token_ids) - 1) / max(monotonic() - self.first_token, 1e-3)
