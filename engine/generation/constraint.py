"""Answers that must keep to a JSON schema, a regular expression or a grammar.

After every token `llguidance` says which tokens may come next; the sampler chooses among these alone. Where the
constraint leaves one text only, its tokens are forced, and the model reads them in one run.
"""

import json
from collections import deque
from collections.abc import Collection, Sequence
from itertools import islice

import numpy as np
from llguidance import LLMatcher, LLTokenizer
from numpy.typing import NDArray
from tokenizers import Tokenizer as FastTokenizer

from engine.errors import SettingsError
from engine.events import StopReason
from engine.forward import Logits
from engine.generation.closing import Closing
from engine.settings import Constraint

LONGEST_ENDING = 2048
"""Longer endings are not looked for."""

LOOK_EVERY = 16
NEAR_ENDING = 4
NEAR_TOKENS = 256
"""Whether a text can still be closed is looked at every so many tokens, and at every one as soon as only so many times
the length of its ending, and so many tokens, are left."""

LONGEST_DRAFT = 31
"""Forced tokens that the model reads in one run."""


class ConstrainedText:
    """How far the text of one answer has come in its constraint.

    Args:
        matcher: At the beginning of the text.
        closing: Finds endings.
        end_token_ids: Tokens that end an answer.
        limit: The most tokens of the answer.

    Raises:
        SettingsError: No text that keeps to the constraint was found within the limit.

    Attributes:
        forced: The tokens that come next, without a choice.
    """

    def __init__(self, matcher: LLMatcher, closing: Closing, end_token_ids: Sequence[int], limit: int) -> None:
        self._matcher = matcher
        self._closing = closing
        self._end_token_ids = end_token_ids
        self._room = limit
        self._is_cut = False
        self._next_look = limit
        self._ending = closing.find(matcher, min(limit, LONGEST_ENDING))
        if self._ending is None and limit <= LONGEST_ENDING:
            raise SettingsError(
                "No answer of at most {limit} tokens was found that keeps to the constraint; allow more tokens.",
                limit=limit,
            )
        self.forced = deque(matcher.compute_ff_tokens())

    @property
    def is_satisfied(self) -> bool:
        """Whether the text as it is keeps to the constraint."""
        return bool(self._matcher.is_accepting())

    @property
    def ended(self) -> StopReason | None:
        """Why the answer ends with the newest token: the constraint allows no more, or the text had to be closed."""
        if self._is_cut:
            return None if self.forced else "length"
        return "end" if self._matcher.is_stopped() else None

    def restrict(self, scored: Logits, logits: Logits) -> Logits:
        """Leave the tokens that may come next.

        Args:
            scored: Logits after penalties and biases, shape (vocabulary,).
            logits: Those of the model itself, which decide where the other settings forbid whatever is allowed.

        Returns:
            Shape (vocabulary,); minus infinity for tokens that must not come.
        """
        allowed = self._allowed(len(logits))
        restricted = np.where(allowed, scored, -np.inf)
        return restricted if np.isfinite(restricted.max()) else np.where(allowed, logits, -np.inf)

    def take(self, token_id: int) -> int:
        """Go on by a token that was chosen.

        Returns:
            That token; near the length limit, where the text could not be closed after it, one that closes the text.

        Raises:
            SettingsError: The constraint became too complex to be followed.
        """
        self._room -= 1
        if self.forced:
            self.forced.popleft()
            self._consume(token_id)
            self._ending = self._ending[1:] if self._ending and self._ending[0] == token_id else None
        else:
            token_id = self._take_free(token_id)
        if not self.forced and not self._is_cut:
            self.forced.extend(self._matcher.compute_ff_tokens())
        return token_id

    def _take_free(self, token_id: int) -> int:
        if self._room > self._next_look:
            self._consume(token_id)
            self._ending = None
            return token_id
        before = self._ending if self._ending is not None else self._find(self._room + 1)
        self._consume(token_id)
        after = self._find(self._room, before[1:] if before and before[0] == token_id else before)
        if after is None and before is not None:
            return self._close(before)
        self._ending = after
        is_near = after is None or self._room < NEAR_ENDING * len(after) + NEAR_TOKENS
        self._next_look = self._room if is_near else self._room - LOOK_EVERY
        return token_id

    def _find(self, longest: int, guess: list[int] | None = None) -> list[int] | None:
        return self._closing.find(self._matcher, min(longest, LONGEST_ENDING), guess)

    def _close(self, ending: Sequence[int]) -> int:
        """Put the rest of an ending in the place of the newest token; where it has none, a token that ends answers."""
        self._matcher.rollback(1)
        self._is_cut = True
        first, *rest = ending or self._end_token_ids[:1]
        self.forced.extend(rest)
        self._consume(first)
        return first

    def _consume(self, token_id: int) -> None:
        if not self._matcher.consume_token(token_id):
            raise SettingsError(
                "The constraint cannot be followed any further ({reason}).", reason=_reason(self._matcher.get_error())
            )

    def _allowed(self, vocabulary: int) -> NDArray[np.bool_]:
        allowed = np.zeros(vocabulary, bool)
        if self.forced:
            allowed[self.forced[0]] = True
            return allowed
        bits = np.unpackbits(np.frombuffer(self._matcher.compute_bitmask(), np.uint8), bitorder="little")
        # The tokenizer may know fewer tokens than the model has logits, and its mask is padded.
        known = min(vocabulary, len(bits))
        allowed[:known] = bits[:known]
        return allowed


class ForcedDrafter:
    """Guesses what a constraint forces, which cannot be wrong."""

    is_certain = True
    cost = 0.0

    def __init__(self, text: ConstrainedText) -> None:
        self._text = text

    def add(self, token_id: int) -> None:
        """Nothing is kept here: the text itself goes on as tokens are chosen."""

    def draft(self, longest: int) -> Sequence[int]:
        """The forced tokens, so many that the logits of a run stay small."""
        return list(islice(self._text.forced, min(longest, LONGEST_DRAFT)))


class ConstraintCompiler:
    """Prepares constraints for one model.

    Args:
        tokenizer: That of the model.
        end_token_ids: Tokens that end an answer.
    """

    def __init__(self, tokenizer: FastTokenizer, end_token_ids: Collection[int]) -> None:
        self._tokenizer = LLTokenizer(tokenizer.to_str(), eos_token=list(end_token_ids))
        self._closing = Closing(self._tokenizer)
        self._end_token_ids = list(end_token_ids)

    def start(self, constraint: Constraint, limit: int) -> ConstrainedText:
        """Begin a text that keeps to a constraint.

        Args:
            constraint: What the text must be.
            limit: The most tokens of the answer.

        Raises:
            SettingsError: The constraint is not valid, asks for what is not supported, or cannot be met within the
                limit.
        """
        matcher = LLMatcher(self._tokenizer, _grammar_of(constraint), log_level=0)
        if matcher.is_error():
            raise SettingsError("The constraint cannot be used ({reason}).", reason=_reason(matcher.get_error()))
        return ConstrainedText(matcher, self._closing, self._end_token_ids, limit)


def _grammar_of(constraint: Constraint) -> str:
    if constraint.kind == "regex":
        return LLMatcher.grammar_from_regex(constraint.text)
    if constraint.kind == "grammar":
        return LLMatcher.grammar_from_lark(constraint.text)
    return _grammar_of_schema(constraint.text)


def _grammar_of_schema(text: str) -> str:
    try:
        schema = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise SettingsError("The JSON schema is not valid JSON ({reason}).", reason=error) from error
    if not isinstance(schema, dict):
        raise SettingsError("The JSON schema is no object.")
    # Written in one way alone, the one that models most often choose for a line, more of the text is forced.
    return LLMatcher.grammar_from_json_schema(
        schema, overrides={"whitespace_flexible": False, "item_separator": ", ", "key_separator": ": "}
    )


def _reason(message: str) -> str:
    """The line of a message of `llguidance` that says most."""
    lines = [line.strip() for line in message.splitlines() if line.strip()]
    errors = [line.removeprefix("error: ") for line in lines if line.startswith("error: ")]
    return (errors or lines or ["unknown reason"])[0]
