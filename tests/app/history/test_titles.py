"""Titles: the first line of the question, cut where a reader would cut it."""

import pytest

from app.history.titles import LONGEST_TITLE, title_of


@pytest.mark.parametrize(
    ("question", "title"),
    [
        ("What is the capital of Japan?", "What is the capital of Japan?"),
        ("\n\n  法国的首都是什么  \n谢谢", "法国的首都是什么"),
        ("字" * 80, "字" * LONGEST_TITLE + "…"),
        ("word " * 20, "word " * 11 + "word…"),
        ("a" * 59 + "e\u0301" + "b" * 9, "a" * 59 + "…"),
        ("a" * 58 + "👨‍👩‍👧" + "b" * 9, "a" * 58 + "…"),
        ("a" * 58 + "👍🏽" + "b" * 9, "a" * 58 + "👍🏽…"),
        ("a" * 59 + "🇯🇵🇨🇳" + "b" * 9, "a" * 59 + "…"),
        ("a" * 58 + "🇯🇵🇨🇳" + "b" * 9, "a" * 58 + "🇯🇵…"),
        ("\0\t \nWhat\tis\u3000this?\0", "What is this?"),
        ("   ", ""),
    ],
)
def test_the_title_is_the_first_line_that_is_not_blank(question: str, title: str) -> None:
    assert title_of(question) == title
