"""Search finds what a Chinese and an English reader expect, and never fails on what they type."""

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from app.history import History
from engine import GenerationSettings

TEXTS = [
    "我们在春天的海边读《海风》",
    "Use C++ and a vector<int>",
    'He said foo"bar twice',
    "100% of snake_case",
    "AND or NOT (near)",
    "Crème brûlée 🧪 recipe",
    "全角ＡＢＣ字符",
    "ÉCOLE в Москве",
    "before\0after",
]


@pytest.fixture
def filled(history: History) -> History:
    for text in TEXTS:
        conversation = history.create_conversation("untitled")
        history.ask(conversation.id, text, GenerationSettings(), "m", "h")
    return history


@pytest.mark.parametrize(
    ("term", "found"),
    [
        ("海", [0]),
        ("春天", [0]),
        ("海边读", [0]),
        ("C++", [1]),
        ("c++ VECTOR", [1]),
        ('foo"bar', [2]),
        ("0%", [3]),
        ("e_c", [3]),
        ("%", [3]),
        ("_", [3]),
        ("(", [4]),
        ("AND", [1, 4]),
        ("NOT OR", [4]),
        ("🧪", [5]),
        ("brûlée", [5]),
        ("ＡＢ", [6]),
        ("ａｂ", [6]),
        ("é", [5, 7]),
        ("école МОСКВЕ", [7]),
        ("В", [7]),
        ("\\", []),
        ("after", [8]),
        ("AF", [8]),
        ("e\0a", [8]),
        ("海 C++", []),
        ("   ", []),
    ],
)
def test_every_word_must_be_there_literally_and_in_any_case(filled: History, term: str, found: list[int]) -> None:
    hits = filled.search(term)

    assert sorted(hit.excerpt for hit in hits) == sorted(TEXTS[index].replace("\0", " ") for index in found)


def test_a_hit_shows_where_the_word_stands(filled: History) -> None:
    hit = filled.search("VECTOR")[0]

    assert hit.excerpt[slice(*hit.matched)] == "vector"


def test_a_long_text_is_shown_around_the_word(history: History) -> None:
    conversation = history.create_conversation("t")
    history.ask(conversation.id, "a " * 500 + "needle" + " b" * 500, GenerationSettings(), "m", "h")

    hit = history.search("needle")[0]

    assert hit.excerpt[slice(*hit.matched)] == "needle"
    assert len(hit.excerpt) <= 120


def test_titles_are_found_and_deleted_conversations_are_not(history: History) -> None:
    conversation = history.create_conversation("海风")
    assert [(hit.conversation_id, hit.message_id) for hit in history.search("风")] == [(conversation.id, None)]

    history.delete(conversation.id)

    assert history.search("风") == []


def test_titles_are_found_in_any_case(history: History) -> None:
    history.create_conversation("École 100%")

    assert [hit.excerpt[slice(*hit.matched)] for hit in history.search("éCOLE 0%")] == ["École"]


def test_the_conversation_used_last_is_found_first(history: History) -> None:
    first = history.create_conversation("one title")
    second = history.create_conversation("another title")
    history.ask(first.id, "question", GenerationSettings(), "m", "h")

    assert [hit.conversation_id for hit in history.search("title")] == [first.id, second.id]


def test_an_excerpt_begins_and_ends_with_whole_characters(history: History) -> None:
    conversation = history.create_conversation("t")
    families = "👨‍👩‍👧" * 40
    history.ask(conversation.id, f"{families}needle{families}", GenerationSettings(), "m", "h")

    hit = history.search("needle")[0]

    before, after = hit.excerpt.split("needle")
    assert before.replace("👨‍👩‍👧", "") == after.replace("👨‍👩‍👧", "") == ""


def test_a_reply_is_found_while_it_streams_and_after(history: History) -> None:
    conversation = history.create_conversation("t")
    _, reply = history.ask(conversation.id, "question", GenerationSettings(), "m", "h")

    history.save_partial(reply.id, "unfinished thought", [])
    assert [hit.message_id for hit in history.search("thought")] == [reply.id]

    history.fail(reply.id, "changed mind", "")
    assert history.search("thought") == []
    assert [hit.message_id for hit in history.search("changed")] == [reply.id]


@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(text=st.text(min_size=1, max_size=40), data=st.data())
def test_any_text_comes_back_identical_and_is_found_by_any_piece_of_it(
    history: History, text: str, data: st.DataObject
) -> None:
    start = data.draw(st.integers(0, len(text) - 1))
    piece = text[start : data.draw(st.integers(start + 1, len(text)))]
    conversation = history.create_conversation("t")
    question, _ = history.ask(conversation.id, text, GenerationSettings(), "m", "h")

    assert history.message(question.id).text == text
    if piece.split():
        assert question.id in [hit.message_id for hit in history.search(piece, limit=1000)]
