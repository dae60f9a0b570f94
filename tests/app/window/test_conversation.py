"""Asking, stopping, switching and closing: everything that was shown is there afterwards."""

from threading import Event as Gate

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QComboBox, QFrame, QPushButton, QWidget
from pytestqt.qtbot import QtBot

from app.conversation_view.text_panel import TextPanel
from app.history import History
from app.paths import Paths
from app.settings import AppSettings
from engine import PromptTooLongError
from tests.app.window.conftest import OpenWindow
from tests.support.person import Person
from tests.support.scripted_engine import ScriptedEngine


def stored_answer(paths: Paths) -> tuple[str, str, str | None]:
    """Text, state and stop reason of the last answer in the history."""
    history = History.open(paths.database)
    message = history.thread(history.conversations()[0].id)[-1]
    history.close()
    assert message.reply is not None
    return message.text, message.state, message.reply.stop_reason


def test_an_answer_is_shown_with_its_figures_and_is_there_after_a_restart(open_sixpane: OpenWindow) -> None:
    person = open_sixpane()

    person.ask("你好")
    person.wait_until_reading("tokens/s")
    person.closes_the_window()
    person = open_sixpane()
    person.choose("你好")

    person.wait_until_reading("Hello world")
    person.wait_until_reading("Tiny · 1.0 tokens/s · first token after 0.20 s")


def test_the_whole_conversation_goes_to_the_engine(open_sixpane: OpenWindow) -> None:
    engine = ScriptedEngine()
    person = open_sixpane(engine)

    person.ask("one")
    person.wait_until_answered()
    person.ask("two")
    person.wait_until_answered()

    said = [(message.role, message.text) for message in engine.asked[1]]
    assert said == [("user", "one"), ("assistant", "Hello world"), ("user", "two")]


@pytest.mark.parametrize("by_key", [True, False])
def test_stop_ends_the_answer_and_the_next_question_works(open_sixpane: OpenWindow, paths: Paths, by_key: bool) -> None:
    person = open_sixpane(ScriptedEngine(answers={"long": ["begun", Gate(), "never said"]}))

    person.ask("long")
    person.wait_until_reading("begun")
    if by_key:
        QTest.keyClick(person.composer, Qt.Key.Key_Escape)
    else:
        person.click("stopButton")
    person.wait_until_reading("You stopped this answer.")
    person.ask("again")
    person.wait_until_reading("Hello world")

    person.closes_the_window()
    assert stored_answer(paths) == ("Hello world", "complete", "end")


def test_what_a_stopped_answer_still_says_is_neither_shown_nor_stored(open_sixpane: OpenWindow, paths: Paths) -> None:
    gate = Gate()
    person = open_sixpane(ScriptedEngine(["shown", gate, " late"], heeds_stop=False))

    person.ask("?")
    person.wait_until_reading("shown")
    person.click("stopButton")
    gate.set()
    person.wait_until_reading("You stopped this answer.")

    assert "late" not in person.reads()
    person.closes_the_window()
    assert stored_answer(paths) == ("shown", "complete", "cancelled")


def test_an_answer_grows_in_its_own_conversation_while_another_is_shown(open_sixpane: OpenWindow) -> None:
    gate, end = Gate(), Gate()
    person = open_sixpane(ScriptedEngine(answers={"first": ["begin", gate, " middle", end, " end"]}))

    person.ask("first")
    person.wait_until_reading("begin")
    person.click("newChatButton")
    gate.set()
    person.ask("second")
    person.choose("first")
    person.wait_until_reading("begin middle")
    end.set()
    person.wait_until_reading("begin middle end")
    person.wait_until_answered()

    person.choose("second")
    person.wait_until_reading("Hello world")
    assert "middle" not in person.reads()


def test_a_second_question_waits_and_the_status_line_says_so(open_sixpane: OpenWindow) -> None:
    gate = Gate()
    person = open_sixpane(ScriptedEngine(answers={"first": ["begin", gate]}))

    person.ask("first")
    person.wait_until_reading("begin")
    person.click("newChatButton")
    person.ask("second")

    assert "waiting for the answer in another conversation" in person.status()
    gate.set()
    person.wait_until_reading("Hello world")


def test_a_question_that_waits_can_be_stopped_at_once(open_sixpane: OpenWindow, paths: Paths) -> None:
    gate = Gate()
    engine = ScriptedEngine(answers={"first": ["begin", gate], "third": ["third answer"]})
    person = open_sixpane(engine)

    person.ask("first")
    person.wait_until_reading("begin")
    person.click("newChatButton")
    person.ask("second")
    person.click("stopButton")
    person.wait_until_reading("You stopped this answer.")
    person.wait_until_answered()
    gate.set()
    person.ask("third")
    person.wait_until_reading("third answer")

    assert engine.asked[-1][-1].text == "third"
    person.closes_the_window()
    history = History.open(paths.database)
    second = history.thread(history.conversations()[0].id)[1]
    history.close()
    assert second.reply is not None
    assert (second.text, second.state, second.reply.stop_reason) == ("", "complete", "cancelled")


def test_an_answer_cut_by_closing_is_shown_as_interrupted(open_sixpane: OpenWindow, paths: Paths) -> None:
    person = open_sixpane(ScriptedEngine(["as far as this", Gate()]))

    person.ask("question")
    person.wait_until_reading("as far as this")
    person.closes_the_window()

    person = open_sixpane()
    person.choose("question")
    person.wait_until_reading("as far as this")
    person.wait_until_reading("Interrupted: the program ended before the answer was complete.")
    person.closes_the_window()
    assert stored_answer(paths) == ("as far as this", "interrupted", None)


def test_an_answer_that_ends_while_the_window_closes_is_complete(open_sixpane: OpenWindow, paths: Paths) -> None:
    gate = Gate()
    engine = ScriptedEngine(["first", gate, " last"])
    person = open_sixpane(engine)

    person.ask("question")
    person.wait_until_reading("first")
    gate.set()
    assert engine.done.wait(10)
    person.closes_the_window()

    assert stored_answer(paths) == ("first last", "complete", "end")


def test_a_streaming_answer_is_on_the_disk_within_a_second_or_so(open_sixpane: OpenWindow, qtbot: QtBot) -> None:
    person = open_sixpane(ScriptedEngine(["already said", Gate()]))
    conversations = person.window._conversations
    assert conversations is not None

    person.ask("?")
    person.wait_until_reading("already said")
    reply_id = conversations.answering
    assert reply_id is not None

    qtbot.waitUntil(lambda: conversations.history.message(reply_id).text == "already said", timeout=5000)
    assert conversations.history.message(reply_id).state == "streaming"


def test_a_failure_stands_under_the_answer_and_asking_again_works(open_sixpane: OpenWindow, paths: Paths) -> None:
    engine = ScriptedEngine(["half", PromptTooLongError("It is {over} tokens too long.", over=7)])
    person = open_sixpane(engine)

    person.ask("question")
    person.wait_until_reading("It is 7 tokens too long.")
    engine.pieces = ["whole"]
    person.answer_again()
    person.wait_until_reading("whole")
    person.wait_until_answered()

    assert "half" not in person.reads()
    person.closes_the_window()
    assert stored_answer(paths) == ("whole", "complete", "end")


def test_a_question_that_does_not_fit_comes_back_into_the_composer(open_sixpane: OpenWindow) -> None:
    person = open_sixpane(ScriptedEngine([PromptTooLongError("It is {over} tokens too long.", over=7)]))

    person.ask("far too long")
    person.wait_until_reading("It is 7 tokens too long.")

    assert person.composer.toPlainText() == "far too long"


def test_a_question_that_failed_is_not_given_to_the_model_again(open_sixpane: OpenWindow) -> None:
    engine = ScriptedEngine(answers={"far too long": [PromptTooLongError("Too long.")]})
    person = open_sixpane(engine)

    for question in ("one", "far too long", "two"):
        person.ask(question)
        person.wait_until_answered()

    assert [message.text for message in engine.asked[-1]] == ["one", "Hello world", "two"]


def test_what_is_typed_after_a_click_on_an_answer_reaches_the_composer(person: Person) -> None:
    person.ask("question")
    person.wait_until_reading("Hello world")
    answer = person.window.view.findChildren(TextPanel)[-1]
    answer.setFocus()

    QTest.keyClicks(answer, "aB")
    QTest.keyClick(answer, Qt.Key.Key_C, Qt.KeyboardModifier.ControlModifier)

    assert person.composer.toPlainText() == "aB"
    assert person.composer.hasFocus()


def test_a_fault_of_the_program_is_one_sentence_and_a_stack_trace_in_the_log(
    open_sixpane: OpenWindow, caplog: pytest.LogCaptureFixture
) -> None:
    person = open_sixpane(ScriptedEngine([ZeroDivisionError("a fault of ours")]))

    person.ask("?")
    person.wait_until_reading("Something went wrong inside Sixpane (ZeroDivisionError); the log has the details.")

    assert "Traceback" in caplog.text
    assert "a fault of ours" in caplog.text


def test_answering_again_keeps_the_answer_before(open_sixpane: OpenWindow, paths: Paths) -> None:
    engine = ScriptedEngine(["one"])
    person = open_sixpane(engine)

    person.ask("question")
    person.wait_until_reading("one")
    person.wait_until_answered()
    engine.pieces = ["two"]
    person.answer_again()
    person.wait_until_reading("two")
    person.wait_until_answered()

    assert "one" not in person.reads()
    person.closes_the_window()
    history = History.open(paths.database)
    assert [history.message(number).text for number in (1, 2, 3)] == ["question", "one", "two"]
    history.close()


def test_the_context_in_use_stays_in_the_status_line(person: Person) -> None:
    person.ask("?")
    person.wait_until_answered()

    assert person.status() == "Scripted · CPU · ready · context: 5 of 4096 tokens"


def test_one_may_type_while_an_answer_streams_and_enter_keeps_the_draft(open_sixpane: OpenWindow) -> None:
    gate = Gate()
    person = open_sixpane(ScriptedEngine(["begun", gate]))

    person.ask("first")
    person.wait_until_reading("begun")
    person.ask("second")

    assert person.composer.toPlainText() == "second"
    assert person.composer.isEnabled()
    assert not person.find("sendButton", QPushButton).isVisible()
    gate.set()
    person.wait_until_answered()
    assert person.composer.toPlainText() == "second"


def test_the_first_question_of_a_conversation_is_laid_out_for_the_width_of_the_window(person: Person) -> None:
    person.click("newChatButton")
    person.ask("What is the capital of Japan?")
    person.wait_until_answered()

    question = next(one for one in person.window.view.findChildren(TextPanel) if "Japan" in one.toPlainText())
    assert question.document().firstBlock().layout().lineCount() == 1


def test_a_line_marks_what_the_model_no_longer_sees_until_all_fits_again(open_sixpane: OpenWindow) -> None:
    engine = ScriptedEngine()
    person = open_sixpane(engine)
    line = person.find("contextLine", QWidget)
    for question in ("first", "second"):
        person.ask(question)
        person.wait_until_answered()
    assert not line.isVisible()

    engine.dropped = 2
    person.ask("third")
    person.wait_until_answered()
    assert line.isVisible()
    person.click("newChatButton")
    person.choose("first")
    person.wait_until_answered()
    assert line.isVisible()

    engine.dropped = 0
    person.answer_again()
    person.wait_until_answered()
    assert not line.isVisible()


def test_an_edited_question_is_asked_beside_the_first_and_both_can_be_seen(open_sixpane: OpenWindow) -> None:
    person = open_sixpane(ScriptedEngine(answers={"first words": ["one"], "other words": ["two"]}))
    person.ask("first words")
    person.wait_until_answered()
    person.composer.setPlainText("typed meanwhile")

    person.press("Edit the question")
    assert person.composer.toPlainText() == "first words"
    assert person.find("editBar", QFrame).isVisible()
    person.ask("other words")
    person.wait_until_reading("two")
    person.wait_until_answered()

    assert person.composer.toPlainText() == "typed meanwhile"
    assert not person.find("editBar", QFrame).isVisible()
    assert "2/2" in person.reads()
    person.press("Previous version")
    person.wait_until_reading("one")
    assert "first words" in person.reads()
    assert "two" not in person.reads()
    person.press("Next version")
    person.wait_until_reading("two")


def test_an_edit_that_is_given_up_leaves_all_as_it_was(open_sixpane: OpenWindow) -> None:
    person = open_sixpane()
    person.ask("question")
    person.wait_until_answered()
    person.composer.setPlainText("typed meanwhile")
    person.press("Edit the question")
    person.composer.setPlainText("changed")

    QTest.keyClick(person.window, Qt.Key.Key_Escape)

    assert person.composer.toPlainText() == "typed meanwhile"
    assert "question" in person.reads()
    assert "changed" not in person.reads()


def test_versions_of_an_answer_are_counted_and_the_chosen_one_goes_on(open_sixpane: OpenWindow) -> None:
    engine = ScriptedEngine(["one"])
    person = open_sixpane(engine)
    person.ask("question")
    person.wait_until_answered()
    for answer in ("two", "three"):
        engine.pieces = [answer]
        person.answer_again()
        person.wait_until_reading(answer)
        person.wait_until_answered()
    assert "3/3" in person.reads()

    person.press("Previous version")
    person.wait_until_reading("two")
    engine.pieces = ["goes on"]
    person.ask("next")
    person.wait_until_reading("goes on")
    person.wait_until_answered()

    assert [message.text for message in engine.asked[-1]] == ["question", "two", "next"]


def test_answers_are_shown_through_the_views_and_kept_as_they_were_written(
    open_sixpane: OpenWindow, paths: Paths
) -> None:
    AppSettings(language="en", chinese="taiwan", punctuation=True, spacing=True).save(paths.settings)
    person = open_sixpane(ScriptedEngine(["用Py", "thon写软", "件,很好.`软件,x`"]))

    person.ask("软件?")
    person.wait_until_answered()

    shown = "用 Python 寫軟體，很好。软件,x"
    assert shown in person.reads()
    person.press("Copy answer")
    assert QGuiApplication.clipboard().text() == "用Python写软件,很好.`软件,x`"
    person.closes_the_window()
    assert stored_answer(paths)[0] == "用Python写软件,很好.`软件,x`"
    person = open_sixpane()
    person.choose("软件?")
    person.wait_until_reading(shown)


def test_another_view_is_seen_at_once(open_sixpane: OpenWindow) -> None:
    person = open_sixpane(ScriptedEngine(["头发"]))
    person.ask("?")
    person.wait_until_reading("头发")

    person.window._open_settings()
    box = person.find("chineseBox", QComboBox)
    box.setCurrentIndex(box.findData("traditional"))

    person.wait_until_reading("頭髮")
