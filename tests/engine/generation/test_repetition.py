"""The repetition guard: endless repetition is noticed, ordinary text is not; and what is prose."""

from itertools import cycle, islice

import pytest

from engine.generation.repetition import ProseTracker, RepetitionGuard


def tokens_until_noticed(tokens: list[int]) -> int | None:
    guard = RepetitionGuard()
    return next((count for count, token in enumerate(tokens, 1) if guard.is_endless(token)), None)


@pytest.mark.parametrize("period", [1, 3, 12, 64])
def test_a_passage_that_comes_for_ever_is_noticed(period: int) -> None:
    noticed = tokens_until_noticed([500, 501, *islice(cycle(range(period)), 1000)])

    assert noticed is not None
    assert noticed <= 2 + max(96, 8 * period)


def test_a_passage_that_comes_seven_times_is_not_endless() -> None:
    assert tokens_until_noticed([*list(range(30)) * 7, 999]) is None


def test_text_that_differs_each_time_is_not_endless() -> None:
    assert tokens_until_noticed([token for number in range(200) for token in (1, 2, 3, 10 + number)]) is None


@pytest.mark.parametrize(
    "text",
    [
        "",
        "A sentence",
        "```\ncode\n```\n",
        "~~~~ python\n~~~\n~~~~\nprose",
        "| a | b |\n|---|---|\n| 1 | 2 |\n\nprose",
        "a | b",
    ],
)
def test_prose_is_told_from_code_and_tables(text: str) -> None:
    assert is_prose_after(text)


@pytest.mark.parametrize(
    "text",
    [
        "```\n",
        "```python\nprint()\n",
        "> ```\n> code\n",
        "````\n```\n",
        "```\n``` not an end\n",
        "| a | b",
        "| a | b |\n",
        "text\n\n  | a |\n|---",
    ],
)
def test_code_and_tables_are_no_prose(text: str) -> None:
    assert not is_prose_after(text)


def is_prose_after(text: str) -> bool:
    """The same, whether the text comes at once or letter by letter."""
    whole, letters = ProseTracker(), ProseTracker()
    whole.feed(text)
    for letter in text:
        letters.feed(letter)
    assert whole.is_prose == letters.is_prose
    return whole.is_prose
