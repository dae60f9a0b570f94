"""What comes out of the engine: a generation is an iterator of these small frozen values.

The window, the command line and the tests read the same events. In order: one `PromptPrepared`, `PrefillProgress` and,
on request, `PromptScored` while the prompt is read, then `TokenGenerated` and `TextDelta` as the answer grows, and one
`Finished`. A failure is raised from the iterator instead of `Finished`, as a `SixpaneError`.
"""

import math
from dataclasses import dataclass
from typing import Literal, Self

StopReason = Literal["end", "length", "stop", "cancelled", "repetition"]


@dataclass(frozen=True, slots=True)
class PromptPrepared:
    """Stages 1 and 2 are done: the prompt fits and is tokenised.

    Attributes:
        prompt_token_ids: What the model reads.
        reused_tokens: How many of them the KV cache already holds from an earlier turn.
        dropped_messages: How many of the oldest messages did not fit into the context.
        seed: The seed in use, drawn if the settings named none.
    """

    prompt_token_ids: tuple[int, ...]
    reused_tokens: int
    dropped_messages: int
    seed: int


@dataclass(frozen=True, slots=True)
class PrefillProgress:
    """A chunk of the prompt was read: ``done`` of ``total`` tokens, reused ones included."""

    done: int
    total: int


@dataclass(frozen=True, slots=True)
class Alternative:
    """A token that may come at some place.

    Attributes:
        token_id: The token.
        log_probability: The natural logarithm of what the model itself gives it, before temperature and filters.
    """

    token_id: int
    log_probability: float


@dataclass(frozen=True, slots=True)
class TokenScore:
    """How probable the model found a token that was given to it.

    Attributes:
        token_id: The token.
        log_probability: Natural; None for the first token, before which the model has read nothing.
        alternatives: The most probable tokens at its place, the most probable first.
    """

    token_id: int
    log_probability: float | None
    alternatives: tuple[Alternative, ...]


@dataclass(frozen=True, slots=True)
class TextScore:
    """How probable the model found a text of two tokens or more."""

    scores: tuple[TokenScore, ...]

    @property
    def perplexity(self) -> float:
        """The exponential of the mean surprise of the tokens after the first."""
        known = [score.log_probability for score in self.scores if score.log_probability is not None]
        return math.exp(-sum(known) / len(known))


@dataclass(frozen=True, slots=True)
class PromptScored:
    """The next tokens of the prompt were read, and this is how probable they were."""

    scores: tuple[TokenScore, ...]


@dataclass(frozen=True, slots=True)
class TokenGenerated:
    """A token was chosen.

    Attributes:
        token_id: The token.
        probability: What the model itself gave it, before temperature and filters, from 0 to 1.
        alternatives: As many of the most probable tokens as the settings ask for, the most probable first.
    """

    token_id: int
    probability: float
    alternatives: tuple[Alternative, ...] = ()


@dataclass(frozen=True, slots=True)
class TextDelta:
    """Text to append to the answer; text already given never changes.

    Attributes:
        text: What the model said; the joined texts are the original, which is stored.
        shown: What the person sees of it, after the views of stage 6.
    """

    text: str
    shown: str


@dataclass(frozen=True, slots=True)
class Statistics:
    """Measured figures of one answer. Times in seconds, from a monotonic clock.

    Attributes:
        prompt_tokens: Tokens of the whole prompt.
        reused_tokens: Those of them that the KV cache already held.
        generated_tokens: Tokens chosen, the end token included.
        prefill_seconds: From the start of stage 3 until the logits for the first token were there.
        first_token_seconds: From the request until the first token was chosen.
        decode_seconds: From the first token until the last.
        drafted_tokens: Tokens that were guessed, and read along with the one before them.
        accepted_tokens: Those of them that came.
    """

    prompt_tokens: int
    reused_tokens: int
    generated_tokens: int
    prefill_seconds: float
    first_token_seconds: float
    decode_seconds: float
    drafted_tokens: int = 0
    accepted_tokens: int = 0

    @classmethod
    def of_nothing(cls) -> Self:
        """The figures of an answer that never began."""
        return cls(0, 0, 0, 0.0, 0.0, 0.0)

    @property
    def prefill_tokens_per_second(self) -> float:
        """Prompt tokens that were really computed, per second; 0 where nothing was measured."""
        return (self.prompt_tokens - self.reused_tokens) / self.prefill_seconds if self.prefill_seconds else 0.0

    @property
    def decode_tokens_per_second(self) -> float:
        """Tokens after the first, per second; 0 for an answer of one token."""
        return (self.generated_tokens - 1) / self.decode_seconds if self.decode_seconds else 0.0


@dataclass(frozen=True, slots=True)
class Finished:
    """The answer is complete.

    Attributes:
        reason: Why it ended.
        text: The whole answer; the joined deltas equal it.
        token_ids: Every generated token, the end token included.
        statistics: The measured figures.
        keeps_constraint: Whether the text keeps to the constraint of its settings; true where there is none.
    """

    reason: StopReason
    text: str
    token_ids: tuple[int, ...]
    statistics: Statistics
    keeps_constraint: bool = True


Event = PromptPrepared | PromptScored | PrefillProgress | TokenGenerated | TextDelta | Finished


@dataclass(frozen=True, slots=True)
class AnswerEvent:
    """An event of one of several answers.

    Attributes:
        index: Which answer, from 0.
        event: What happened; each answer has all the events that it would have alone.
    """

    index: int
    event: Event
