"""The look: readable in light and dark."""

import pytest
from PySide6.QtGui import QColor

from app.theme import CHEVRON, load_window_theme


def contrast(one: str, other: str) -> float:
    """Contrast ratio as WCAG defines it."""

    def luminance(colour: str) -> float:
        parts = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in rgb(colour)]
        return 0.2126 * parts[0] + 0.7152 * parts[1] + 0.0722 * parts[2]

    def rgb(colour: str) -> tuple[float, float, float]:
        named = QColor(colour)
        return named.redF(), named.greenF(), named.blueF()

    light, dark = sorted((luminance(one), luminance(other)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


@pytest.mark.parametrize("dark", [False, True])
def test_text_stands_out_from_what_is_behind_it(dark: bool) -> None:
    theme = load_window_theme(dark)
    pairs = [(theme.text, behind) for behind in (theme.background, theme.sidebar, theme.field, theme.selected)]
    pairs += [(theme.muted, behind) for behind in (theme.background, theme.sidebar, theme.field)]
    pairs += [
        (theme.accent_text, theme.accent),
        (theme.accent_text, theme.accent_hover),
        (theme.warning_text, theme.warning),
        (theme.highlight_text, theme.highlight),
    ]

    assert [pair for pair in pairs if contrast(*pair) < 4.5] == []


@pytest.mark.parametrize("dark", [False, True])
def test_the_focus_ring_stands_out(dark: bool) -> None:
    theme = load_window_theme(dark)

    assert all(contrast(theme.focus, behind) >= 3 for behind in (theme.background, theme.sidebar, theme.field))


def test_the_pictures_are_where_they_are_looked_for() -> None:
    assert CHEVRON.is_file()
    assert (CHEVRON.parent / "sixpane.svg").is_file()
