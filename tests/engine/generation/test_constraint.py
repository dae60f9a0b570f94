"""Constraints: whatever the model would say, the answer keeps to them, also where its length limit cuts in."""

import json
import re
from typing import Any

import jsonschema
import numpy as np
import pytest
from tokenizers import Tokenizer

from engine.errors import SettingsError
from engine.generation.constraint import ConstrainedText, ConstraintCompiler, ForcedDrafter
from engine.generation.sampling import Sampler
from engine.settings import Constraint, ConstraintKind, GenerationSettings
from tests.support.tokenizers import byte_fallback_tokenizer, byte_level_tokenizer

TOKENIZER = byte_level_tokenizer()
END = 2
COMPILER = ConstraintCompiler(TOKENIZER, [END])
SAMPLED = GenerationSettings(temperature=1, top_k=0, top_p=1, min_p=0)

ORDER = {
    "type": "object",
    "properties": {
        "id": {"type": "integer", "minimum": 1, "maximum": 999},
        "items": {
            "type": "array",
            "items": {
                "type": "object",
                "properties": {"name": {"type": "string", "maxLength": 12}, "price": {"type": "number"}},
                "required": ["name", "price"],
                "additionalProperties": False,
            },
            "minItems": 1,
        },
        "state": {"enum": ["open", "paid", "已取消"]},
        "day": {"type": "string", "format": "date"},
    },
    "required": ["id", "items", "state", "day"],
    "additionalProperties": False,
}


def schema(value: object) -> Constraint:
    return Constraint("json_schema", json.dumps(value))


def answer(
    constraint: Constraint, limit: int, seed: int, settings: GenerationSettings = SAMPLED
) -> tuple[str, ConstrainedText]:
    """What a model that babbles says under a constraint, as the generation loop would let it."""
    random = np.random.default_rng(seed)
    text = COMPILER.start(constraint, limit)
    sampler = Sampler(settings, seed, (), (END,), text)
    token_ids: list[int] = []
    while len(token_ids) < limit and text.ended is None and END not in token_ids:
        token_ids.append(sampler.choose(random.normal(0, 3, TOKENIZER.get_vocab_size()).astype(np.float32)))
    return TOKENIZER.decode([token_id for token_id in token_ids if token_id != END]), text


@pytest.mark.parametrize("limit", [110, 115, 120, 127, 140, 180, 255, 256, 257, 300, 600])
def test_json_keeps_to_its_schema_at_every_length_limit(limit: int) -> None:
    for seed in range(5):
        said, text = answer(schema(ORDER), limit, seed)

        assert text.is_satisfied
        jsonschema.validate(json.loads(said), ORDER)


@pytest.mark.parametrize("limit", [2, 3, 5, 8, 20, 64, 300])
def test_any_json_is_closed_however_deep_it_is(limit: int) -> None:
    for seed in range(20):
        said, text = answer(schema({}), limit, seed)

        assert text.is_satisfied
        json.loads(said)


@pytest.mark.parametrize("limit", [60, 300, 700])
def test_a_structure_that_would_grow_for_ever_is_closed(limit: int) -> None:
    tree = {
        "$ref": "#/$defs/sum",
        "$defs": {
            "sum": {
                "anyOf": [
                    {"type": "integer", "minimum": 0, "maximum": 9},
                    {"type": "object", "properties": {"a": {"$ref": "#/$defs/sum"}, "b": {"$ref": "#/$defs/sum"}}}
                    | {"required": ["a", "b"], "additionalProperties": False},
                ]
            }
        },
    }
    logits = np.zeros(TOKENIZER.get_vocab_size(), np.float32)
    logits[TOKENIZER.token_to_id("{")] = 100
    text = COMPILER.start(schema(tree), limit)
    sampler = Sampler(SAMPLED, 1, (), (END,), text)
    token_ids: list[int] = []
    while text.ended is None:
        token_ids.append(sampler.choose(logits))

    assert limit - 40 < len(token_ids) <= limit
    jsonschema.validate(json.loads(TOKENIZER.decode(token_ids)), tree)


@pytest.mark.parametrize(
    ("kind", "source", "pattern"),
    [
        ("regex", r"[A-Z]{2}-[0-9]{3,5}", r"[A-Z]{2}-[0-9]{3,5}"),
        ("regex", r"(red|green|blue)(, (red|green|blue))*", r"(red|green|blue)(, (red|green|blue))*"),
        ("regex", r"[一-龥]{2,8}。", r"[一-龥]{2,8}。"),
        ("grammar", 'start: "(" start ")" | "x"', r"\(*x\)*"),
        ("grammar", 'start: NUMBER ("+" NUMBER)*\nNUMBER: /[0-9]+/', r"[0-9]+(\+[0-9]+)*"),
    ],
)
@pytest.mark.parametrize("limit", [30, 40, 90])
def test_expressions_and_grammars_are_kept_to(kind: ConstraintKind, source: str, pattern: str, limit: int) -> None:
    for seed in range(10):
        said, text = answer(Constraint(kind, source), limit, seed)

        assert text.is_satisfied
        assert re.fullmatch(pattern, said)
        assert said.count("(") == said.count(")")


def test_the_reason_tells_a_text_that_is_complete_from_one_that_was_closed() -> None:
    complete = COMPILER.start(Constraint("regex", "yes"), 10)
    for token_id in TOKENIZER.encode("yes").ids:
        assert complete.ended is None
        complete.take(token_id)
    assert complete.ended == "end"

    closed = COMPILER.start(Constraint("regex", "[a-z]+[.]"), 4)
    (letter,) = TOKENIZER.encode("a").ids
    said = [closed.take(letter) for _ in range(4)]
    assert TOKENIZER.decode(said) == "aaa."
    assert closed.ended == "length"


def test_what_the_constraint_forces_is_drafted() -> None:
    text = COMPILER.start(schema({"const": {"name": "x"}}), 50)
    drafter = ForcedDrafter(text)

    assert TOKENIZER.decode(list(drafter.draft(50))) == '{"name": "x"}'
    assert len(drafter.draft(3)) == 3
    text.take(text.forced[0])
    assert len(ForcedDrafter(COMPILER.start(Constraint("regex", "x{900}"), 900)).draft(900)) < 100
    assert TOKENIZER.decode(list(drafter.draft(50))) == '"name": "x"}'


def test_only_a_forced_token_may_come_even_if_a_shorter_one_would_keep_to_the_constraint() -> None:
    fallback = byte_fallback_tokenizer(["y", "ye", "yes"])
    text = ConstraintCompiler(fallback, [0]).start(Constraint("regex", "yes"), 10)
    logits = np.zeros(fallback.get_vocab_size(), np.float32)

    allowed = np.flatnonzero(np.isfinite(text.restrict(logits, logits)))

    assert allowed.tolist() == [text.forced[0]]


@pytest.mark.parametrize("tokenizer", [byte_level_tokenizer(), byte_fallback_tokenizer(["a", "b", "ab"])])
def test_both_kinds_of_tokenizers_are_understood(tokenizer: Tokenizer) -> None:
    text = ConstraintCompiler(tokenizer, [0]).start(Constraint("regex", "[ab]x?"), 10)
    logits = np.zeros(tokenizer.get_vocab_size() + 5, np.float32)

    allowed = np.flatnonzero(np.isfinite(text.restrict(logits, logits))).tolist()

    assert {tokenizer.decode([token_id]) for token_id in allowed} == {"a", "b"}


@pytest.mark.parametrize(
    "changes",
    [
        {"min_new_tokens": 60},
        {"no_repeat_ngram": 1},
        {"logit_bias": tuple((token_id, -100.0) for token_id in range(200))},
        {"repetition_penalty": 5.0},
        {"typical_p": 0.5},
        {"temperature": 0.0},
        {"top_k": 1},
        {"top_p": 0.1, "min_p": 0.5},
    ],
    ids=str,
)
def test_the_constraint_is_stronger_than_other_settings(changes: dict[str, Any]) -> None:
    said, text = answer(Constraint("regex", "(ab|cd)+"), 40, 1, GenerationSettings(**changes))

    assert text.is_satisfied
    assert re.fullmatch("(ab|cd)+", said)


def test_among_what_is_allowed_the_distribution_is_that_of_the_model() -> None:
    logits = np.random.default_rng(3).normal(0, 2, TOKENIZER.get_vocab_size()).astype(np.float32)
    letters = [TOKENIZER.token_to_id(letter) for letter in "abc"]
    counts = dict.fromkeys(letters, 0)
    for seed in range(3000):
        counts[Sampler(SAMPLED, seed, (), (END,), COMPILER.start(Constraint("regex", "[abc]"), 9)).choose(logits)] += 1

    expected = np.exp(logits[letters]) / np.exp(logits[letters]).sum() * 3000
    chi_square = float(((np.array(list(counts.values())) - expected) ** 2 / expected).sum())
    assert chi_square < 13.8, "the 0.1 % point of the distribution with two degrees of freedom"


@pytest.mark.parametrize(
    ("constraint", "sentence"),
    [
        (Constraint("json_schema", "{"), "not valid JSON"),
        (Constraint("json_schema", "[1]"), "no object"),
        (Constraint("json_schema", "[" * 100_000), "not valid JSON"),
        (schema({"type": "strin"}), "Invalid type: strin"),
        (schema({"$ref": "https://example.org/x"}), "cannot be used"),
        (schema(False), "no object"),
        (schema({"enum": []}), "cannot be used"),
        (schema({"type": "array", "uniqueItems": True}), "uniqueItems"),
        (Constraint("regex", "[a"), "unclosed character class"),
        (Constraint("regex", "(?=a)b"), "look-ahead"),
        (Constraint("grammar", "start: other"), "other"),
        (Constraint("grammar", ""), "cannot be used"),
    ],
)
def test_a_constraint_that_cannot_be_used_is_refused_in_one_sentence(constraint: Constraint, sentence: str) -> None:
    with pytest.raises(SettingsError, match=re.escape(sentence)) as caught:
        COMPILER.start(constraint, 100)
    assert "\n" not in str(caught.value)


def test_a_limit_that_no_text_fits_into_is_refused_at_once() -> None:
    with pytest.raises(SettingsError, match="at most 5 tokens"):
        COMPILER.start(schema(ORDER), 5)
