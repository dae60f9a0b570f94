"""Control characters are shown, never obeyed."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.postprocess import present


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("a\tb\nc", "a\tb\nc"),
        ("a\r\nb", "a\nb"),
        ("\x1b[31mred", "␛[31mred"),
        ("\x00\x7f", "␀␡"),
        ("user\u202etxt.exe", "user[RIGHT-TO-LEFT OVERRIDE]txt.exe"),
        ("用Python写 🧪", "用Python写 🧪"),
    ],
)
def test_control_characters_become_visible(text: str, shown: str) -> None:
    assert present(text) == shown


@given(st.text(), st.integers(0, 20))
def test_a_stream_in_pieces_shows_the_same_as_the_whole(text: str, cut: int) -> None:
    assert present(text[:cut]) + present(text[cut:]) == present(text)
