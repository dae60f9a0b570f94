"""Closing: from wherever a constrained text is, a short way to its end is found."""

import json
from typing import Any

import pytest
from llguidance import LLMatcher, LLTokenizer

from engine.generation.closing import Closing
from tests.support.tokenizers import byte_level_tokenizer

TOKENIZER = LLTokenizer(byte_level_tokenizer().to_str(), eos_token=[2])
CLOSING = Closing(TOKENIZER)

PERSON = {
    "type": "object",
    "properties": {
        "name": {"type": "string", "minLength": 2},
        "age": {"type": "integer"},
        "colours": {"type": "array", "items": {"enum": ["red", "green"]}, "minItems": 2},
    },
    "required": ["name", "age", "colours"],
    "additionalProperties": False,
}


def matcher_of(grammar: str, text: str = "") -> LLMatcher:
    matcher = LLMatcher(TOKENIZER, grammar)
    assert not matcher.is_error(), matcher.get_error()
    assert matcher.consume_tokens(TOKENIZER.tokenize_str(text))
    return matcher


def ending(grammar: str, text: str = "", longest: int = 256) -> str | None:
    found = CLOSING.find(matcher_of(grammar, text), longest)
    return None if found is None else TOKENIZER.decode_str(found)


@pytest.mark.parametrize(
    ("schema", "begun"),
    [
        ({}, ""),
        ({}, '{"a": [1, {"b": "text'),
        ({}, '{"a": "an escape \\'),
        ({"type": "string", "format": "uuid"}, '"1234'),
        ({"type": "string", "format": "date-time"}, ""),
        ({"type": "string", "pattern": "^[A-Z]{3}-[0-9]{4}$"}, '"AB'),
        ({"type": "array", "items": {"type": "string", "minLength": 8}, "minItems": 5}, '["'),
        (PERSON, ""),
        (PERSON, '{"name": "Ann'),
        (PERSON, '{"name": "Ann", "age": 12, "colours": ["re'),
    ],
)
def test_a_begun_json_text_is_completed(schema: dict[str, Any], begun: str) -> None:
    grammar = LLMatcher.grammar_from_json_schema(schema)

    found = ending(grammar, begun)

    assert found is not None
    json.loads(begun + found)
    assert matcher_of(grammar, begun + found).is_accepting()


@pytest.mark.parametrize(
    ("regex", "begun", "expected"),
    [("[a-z]{3}", "ab", 1), ("([a-z]+ ){5}", "a b", 7), ("a*", "aaa", 0), ("[一-龥]{2}。", "", 9), ("x{60}", "", 60)],
)
def test_the_ending_of_an_expression_is_as_short_as_it_can_be_in_bytes(regex: str, begun: str, expected: int) -> None:
    found = ending(LLMatcher.grammar_from_regex(regex), begun)

    assert found is not None
    assert len(found.encode()) == expected


def test_a_rule_that_repeats_is_left_as_soon_as_it_may_be() -> None:
    found = ending(LLMatcher.grammar_from_lark('start: item+ "END"\nitem: /[a-z]/ ";"\n'))

    assert found is not None
    assert len(found) <= 8
    assert found.endswith(";END")


def test_none_is_found_where_the_room_is_too_small_and_the_text_stays_where_it_is() -> None:
    matcher = matcher_of(LLMatcher.grammar_from_json_schema(PERSON), '{"name": "A')
    before = matcher.compute_bitmask()

    assert CLOSING.find(matcher, 10) is None
    assert matcher.compute_bitmask() == before
    assert CLOSING.find(matcher, 100) is not None
    assert matcher.compute_bitmask() == before


def test_a_guess_is_kept_if_it_is_an_ending_and_only_then() -> None:
    matcher = matcher_of(LLMatcher.grammar_from_regex("[a-z]+\\."), "a")
    right, wrong = TOKENIZER.tokenize_str("bcd."), TOKENIZER.tokenize_str("bcd")

    assert CLOSING.find(matcher, 10, right) == right
    assert CLOSING.find(matcher, 3, right) != right
    assert CLOSING.find(matcher, 10, wrong) != wrong
