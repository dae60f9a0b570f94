"""Speculative decoding: the model reads a token and guessed next ones in one run, which costs little more than a step.

The sampler draws every token from the logits of the model itself, as it would without guesses; a guess only decides
whether these logits are there already. So the text of a seed, and the distribution of all texts, do not depend on the
guesses: this is the acceptance rule of Leviathan et al. 2023 (arXiv:2211.17192) for drafts that are certain of
themselves.
"""

from collections.abc import Iterable, Sequence

from engine.forward import Logits
from engine.forward.session import ForwardSession
from engine.generation.acceptance import Acceptance
from engine.generation.drafters import Drafter

VERIFY_RATIO = 1.5
"""How many times as long a step with four tokens takes as one with a single token, where it was not measured."""

FIRST_CREDIT = 1.0
CREDIT_PER_TOKEN = 0.02
LARGEST_CREDIT = 8.0
"""Steps that wrong guesses may cost: a first try, a share of every token, and what right guesses have gained."""


class Speculation:
    """Gives the logits after each token of an answer, by as few runs of the model as guesses allow.

    Where guesses lose, they stop: what they cost beyond a first try is bounded by what they gained and two hundredths
    of the answer. All decisions follow from the tokens alone, never from a clock, so that a seed gives the same runs.

    Args:
        session: The model, which has read the prompt.
        drafters: Asked in turn; the first one that has a guess is heard.
        last: The most tokens of prompt and answer: nothing is read beyond.
        verify_ratio: How many times as long a step with four tokens takes as one with a single token.
        acceptance: Counts the guesses.
    """

    def __init__(
        self,
        session: ForwardSession,
        drafters: Iterable[Drafter],
        last: int,
        acceptance: Acceptance,
        verify_ratio: float = VERIFY_RATIO,
    ) -> None:
        self._session = session
        self._drafters = tuple(drafters)
        self._last = last
        self._acceptance = acceptance
        self._cost_per_guess = (verify_ratio - 1) / 3
        self._credit = FIRST_CREDIT
        self._cost = 0.0
        self._draft: Sequence[int] = ()
        self._logits: Logits
        self._place = 0

    def logits_after(self, token_id: int) -> Logits:
        """The logits after the next token of the answer, shape (vocabulary,); valid until the next call.

        Raises:
            ModelRunError: The runtime failed while it computed.
        """
        for drafter in self._drafters:
            drafter.add(token_id)
        if self._place < len(self._draft) and self._draft[self._place] == token_id:
            self._place += 1
            self._acceptance.accepted += 1
        else:
            self._settle()
            self._read(token_id)
        logits: Logits = self._logits[self._place]
        return logits

    def _read(self, token_id: int) -> None:
        self._draft, self._cost = self._next_draft()
        self._logits = self._session.forward([token_id, *self._draft], 1 + len(self._draft))
        self._acceptance.drafted += len(self._draft)
        self._place = 0

    def _settle(self) -> None:
        """Forget what was guessed wrongly, and reckon up what the guess was worth."""
        wrong = len(self._draft) - self._place
        if wrong:
            self._session.cache.rewind(len(self._session.cache.token_ids) - wrong)
        gained = self._place - self._cost
        self._credit = min(self._credit + gained + (1 + self._place) * CREDIT_PER_TOKEN, LARGEST_CREDIT)

    def _next_draft(self) -> tuple[Sequence[int], float]:
        room = max(self._last - len(self._session.cache.token_ids) - 2, 0)
        for drafter in self._drafters:
            cost = 0.0 if drafter.is_certain else self._cost_per_guess + drafter.cost
            longest = min(room, int(self._credit / cost)) if cost else room
            if longest and (draft := drafter.draft(longest)):
                return draft, cost * len(draft)
        return (), 0.0
