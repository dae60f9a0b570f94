"""How probable a model finds tokens that are given: a prompt, or any text."""

from collections.abc import Generator, Sequence

from engine.errors import InputError, PromptTooLongError
from engine.events import TextScore, TokenScore
from engine.forward import Logits
from engine.forward.session import ForwardSession
from engine.generation.candidates import log_probability_of, top_alternatives
from engine.preprocess.prompt import Segment
from engine.settings import check_alternatives
from engine.tokenization import Tokenizer

CHUNK = 64
"""Tokens that are read at once: every one of them needs a whole row of logits."""


def score_tokens(
    session: ForwardSession, token_ids: Sequence[int], alternatives: int
) -> Generator[tuple[TokenScore, ...], None, Logits]:
    """Read tokens from their beginning, whatever of them is known already, and tell how probable each one was.

    Args:
        session: The model.
        token_ids: At least one.
        alternatives: How many of the most probable tokens are told at each place.

    Yields:
        The scores of a run of tokens; the first token of all, before which the model has read nothing, has none.

    Returns:
        Logits after the last token, float32 of shape (vocabulary,); valid until the next call.

    Raises:
        ModelRunError: The runtime failed while it computed.
    """
    cache = session.caches.use(token_ids, 0)
    after: Logits | None = None
    for start in range(0, len(token_ids), CHUNK):
        chunk = token_ids[start : start + CHUNK]
        logits = session.read(cache, chunk, len(chunk))
        before = [after, *logits[:-1]]
        yield tuple(_score(token_id, row, alternatives) for token_id, row in zip(chunk, before, strict=True))
        after = logits[-1].copy()
    assert after is not None
    return after


def score_text(session: ForwardSession, tokenizer: Tokenizer, text: str, alternatives: int) -> TextScore:
    """Read a text that stands for itself; see `Pipeline.score`."""
    check_alternatives(alternatives)
    token_ids = tokenizer.encode([Segment(text, is_control=False)])
    if len(token_ids) < 2:
        raise InputError("The text is too short: the first token cannot be scored, and there is no other.")
    if (over := len(token_ids) - session.context_length) > 0:
        raise PromptTooLongError("The text is {over} tokens longer than the context of the model.", over=over)
    return TextScore(tuple(score for run in score_tokens(session, token_ids, alternatives) for score in run))


def _score(token_id: int, logits: Logits | None, alternatives: int) -> TokenScore:
    if logits is None:
        return TokenScore(token_id, None, ())
    return TokenScore(token_id, log_probability_of(token_id, logits), top_alternatives(logits, alternatives))
