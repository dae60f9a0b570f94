"""Finds a short way to end a constrained text, for an answer that would be cut by its length limit."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from string import ascii_letters, digits, punctuation

import numpy as np
from llguidance import LLMatcher, LLTokenizer

CLOSING_TEXTS = ("}", "]", '"', "1", "null", "true", *punctuation.replace("\\", ""), *digits, " ", "\n", *ascii_letters)
"""What is tried at each place, the likeliest to end the text first; an escape only leads away from an end."""

OTHER_TRIES = 4
"""Allowed tokens that are tried where none of those leads to an end."""

LENGTHS = (8, 32, 128, 512)
"""Endings of at most so many tokens are looked for first, one length after the other."""

VISITS_PER_TOKEN = 32
"""Places that a search may look at, for each token that the ending may have."""


@dataclass(frozen=True, slots=True)
class _Branch:
    """Tokens to go on by, the room that is left then, what was allowed before them, and how often that had changed."""

    tokens: list[int]
    room: int
    mask: bytes
    changes: int


@dataclass(frozen=True, slots=True)
class _Place:
    """A place on a way: the tokens that led there from the one before, and the branches not tried yet."""

    tokens: list[int]
    branches: Iterator[_Branch]


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
            if (ending := search.run(length)) is not None:
                return ending
        return None


class _Search:
    """A search from where a matcher is, which is moved along and put back."""

    def __init__(self, matcher: LLMatcher, preferred: Sequence[int], visits: int) -> None:
        self._matcher = matcher
        self._preferred = preferred
        self._visits_left = visits
        self._room_when_seen: dict[tuple[bytes, int], int] = {}

    def run(self, longest: int) -> list[int] | None:
        way = [_Place([], self._branches_from(longest, b"", 0))]
        while way and not self._matcher.is_accepting():
            branch = next(way[-1].branches, None)
            if branch is None:
                self._matcher.rollback(len(way.pop().tokens))
                continue
            self._matcher.consume_tokens(branch.tokens)
            way.append(_Place(branch.tokens, self._branches_from(branch.room, branch.mask, branch.changes)))
        if not way:
            return None
        ending = [token_id for place in way for token_id in place.tokens]
        self._matcher.rollback(len(ending))
        return ending

    def _branches_from(self, room: int, mask_before: bytes, changes: int) -> Iterator[_Branch]:
        """The ways to go on from where the matcher is, once the first one is asked for.

        Args:
            room: The most tokens to go on by.
            mask_before: What was allowed one branch before.
            changes: How often that has changed on the way.
        """
        self._visits_left -= 1
        if self._visits_left < 0:
            return
        mask = self._matcher.compute_bitmask()
        changes += mask != mask_before
        # Where the same tokens are allowed as after another way with as many changes, the text is taken to be as far:
        # one character more inside a string leads nowhere.
        if self._room_when_seen.get((mask, changes), -1) >= room:
            return
        self._room_when_seen[mask, changes] = room
        forced = self._matcher.compute_ff_tokens()
        choices = [forced] if forced else self._choices(mask)
        for tokens in choices:
            if len(tokens) <= room:
                yield _Branch(tokens, room - len(tokens), mask, changes)
        # In a run of a given length, one character more does lead further, though nothing shows it.
        if choices and len(choices[0]) <= room:
            yield _Branch(choices[0], room - len(choices[0]), b"", changes)

    def _choices(self, mask: bytes) -> list[list[int]]:
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
