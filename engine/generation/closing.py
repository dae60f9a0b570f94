"""Finds a short way to end a constrained text, for an answer that would be cut by its length limit."""

from collections.abc import Sequence
from string import ascii_letters, digits, punctuation

import numpy as np
from llguidance import LLMatcher, LLTokenizer

CLOSING_TEXTS = ("}", "]", '"', "1", "null", "true", *punctuation.replace("\\", ""), *digits, " ", "\n", *ascii_letters)
"""What is tried at each place, the likeliest to end the text first; an escape only leads away from an end."""

OTHER_TRIES = 4
"""Allowed tokens that are tried where none of those leads to an end."""

LENGTHS = (8, 32, 128)
"""Endings of at most so many tokens are looked for first, one length after the other."""

VISITS_PER_TOKEN = 32
"""Places that a search may look at, for each token that the ending may have."""


class Closing:
    """Looks for endings of texts in the tokens of one model.

    Args:
        tokenizer: That of the model, in the form of `llguidance`.
    """

    def __init__(self, tokenizer: LLTokenizer) -> None:
        tokens = (tokenizer.tokenize_str(text) for text in CLOSING_TEXTS)
        self._preferred = tuple(dict.fromkeys(token_ids[0] for token_ids in tokens if len(token_ids) == 1))

    def find(self, matcher: LLMatcher, longest: int, guess: list[int] | None = None) -> list[int] | None:
        """Tokens that complete the text of a matcher, found depth first.

        Args:
            matcher: Where the text is; it is there again afterwards.
            longest: The most tokens of an ending.
            guess: What may be an ending: the one of the text before it grew often still is.

        Returns:
            The ending, empty where the text is complete already; None where none was found, which does not prove that
            there is none.
        """
        if guess is not None and len(guess) <= longest and _completes(guess, matcher):
            return guess
        for length in (*(length for length in LENGTHS if length < longest), longest):
            search = _Search(matcher, self._preferred, VISITS_PER_TOKEN * length)
            if (ending := search.extend(length, b"", 0)) is not None:
                return ending
        return None


class _Search:
    def __init__(self, matcher: LLMatcher, preferred: Sequence[int], visits: int) -> None:
        self._matcher = matcher
        self._preferred = preferred
        self._visits_left = visits
        self._room_when_seen: dict[tuple[bytes, int], int] = {}

    def extend(self, longest: int, mask_before: bytes, changes: int) -> list[int] | None:
        """Go on from where the matcher is, which is left there.

        Args:
            longest: The most tokens to go on by.
            mask_before: What was allowed one branch before.
            changes: How often that has changed on the way.
        """
        if self._matcher.is_accepting():
            return []
        self._visits_left -= 1
        if self._visits_left < 0:
            return None
        mask = self._matcher.compute_bitmask()
        changes += mask != mask_before
        # Where the same tokens are allowed as after another way with as many changes, the text is taken to be as far:
        # one character more inside a string leads nowhere.
        if self._room_when_seen.get((mask, changes), -1) >= longest:
            return None
        self._room_when_seen[mask, changes] = longest
        branches = self._branches(mask)
        for branch in branches:
            if ending := self._follow(branch, longest, mask, changes):
                return ending
        # In a run of a given length, one character more does lead further, though nothing shows it.
        return self._follow(branches[0], longest, b"", changes) if branches else None

    def _follow(self, branch: list[int], longest: int, mask: bytes, changes: int) -> list[int] | None:
        if len(branch) > longest:
            return None
        self._matcher.consume_tokens(branch)
        ending = self.extend(longest - len(branch), mask, changes)
        self._matcher.rollback(len(branch))
        return None if ending is None else [*branch, *ending]

    def _branches(self, mask: bytes) -> list[list[int]]:
        forced = self._matcher.compute_ff_tokens()
        if forced:
            return [forced]
        preferred = [token_id for token_id in self._preferred if mask[token_id // 8] >> token_id % 8 & 1]
        return [[token_id] for token_id in (*preferred, *_first_allowed(mask, OTHER_TRIES))]


def _completes(ending: list[int], matcher: LLMatcher) -> bool:
    taken = matcher.try_consume_tokens(ending)
    is_complete = taken == len(ending) and matcher.is_accepting()
    matcher.rollback(taken)
    return is_complete


def _first_allowed(mask: bytes, count: int) -> list[int]:
    allowed: list[int] = []
    for place in np.flatnonzero(np.frombuffer(mask, np.uint8))[:count].tolist():
        allowed.extend(8 * place + bit for bit in range(8) if mask[place] >> bit & 1)
    return allowed[:count]
