"""Guess the next tokens of an answer cheaply: from what was said before, or by a smaller model."""

from collections.abc import Sequence
from typing import Protocol

from engine.forward.session import PREFILL_CHUNK, ForwardSession

NGRAM = 3
"""So many tokens in a row must have come before; shorter runs come again by chance."""

LONGEST_GUESS = 15
"""Tokens that are guessed at once from what was said before."""

LONGEST_MODEL_GUESS = 8
"""Tokens that a draft model guesses at once."""


class Drafter(Protocol):
    """Guesses what comes next.

    Attributes:
        is_certain: Whether its guesses cannot be wrong.
        cost: What it takes to guess a token, in steps of the model itself.
    """

    is_certain: bool
    cost: float

    def add(self, token_id: int) -> None:
        """The answer has one more token."""
        ...

    def draft(self, longest: int) -> Sequence[int]:
        """At most `longest` next tokens; none where there is no reason for a guess."""
        ...


class NgramDrafter:
    """Guesses that what follows is what followed the same tokens before, in the prompt or in the answer.

    The longer answer and source have run side by side, the longer the guess. Source: Yang et al. 2023, Inference with
    reference, arXiv:2304.04487.

    Args:
        prompt: Token ids of the prompt.
    """

    is_certain = False
    cost = 0.0

    def __init__(self, prompt: Sequence[int]) -> None:
        self._token_ids: list[int] = []
        self._after: dict[tuple[int, ...], int] = {}
        self._source: int | None = None
        self._agreed = 0
        for token_id in prompt:
            self.add(token_id)

    def add(self, token_id: int) -> None:
        """The answer has one more token."""
        if self._source is not None and self._token_ids[self._source] == token_id:
            self._source += 1
            self._agreed += 1
        else:
            self._source = None
        self._token_ids.append(token_id)
        newest = tuple(self._token_ids[-NGRAM:])
        if self._source is None and newest in self._after:
            self._source, self._agreed = self._after[newest], NGRAM
        self._after[newest] = len(self._token_ids)

    def draft(self, longest: int) -> Sequence[int]:
        """What followed last time; one less than a power of two, so that few shapes of runs are needed."""
        if self._source is None:
            return ()
        available = min(self._agreed, LONGEST_GUESS, longest, len(self._token_ids) - self._source)
        count = 2 ** ((available + 1).bit_length() - 1) - 1
        return self._token_ids[self._source : self._source + count]


class ModelDrafter:
    """Lets a smaller model with the same tokenizer go ahead.

    Source: Leviathan et al. 2023, Fast inference from transformers via speculative decoding, arXiv:2211.17192, with
    the most probable token of the draft model as the guess.

    Args:
        draft_model: The smaller model.
        prompt: Token ids of the prompt.
        cost: What a step of the draft model costs, in steps of the model itself.
    """

    is_certain = False

    def __init__(self, draft_model: ForwardSession, prompt: Sequence[int], cost: float) -> None:
        self._draft_model = draft_model
        self._token_ids = list(prompt)
        self.cost = cost
        self._guess: list[int] = []
        self._guessed_after = 0
        self._count = LONGEST_MODEL_GUESS // 2

    def add(self, token_id: int) -> None:
        """The answer has one more token."""
        self._token_ids.append(token_id)

    def draft(self, longest: int) -> Sequence[int]:
        """What the draft model would say; longer after a guess that was right, shorter after one that was not."""
        count = min(longest, self._draft_model.context_length - len(self._token_ids))
        if count <= 0 or not self._has_caught_up():
            return ()
        if self._guess:
            said = self._token_ids[self._guessed_after : self._guessed_after + len(self._guess)]
            self._count = min(self._count + 1, LONGEST_MODEL_GUESS) if said == self._guess else max(self._count - 1, 1)
        self._guessed_after = len(self._token_ids)
        self._guess = [int(self._draft_model.read_prompt(self._token_ids).argmax())]
        while len(self._guess) < min(self._count, count):
            self._guess.append(int(self._draft_model.forward(self._guess[-1:])[0].argmax()))
        return self._guess

    def _has_caught_up(self) -> bool:
        """Read at most one chunk of a long prompt, so that the answer goes on meanwhile and a stop is noticed."""
        known = self._draft_model.reusable(self._token_ids)
        if known + PREFILL_CHUNK >= len(self._token_ids):
            return True
        self._draft_model.read_prompt(self._token_ids[: known + PREFILL_CHUNK])
        return False
