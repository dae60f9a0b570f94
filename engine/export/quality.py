"""How near a quantised graph is to the model in float32, on a fixed text."""

from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from tokenizers import Tokenizer

from engine.forward.session import ForwardSession
from engine.models.manifest import Quality

POSITIONS = 500
POSITIONS_AT_ONCE = 50
TEXTS = Path(__file__).parents[2] / "resources" / "quality"


def quality_text(languages: Sequence[str]) -> str:
    """The fixed text in the languages that a model knows: Chinese and English, or English alone."""
    name = "chinese_and_english.txt" if "zh" in languages else "english.txt"
    return (TEXTS / name).read_text(encoding="utf-8")


def quality_token_ids(tokenizer: Tokenizer, languages: Sequence[str], context: int) -> list[int]:
    """The first `POSITIONS` tokens of the fixed text and the one after them, or as many as the context holds."""
    token_ids: list[int] = tokenizer.encode(quality_text(languages), add_special_tokens=False).ids
    return token_ids[: min(POSITIONS + 1, context)]


def measure_quality(
    session: ForwardSession,
    reference: NDArray[np.float32],
    token_ids: list[int],
    report: Callable[[float], None],
) -> Quality:
    """Compare a graph with the reference.

    Args:
        session: The graph, with an empty cache.
        reference: Logits of the model in float32 after each token but the last, ``[positions, vocabulary]``.
        token_ids: The text; one token more than there are positions, since each position is asked for the next one.
        report: Told the share that is measured, from 0 to 1.
    """
    positions = len(reference)
    agreed = divergence = surprise = reference_surprise = 0.0
    for start in range(0, positions, POSITIONS_AT_ONCE):
        report(start / positions)
        stop = min(start + POSITIONS_AT_ONCE, positions)
        expected, actual = reference[start:stop], session.forward(token_ids[start:stop], stop - start)
        expected_sums, actual_sums = _log_sum_exp(expected), _log_sum_exp(actual)
        rows, targets = np.arange(stop - start), token_ids[start + 1 : stop + 1]
        shares = np.exp(expected - expected_sums[:, None])
        # The difference of two log-softmaxes is that of the logits and of their log-sum-exps.
        divergence += float((np.einsum("ij,ij->i", shares, expected - actual) - expected_sums + actual_sums).sum())
        agreed += float((expected.argmax(axis=1) == actual.argmax(axis=1)).sum())
        surprise += float((actual_sums - actual[rows, targets]).sum())
        reference_surprise += float((expected_sums - expected[rows, targets]).sum())
    return Quality(
        agreement=agreed / positions,
        mean_kl=divergence / positions,
        perplexity=float(np.exp(surprise / positions)),
        reference_perplexity=float(np.exp(reference_surprise / positions)),
        positions=positions,
    )


def _log_sum_exp(logits: NDArray[np.float32]) -> NDArray[np.float32]:
    largest: NDArray[np.float32] = logits.max(axis=1)
    sums: NDArray[np.float32] = largest + np.log(np.exp(logits - largest[:, None]).sum(axis=1))
    return sums
