"""The settings of one generation, validated where they are made."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Self

from engine.errors import SettingsError

LARGEST_SEED = 2**63 - 1
LARGEST_BEAMS = 16


@dataclass(frozen=True, slots=True)
class GenerationSettings:
    """How the next token is chosen and when generation ends.

    Attributes:
        temperature: Divides the logits before the softmax; 0 means greedy decoding.
        top_k: Only the k most probable tokens remain; 0 keeps all.
        top_p: Only the smallest set of most probable tokens whose probabilities reach this sum remains; 1 keeps all.
        min_p: Only tokens with at least this share of the largest probability remain; 0 keeps all.
        repetition_penalty: Divides positive and multiplies negative logits of tokens already seen; 1 changes nothing.
        typical_p: Only the tokens nearest to the expected surprise remain that reach this sum; 1 keeps all.
        frequency_penalty: Subtracted from the logit of a token of the answer for each time that it came; 0 for none.
        presence_penalty: Subtracted once from the logit of every token of the answer; 0 for none.
        no_repeat_ngram: No run of so many tokens comes twice, the prompt included; 0 allows it.
        logit_bias: Token ids and what is added to their logits.
        seed: Starts the random numbers; the same seed and settings give the same text. None draws a new one.
        min_new_tokens: The answer does not end by itself before it has so many tokens.
        max_new_tokens: The longest answer, in tokens.
        beams: How many answers a beam search lets grow together, of which the most probable is given; 1 for none. Beams
            follow the probabilities of the model itself: what is said above of drawing has no part in it.
        length_penalty: For beams: 0 compares sums of log-probabilities, 1 their means; higher favours long answers.
        stop: Texts that end the answer; they are not shown.
        speculate: Whether next tokens are guessed, so that one run of the model may give several. The text is that
            without guesses, as far as the model computes one token and several alike: in fp32 it does, while
            quantised graphs round differently and may part where two tokens are nearly as probable.

    Raises:
        SettingsError: A value is outside its range.
    """

    temperature: float = 0.7
    top_k: int = 40
    top_p: float = 0.95
    min_p: float = 0.05
    repetition_penalty: float = 1.0
    typical_p: float = 1.0
    frequency_penalty: float = 0.0
    presence_penalty: float = 0.0
    no_repeat_ngram: int = 0
    logit_bias: tuple[tuple[int, float], ...] = ()
    seed: int | None = None
    min_new_tokens: int = 0
    max_new_tokens: int = 1024
    stop: tuple[str, ...] = ()
    beams: int = 1
    length_penalty: float = 1.0
    speculate: bool = True

    @classmethod
    def from_json(cls, values: Mapping[str, Any]) -> Self:
        """Make settings of what `dataclasses.asdict` gave and JSON kept; what was not known then has its default.

        Raises:
            SettingsError: A value is outside its range.
        """
        return cls(
            **{
                **values,
                "stop": tuple(values.get("stop", ())),
                "logit_bias": tuple((int(token_id), float(bias)) for token_id, bias in values.get("logit_bias", ())),
            }
        )

    def __post_init__(self) -> None:
        _require(0 <= self.temperature <= 5, "temperature", "from 0 to 5", self.temperature)
        _require(self.top_k >= 0, "top-k", "0 or more", self.top_k)
        _require(0 < self.top_p <= 1, "top-p", "above 0 and at most 1", self.top_p)
        _require(0 <= self.min_p <= 1, "min-p", "from 0 to 1", self.min_p)
        _require(
            0 < self.repetition_penalty <= 10, "repetition penalty", "above 0 and at most 10", self.repetition_penalty
        )
        _require(0 < self.typical_p <= 1, "typical-p", "above 0 and at most 1", self.typical_p)
        _require(-2 <= self.frequency_penalty <= 2, "frequency penalty", "from -2 to 2", self.frequency_penalty)
        _require(-2 <= self.presence_penalty <= 2, "presence penalty", "from -2 to 2", self.presence_penalty)
        _require(self.no_repeat_ngram >= 0, "no-repeat n-gram", "0 or more", self.no_repeat_ngram)
        _require(self.min_new_tokens >= 0, "min-new-tokens", "0 or more", self.min_new_tokens)
        for token_id, bias in self.logit_bias:
            _require(token_id >= 0 and -100 <= bias <= 100, "logit bias", "from -100 to 100 for a token id", bias)
        _require(self.max_new_tokens >= 1, "max-new-tokens", "1 or more", self.max_new_tokens)
        _require(1 <= self.beams <= LARGEST_BEAMS, "beams", f"from 1 to {LARGEST_BEAMS}", self.beams)
        _require(-5 <= self.length_penalty <= 5, "length penalty", "from -5 to 5", self.length_penalty)
        _require(self.seed is None or 0 <= self.seed <= LARGEST_SEED, "seed", f"from 0 to {LARGEST_SEED}", self.seed)
        if not all(self.stop):
            raise SettingsError("A text that ends the answer must not be empty.")


def _require(holds: bool, name: str, allowed: str, value: object) -> None:
    if not holds:
        raise SettingsError(
            "The setting {name} must be {allowed}, not {value}.", name=name, allowed=allowed, value=value
        )
