"""The settings of one generation, validated where they are made."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, Self, get_args

from engine.errors import SettingsError

LARGEST_SEED = 2**63 - 1
LARGEST_BEAMS = 16
LARGEST_ALTERNATIVES = 100

ConstraintKind = Literal["json_schema", "regex", "grammar"]


@dataclass(frozen=True, slots=True)
class Constraint:
    """What the text of an answer must be.

    Attributes:
        kind: What `text` is: a JSON schema, a regular expression that the whole answer matches, or a grammar in the
            Lark dialect of `llguidance`, whose rule ``start`` is the whole answer.
        text: The schema, expression or grammar itself.

    Raises:
        SettingsError: The kind is unknown.
    """

    kind: ConstraintKind
    text: str

    def __post_init__(self) -> None:
        if self.kind not in get_args(ConstraintKind):
            raise SettingsError("Sixpane does not know the kind of constraint {kind}.", kind=self.kind)


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
        stop_token_ids: Tokens that end the answer; they are not shown.
        alternatives: How many of the most probable tokens are told with each token of the answer.
        score_prompt: Whether the probabilities of the prompt's tokens are told, too, with as many alternatives; the
            prompt is read from its beginning then.
        speculate: Whether next tokens are guessed, so that one run of the model may give several. The text is that
            without guesses, as far as the model computes one token and several alike: in fp32 it does, while
            quantised graphs round differently and may part where two tokens are nearly as probable.
        constraint: What the text must be, or None. It is stronger than every other setting, and the answer ends where
            it is complete; at the length limit its text is closed, not cut.

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
    stop_token_ids: tuple[int, ...] = ()
    alternatives: int = 0
    score_prompt: bool = False
    beams: int = 1
    length_penalty: float = 1.0
    speculate: bool = True
    constraint: Constraint | None = None

    @classmethod
    def from_json(cls, values: Mapping[str, Any]) -> Self:
        """Make settings of what `dataclasses.asdict` gave and JSON kept; what was not known then has its default.

        Raises:
            SettingsError: A value is outside its range.
        """
        constraint = values.get("constraint")
        return cls(
            **{
                **values,
                "constraint": constraint and Constraint(**constraint),
                "stop": tuple(values.get("stop", ())),
                "stop_token_ids": tuple(values.get("stop_token_ids", ())),
                "logit_bias": tuple((int(token_id), float(bias)) for token_id, bias in values.get("logit_bias", ())),
            }
        )

    def __post_init__(self) -> None:
        _check_range("temperature", self.temperature, 0, 5)
        _check_least("top-k", self.top_k, 0)
        _check_positive("top-p", self.top_p, 1)
        _check_range("min-p", self.min_p, 0, 1)
        _check_positive("repetition penalty", self.repetition_penalty, 10)
        _check_positive("typical-p", self.typical_p, 1)
        _check_range("frequency penalty", self.frequency_penalty, -2, 2)
        _check_range("presence penalty", self.presence_penalty, -2, 2)
        _check_least("no-repeat n-gram", self.no_repeat_ngram, 0)
        _check_least("min-new-tokens", self.min_new_tokens, 0)
        for token_id, bias in self.logit_bias:
            _check_least("token id of a logit bias", token_id, 0)
            _check_range("logit bias", bias, -100, 100)
        _check_least("max-new-tokens", self.max_new_tokens, 1)
        _check_range("beams", self.beams, 1, LARGEST_BEAMS)
        _check_range("length penalty", self.length_penalty, -5, 5)
        if self.seed is not None:
            _check_range("seed", self.seed, 0, LARGEST_SEED)
        for token_id in self.stop_token_ids:
            _check_least("stop token", token_id, 0)
        check_alternatives(self.alternatives)
        if not all(self.stop):
            raise SettingsError("A text that ends the answer must not be empty.")
        if self.constraint and self.beams > 1:
            raise SettingsError("Beam search follows no constraint; ask for one of the two.")
        if self.constraint and (self.stop or self.stop_token_ids):
            raise SettingsError("A constraint ends the answer by itself; leave out what else would end it.")
        if self.alternatives and self.beams > 1:
            raise SettingsError("Beam search tells no alternatives; ask for one of the two.")


def check_alternatives(count: int) -> None:
    """Refuse a number of alternatives that no token should have.

    Raises:
        SettingsError: It is outside its range.
    """
    _check_range("alternatives", count, 0, LARGEST_ALTERNATIVES)


def _check_range(name: str, value: float, least: float, most: float) -> None:
    if not least <= value <= most:
        raise SettingsError(
            "The setting {name} must be from {least} to {most}, not {value}.",
            name=name,
            least=least,
            most=most,
            value=value,
        )


def _check_positive(name: str, value: float, most: float) -> None:
    if not 0 < value <= most:
        raise SettingsError(
            "The setting {name} must be above 0 and at most {most}, not {value}.", name=name, most=most, value=value
        )


def _check_least(name: str, value: float, least: float) -> None:
    if not value >= least:
        raise SettingsError(
            "The setting {name} must be {least} or more, not {value}.", name=name, least=least, value=value
        )
