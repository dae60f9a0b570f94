"""Stages 5 and 6 of an answer: endless repetition ends it in prose, and not in code or tables."""

import pytest

from engine.events import StopReason, TokenGenerated
from engine.reply import Reply
from engine.settings import Constraint, GenerationSettings
from engine.speech import Speech
from engine.tokenization import Tokenizer
from tests.support.tokenizers import byte_level_tokenizer

DEFAULTS = GenerationSettings()


def ended_by(text: str, settings: GenerationSettings = DEFAULTS) -> StopReason | None:
    """Why an answer of this text ends by itself."""
    tokenizer = Tokenizer(byte_level_tokenizer())
    speech = Speech(tokenizer, settings, Reply())
    for token_id in tokenizer.fast.encode(text, add_special_tokens=False).ids:
        list(speech.feed(TokenGenerated(token_id, 1.0)))
        if speech.ended:
            return speech.ended
    return None


@pytest.mark.parametrize("passage", ["again ", "go on\n", "是的。"])
def test_prose_that_comes_again_for_ever_is_ended(passage: str) -> None:
    assert ended_by(passage * 100) == "repetition"


@pytest.mark.parametrize("text", ["```\n" + "x = 0\n" * 100, "| a | b |\n|---|---|\n" + "| 0 | 0 |\n" * 100])
def test_code_and_tables_may_have_rows_that_are_alike(text: str) -> None:
    assert ended_by(text) is None


def test_code_that_is_followed_by_prose_is_not_ended_after_it() -> None:
    assert ended_by("```\n" + "x = 0\n" * 100 + "```\nThat makes a hundred of them.") is None


def test_blocks_of_code_that_come_again_for_ever_are_ended() -> None:
    assert ended_by("```\nx = 0\n```\n\n" * 100) == "repetition"


def test_a_stop_string_ends_the_answer() -> None:
    assert ended_by("one two three", GenerationSettings(stop=("two",))) == "stop"


def test_under_a_constraint_the_text_goes_on_until_it_is_complete() -> None:
    settings = GenerationSettings(constraint=Constraint("regex", "(again ){120}"))
    assert ended_by("again " * 100, settings) is None


def test_a_stop_token_ends_the_answer_and_is_not_said() -> None:
    tokenizer = Tokenizer(byte_level_tokenizer())
    token_ids = tokenizer.fast.encode("ab!c", add_special_tokens=False).ids
    reply = Reply()
    speech = Speech(tokenizer, GenerationSettings(stop_token_ids=(token_ids[2],)), reply)

    for token_id in token_ids[:3]:
        assert speech.ended is None
        list(speech.feed(TokenGenerated(token_id, 1.0)))
    list(speech.flush())

    assert speech.ended == "stop"
    assert reply.finish("stop").text == "ab"
