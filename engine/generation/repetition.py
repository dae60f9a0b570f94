"""Notices that an answer repeats itself without end."""

from collections import deque

LONGEST_PERIOD = 64
"""The longest repeated passage that is noticed, in tokens."""

FEWEST_REPEATS = 8
FEWEST_TOKENS = 96
"""A passage must have come this often, and cover this many tokens, before it counts as endless."""


class RepetitionGuard:
    """Watches the tokens of one answer for a passage that comes again and again."""

    def __init__(self) -> None:
        self._recent: deque[int] = deque(maxlen=LONGEST_PERIOD)
        self._equal = [0] * LONGEST_PERIOD

    def is_endless(self, token_id: int) -> bool:
        """Take the next token and say whether the end of the answer is now one passage repeated."""
        for index, earlier in enumerate(reversed(self._recent)):
            self._equal[index] = self._equal[index] + 1 if earlier == token_id else 0
        self._recent.append(token_id)
        return any(
            equal + index + 1 >= max(FEWEST_TOKENS, FEWEST_REPEATS * (index + 1))
            for index, equal in enumerate(self._equal)
        )
