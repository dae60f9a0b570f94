"""One answer while it grows: it chooses its tokens and knows when it ends."""

import math
from collections.abc import Collection

from engine.cancellation import Cancellation
from engine.errors import ModelRunError
from engine.events import StopReason, TokenGenerated
from engine.forward import Logits
from engine.generation.candidates import top_alternatives
from engine.generation.sampling import Sampler, probability_of


class GrowingAnswer:
    """The tokens of one answer, however the logits for them are computed.

    Args:
        sampler: Chooses the tokens.
        end_token_ids: Tokens that end the answer; the one that did is given too.
        limit: The most tokens to generate, at least 1.
        cancellation: Ends the answer after the token that is being chosen.
        alternatives: How many of the most probable tokens are told with each token.

    Attributes:
        cancellation: As given.
        chosen: The newest token, which the model has not read yet; -1 before the first.
        generated: How many tokens were chosen.
    """

    def __init__(
        self,
        sampler: Sampler,
        end_token_ids: Collection[int],
        limit: int,
        cancellation: Cancellation,
        alternatives: int = 0,
    ) -> None:
        self._sampler = sampler
        self._end_token_ids = end_token_ids
        self._limit = limit
        self._alternatives = alternatives
        self.cancellation = cancellation
        self.chosen = -1
        self.generated = 0

    def choose(self, logits: Logits) -> TokenGenerated:
        """Choose the next token from one row of logits, shape (vocabulary,).

        Raises:
            ModelRunError: The logits are no numbers.
        """
        self.chosen = self._sampler.choose(logits)
        self.generated += 1
        probability = probability_of(self.chosen, logits)
        if math.isnan(probability):
            raise ModelRunError("The model computes no numbers; it is damaged, so import it again.")
        return TokenGenerated(self.chosen, probability, top_alternatives(logits, self._alternatives))

    @property
    def ended(self) -> StopReason | None:
        """Why the answer ends with the newest token, or None if it goes on."""
        constraint = self._sampler.constraint
        if constraint and (reason := constraint.ended):
            return reason
        if self.chosen in self._end_token_ids:
            return "end"
        if self.generated == self._limit:
            return "length"
        return "cancelled" if self.cancellation.requested else None
