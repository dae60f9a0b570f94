"""The context window: system text and newest whole turns, the question always last."""

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.conversation import Message
from engine.errors import PromptTooLongError
from engine.preprocess.context_window import fit_window


def one_token_per_character(messages: Sequence[Message]) -> int:
    return sum(len(message.text) for message in messages)


def turn(name: str, length: int) -> list[Message]:
    return [Message("user", name * (length // 2)), Message("assistant", name * (length - length // 2))]


def test_the_newest_whole_turns_that_fit_stay() -> None:
    system = Message("system", "s" * 10)
    turns = [message for name in "abcdef" for message in turn(name, 20)]
    question = Message("user", "q" * 15)

    window = fit_window([system, *turns, question], one_token_per_character, 80)

    assert window.messages == (system, *turns[-4:], question)
    assert window.dropped == 8


def test_a_question_that_cannot_fit_is_refused_with_the_number_of_tokens() -> None:
    conversation = [Message("system", "s" * 10), *turn("a", 20), Message("user", "q" * 75)]

    with pytest.raises(PromptTooLongError) as refusal:
        fit_window(conversation, one_token_per_character, 80)

    assert refusal.value.values == {"over": 5}


@given(st.lists(st.integers(2, 30), max_size=8), st.integers(1, 30), st.integers(1, 120))
def test_what_stays_fits_and_one_turn_more_would_not(lengths: list[int], question: int, budget: int) -> None:
    turns = [message for length in lengths for message in turn("a", length)]
    conversation = [*turns, Message("user", "q" * question)]
    if question > budget:
        return

    window = fit_window(conversation, one_token_per_character, budget)

    assert window.messages == tuple(conversation[window.dropped :])
    assert one_token_per_character(window.messages) <= budget
    assert not window.dropped or one_token_per_character(conversation[window.dropped - 2 :]) > budget
