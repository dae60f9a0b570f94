"""How good the guesses of speculative decoding were."""

from dataclasses import dataclass


@dataclass(slots=True)
class Acceptance:
    """How good the guesses were.

    Attributes:
        drafted: Tokens that were guessed and read.
        accepted: Those of them that came.
    """

    drafted: int = 0
    accepted: int = 0
