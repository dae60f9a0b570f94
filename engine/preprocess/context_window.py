"""The context window: the system text and the newest whole turns that fit, the question always last."""

from bisect import bisect_left
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from engine.conversation import Message
from engine.errors import PromptTooLongError


@dataclass(frozen=True, slots=True)
class Window:
    """What of a conversation goes into the prompt.

    Attributes:
        messages: The system text, the turns that stay and the question.
        dropped: How many of the oldest messages, the system text not counted, stay out.
    """

    messages: tuple[Message, ...]
    dropped: int


def fit_window(
    conversation: Sequence[Message], count_tokens: Callable[[Sequence[Message]], int], budget: int
) -> Window:
    """Drop whole turns, oldest first, until the prompt fits.

    A turn is a message of the user with all that follows it up to the next one. The number of prompts that are counted
    grows with the logarithm of the number of turns.

    Args:
        conversation: The messages, a system message first if there is one, the question last.
        count_tokens: Exact number of tokens of the whole prompt for these messages.
        budget: The most tokens that the prompt may have.

    Raises:
        PromptTooLongError: Even the system text and the question alone do not fit.
    """
    system = [message for message in conversation[:1] if message.role == "system"]
    rest = list(conversation[len(system) :])
    starts = [0, *(index for index, message in enumerate(rest) if message.role == "user" and index > 0)]

    def fits(start: int) -> bool:
        return count_tokens([*system, *rest[start:]]) <= budget

    kept_from = bisect_left(starts, True, key=fits)
    if kept_from == len(starts):
        over = count_tokens([*system, *rest[starts[-1] :]]) - budget
        raise PromptTooLongError(
            "The question is {over} tokens too long for this model; shorten it and send it again.", over=over
        )
    start = starts[kept_from]
    return Window(messages=(*system, *rest[start:]), dropped=start)
