"""The views together: the same for a stream as for the whole text, and never inside what is protected."""

import json
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.postprocess import Presenter, ViewSettings, present
from engine.postprocess.protected import ProtectedScanner

CORPUS = Path(__file__).parent / "corpus"
SETTINGS = {
    "spacing": ViewSettings(spacing=True),
    "punctuation": ViewSettings(punctuation=True),
    "simplified": ViewSettings(chinese="simplified"),
    "traditional": ViewSettings(chinese="traditional"),
    "taiwan": ViewSettings(chinese="taiwan"),
    "hong kong": ViewSettings(chinese="hong kong"),
}
ALL = ViewSettings(chinese="taiwan", punctuation=True, spacing=True)
TEXTS = st.text(st.sampled_from('用中文头发Py3,.!?:;"()（），。*~`$ \n-…—<>/ab。C+%'))


def corpus() -> list[tuple[str, str, str]]:
    """The name of a view, a text and how it is shown."""
    pairs = {name: json.loads((CORPUS / f"{name}.json").read_text(encoding="utf-8")) for name in SETTINGS}
    return [(name, text, shown) for name, rows in pairs.items() for text, shown in rows]


def stream(text: str, settings: ViewSettings, cuts: list[int]) -> str:
    presenter = Presenter(settings)
    places = [0, *sorted(cuts), len(text)]
    return "".join([*(presenter.feed(text[start:end]) for start, end in pairwise(places)), presenter.flush()])


@pytest.mark.parametrize(("name", "text", "shown"), corpus())
def test_a_text_of_the_corpus_is_shown_as_written_there(name: str, text: str, shown: str) -> None:
    settings = SETTINGS[name]

    assert present(text, settings) == shown
    assert stream(text, settings, list(range(len(text)))) == shown
    assert present(shown, settings) == shown


@given(TEXTS, st.sampled_from([*SETTINGS.values(), ALL]), st.data())
def test_a_stream_is_shown_like_the_whole_text(text: str, settings: ViewSettings, data: st.DataObject) -> None:
    cuts = data.draw(st.lists(st.integers(0, len(text)), max_size=6))

    assert stream(text, settings, cuts) == present(text, settings)


@given(TEXTS, st.sampled_from([*SETTINGS.values(), ALL]))
def test_a_view_of_a_view_is_the_view(text: str, settings: ViewSettings) -> None:
    shown = present(text, settings)

    assert present(shown, settings) == shown


@given(TEXTS)
def test_spacing_adds_nothing_but_spaces(text: str) -> None:
    assert present(text, SETTINGS["spacing"]).replace(" ", "") == text.replace(" ", "")


@given(TEXTS)
def test_what_is_protected_stays_byte_for_byte(text: str) -> None:
    def protected(of: str) -> str:
        scanner = ProtectedScanner()
        return "".join(piece.text for piece in [*scanner.feed(of), *scanner.flush()] if piece.is_protected)

    assert protected(present(text, ALL)) == protected(text)


def test_words_are_not_cut_by_the_pieces_of_a_stream() -> None:
    presenter = Presenter(ViewSettings(chinese="traditional"))

    assert presenter.feed("头") + presenter.feed("发") + presenter.flush() == "頭髮"
