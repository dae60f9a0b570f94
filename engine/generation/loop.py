"""The generation loop: choose a token, stop or run the model on it, again."""

from collections.abc import Collection, Generator

from engine.cancellation import Cancellation
from engine.events import StopReason, TokenGenerated
from engine.forward import Logits
from engine.forward.session import ForwardSession
from engine.generation.repetition import RepetitionGuard
from engine.generation.sampling import Sampler, probability_of


def generate_tokens(
    session: ForwardSession,
    logits: Logits,
    sampler: Sampler,
    end_token_ids: Collection[int],
    limit: int,
    cancellation: Cancellation,
) -> Generator[TokenGenerated, None, StopReason]:
    """Generate the tokens of one answer.

    Args:
        session: The model, which has read the prompt.
        logits: Those after the last token of the prompt, shape (vocabulary,).
        sampler: Chooses the tokens.
        end_token_ids: Tokens that end the answer; the one that did is given too.
        limit: The most tokens to generate, at least 1.
        cancellation: Looked at before every run of the model.

    Yields:
        Each token as soon as it is chosen.

    Returns:
        Why the answer ended.

    Raises:
        ModelRunError: The runtime failed while it computed.
    """
    guard = RepetitionGuard()
    for left in range(limit - 1, -1, -1):
        if cancellation.requested:
            return "cancelled"
        token_id = sampler.choose(logits)
        yield TokenGenerated(token_id, probability_of(token_id, logits))
        if token_id in end_token_ids:
            return "end"
        if guard.is_endless(token_id):
            return "repetition"
        if left and not cancellation.requested:
            logits = session.forward([token_id])[0]
    return "length"
