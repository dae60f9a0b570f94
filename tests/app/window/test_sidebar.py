"""The list of conversations: grouping, renaming, deleting with a way back, and search."""

from datetime import date, datetime, timedelta

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLineEdit
from pytestqt.qtbot import QtBot

from app.conversation_view.text_panel import TextPanel
from app.history import Conversation, SearchHit
from app.window.conversation_list import ConversationList, ConversationListModel
from app.window.sidebar import SEARCH_PAUSE_MILLISECONDS
from tests.app.window.conftest import OpenWindow
from tests.support.person import Person
from tests.support.scripted_engine import ScriptedEngine

TODAY = date(2026, 3, 20)


def days_ago(days: int) -> Conversation:
    used = datetime.combine(TODAY - timedelta(days=days), datetime.min.time()).timestamp()
    return Conversation(days + 1, f"{days} days ago", used, used)


def ask_and_wait(person: Person, *questions: str) -> None:
    for question in questions:
        person.click("newChatButton")
        person.ask(question)
        person.wait_until_answered()


def test_conversations_stand_below_the_headings_of_their_time(qtbot: QtBot) -> None:
    conversations = ConversationList()
    qtbot.addWidget(conversations)

    conversations.rows.show_conversations([days_ago(days) for days in (0, 1, 2, 7, 8)], TODAY)

    shown = [conversations.rows.index(row).data() for row in range(conversations.rows.rowCount())]
    assert shown == [
        *("Today", "0 days ago", "Yesterday", "1 days ago"),
        *("Previous 7 days", "2 days ago", "7 days ago", "Earlier", "8 days ago"),
    ]


def test_a_conversation_is_titled_by_its_first_question_and_the_newest_stands_first(person: Person) -> None:
    ask_and_wait(person, "older", "newer")

    assert person.rows() == ["Today", "newer", "older"]


def test_renaming_in_place_keeps_the_new_title_after_a_restart(open_sixpane: OpenWindow) -> None:
    person = open_sixpane()
    ask_and_wait(person, "old title")

    person.choose("old title")
    person.conversations.setFocus()
    QTest.keyClick(person.conversations, Qt.Key.Key_F2)
    editor = person.conversations.viewport().findChild(QLineEdit)
    assert isinstance(editor, QLineEdit)
    editor.setText("新标题")
    QTest.keyClick(editor, Qt.Key.Key_Return)
    person.wait_until_listing("新标题")
    assert person.conversations.hasFocus()
    person.closes_the_window()

    open_sixpane().wait_until_listing("新标题")


def test_a_deleted_conversation_is_back_after_undo(person: Person) -> None:
    ask_and_wait(person, "keep", "delete")

    person.choose("delete")
    QTest.keyClick(person.conversations, Qt.Key.Key_Delete)
    person.wait_until_listing("keep")
    person.wait_until_reading("")
    person.click("undoButton")

    person.wait_until_listing("delete", "keep")
    person.wait_until_reading("delete\nHello world")


def test_a_deleted_conversation_stays_away_after_a_restart(open_sixpane: OpenWindow) -> None:
    person = open_sixpane()
    ask_and_wait(person, "keep", "delete")

    person.choose("delete")
    QTest.keyClick(person.conversations, Qt.Key.Key_Delete)
    person.closes_the_window()

    open_sixpane().wait_until_listing("keep")


@pytest.mark.parametrize("term", ["狗", "海豚", "hällo", "C++", 'say "hi"', "100%"])
def test_search_finds_words_of_any_length_and_script(person: Person, term: str) -> None:
    ask_and_wait(person, f"what about {term} today", "something else")

    person.search(term)

    person.wait_until_listing(f"what about {term} today")


def test_search_says_that_nothing_was_found_and_clearing_it_brings_the_list_back(person: Person, qtbot: QtBot) -> None:
    ask_and_wait(person, "question")

    person.search("猫")
    qtbot.waitUntil(lambda: person.rows() == ["Nothing found"])
    person.search("")

    person.wait_until_listing("question")


def test_a_hit_in_an_answer_opens_its_conversation(person: Person) -> None:
    ask_and_wait(person, "first", "second")
    person.click("newChatButton")

    person.search("world")
    person.wait_until_listing("second", "first")
    person.choose("first")

    person.wait_until_reading("first\nHello world")


def test_the_found_word_is_marked_in_its_excerpt(qtbot: QtBot) -> None:
    conversations = ConversationList()
    qtbot.addWidget(conversations)
    conversations.resize(300, 200)

    conversations.rows.show_hits([SearchHit(1, "title", 2, "前面的字 needle 后面的字", (5, 11))])
    conversations.show()
    QApplication.processEvents()
    picture = conversations.grab().toImage()

    colours = {picture.pixelColor(x, y).name() for x in range(0, 300, 2) for y in range(0, 200, 2)}
    assert {"#ffe39a", "#6b5615"} & colours


def test_a_word_far_into_a_long_title_is_marked_where_it_stands(person: Person, qtbot: QtBot) -> None:
    title = "A long title, whose end is what a search is for: needle"
    person.ask(title)
    person.wait_until_answered()

    person.search("needle")

    qtbot.waitUntil(lambda: person.rows()[0] == "Found")
    model = person.conversations.model()
    assert isinstance(model, ConversationListModel)
    start, end = model.row(person.row_of(title)).matched
    assert title[start:end] == "needle"


def test_a_right_click_marks_no_other_conversation(person: Person) -> None:
    for question in ("one", "two"):
        person.click("newChatButton")
        person.ask(question)
        person.wait_until_answered()
    place = person.conversations.visualRect(person.row_of("one")).center()

    QTest.mouseClick(person.conversations.viewport(), Qt.MouseButton.RightButton, pos=place)

    assert person.conversations.currentIndex() == person.row_of("two")


def test_a_screen_reader_hears_title_and_excerpt(qtbot: QtBot) -> None:
    conversations = ConversationList()
    qtbot.addWidget(conversations)

    conversations.rows.show_hits([SearchHit(1, "title", 2, "an excerpt", (3, 10))])

    assert conversations.rows.index(1).data(Qt.ItemDataRole.AccessibleTextRole) == "title: an excerpt"


def test_a_search_that_still_waits_does_not_reach_a_closed_history(open_sixpane: OpenWindow, qtbot: QtBot) -> None:
    window = open_sixpane().window
    window.sidebar.search_box.setText("late")

    with qtbot.captureExceptions() as failures:
        window.close()
        qtbot.wait(3 * SEARCH_PAUSE_MILLISECONDS)

    assert failures == []


def test_what_a_search_has_found_opens_at_the_message_also_on_another_branch(
    open_sixpane: OpenWindow, qtbot: QtBot
) -> None:
    engine = ScriptedEngine(["the first answer holds a needle"])
    person = open_sixpane(engine)
    ask_and_wait(person, "tell me")
    engine.pieces = ["another answer"]
    person.answer_again()
    person.wait_until_answered()
    ask_and_wait(person, "something else")

    person.search("needle")
    person.wait_until_listing("tell me")
    person.choose("tell me")

    qtbot.waitUntil(lambda: selected(person) == "needle")
    assert "another answer" not in person.reads()


def selected(person: Person) -> str:
    panels = person.window.view.findChildren(TextPanel)
    return "".join(panel.textCursor().selectedText() for panel in panels if panel.isVisible())
