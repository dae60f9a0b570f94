"""The generation loop: choose a token, stop or run the model on it, again."""

from collections.abc import Generator

from engine.events import StopReason, TokenGenerated
from engine.forward import Logits
from engine.generation.answer import GrowingAnswer
from engine.generation.speculation import Speculation


def generate_tokens(
    speculation: Speculation, logits: Logits, answer: GrowingAnswer
) -> Generator[TokenGenerated, None, StopReason]:
    """Generate the tokens of one answer.

    Args:
        speculation: The model, which has read the prompt.
        logits: Those after the last token of the prompt, shape (vocabulary,).
        answer: Chooses the tokens and says when to end.

    Yields:
        Each token as soon as it is chosen.

    Returns:
        Why the answer ended.

    Raises:
        ModelRunError: The runtime failed while it computed.
    """
    reason = answer.ended
    while reason is None:
        yield answer.choose(logits)
        reason = answer.ended
        if reason is None:
            logits = speculation.logits_after(answer.chosen)
    return reason
