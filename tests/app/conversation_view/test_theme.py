"""Colours that can be read."""

import pytest

from app.conversation_view.theme import load_theme
from app.markdown.highlighting import _CATEGORIES


def luminance(colour: str) -> float:
    """Relative luminance as WCAG 2 defines it."""
    channels = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one: str, other: str) -> float:
    """Contrast ratio as WCAG 2 defines it."""
    light, dark = sorted((luminance(one), luminance(other)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


@pytest.mark.parametrize("dark", [False, True])
def test_text_has_a_contrast_of_at_least_four_and_a_half(dark: bool) -> None:
    theme = load_theme(dark)
    pairs = [
        *((theme.text, back) for back in (theme.background, theme.bubble, theme.code_background, theme.hover)),
        *((colour, theme.background) for colour in (theme.muted, theme.link, theme.notice)),
        *((colour, theme.inline_code_background) for colour in (theme.text, theme.muted, theme.link)),
        *((colour, theme.code_background) for colour in (theme.muted, theme.link, *theme.syntax.values())),
        (theme.selected_text, theme.selection),
    ]
    assert {pair: contrast(*pair) for pair in pairs if contrast(*pair) < 4.5} == {}


@pytest.mark.parametrize("dark", [False, True])
def test_every_category_of_code_has_a_colour(dark: bool) -> None:
    assert {category for _, category in _CATEGORIES} <= set(load_theme(dark).syntax)
