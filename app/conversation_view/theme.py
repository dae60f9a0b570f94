"""The colours of the conversation, read from the theme files."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

_FOLDER = Path(__file__).resolve().parents[2] / "resources" / "themes"


@dataclass(frozen=True, slots=True)
class Theme:
    """Colours as ``#rrggbb``.

    Attributes:
        background: Behind everything.
        text: Ordinary text.
        muted: Figures, labels and quoted text.
        link: Links.
        border: Lines of tables, rules and code blocks.
        bubble: Behind what the person typed.
        code_background: Behind code blocks.
        inline_code_background: Behind code spans.
        hover: Behind a button under the pointer.
        quote_bar: The bar beside a quote.
        notice: Why an answer ended early.
        selection: Behind selected text.
        selected_text: Selected text.
        syntax: Colours of code by the category of a token.
    """

    background: str
    text: str
    muted: str
    link: str
    border: str
    bubble: str
    code_background: str
    inline_code_background: str
    hover: str
    quote_bar: str
    notice: str
    selection: str
    selected_text: str
    syntax: Mapping[str, str]


@cache
def load_theme(dark: bool) -> Theme:
    """Read the light or the dark theme."""
    data = json.loads((_FOLDER / ("dark.json" if dark else "light.json")).read_text(encoding="utf-8"))
    return Theme(**data["conversation"], syntax=data["syntax"])
