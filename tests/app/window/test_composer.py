"""Typing: Enter sends, except where it means something else."""

from collections.abc import Iterator

import pytest
from PySide6.QtCore import QCoreApplication, Qt
from PySide6.QtGui import QInputMethodEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QPushButton, QWidget
from pytestqt.qtbot import QtBot

from app.window.composer import MOST_LINES, Composer
from tests.app.window.conftest import OpenWindow
from tests.support.person import Person


def compose(composer: Composer, preedit: str, commit: str = "") -> None:
    """What an input method sends."""
    event = QInputMethodEvent(preedit, [])
    event.setCommitString(commit)
    QCoreApplication.sendEvent(composer.edit, event)


@pytest.fixture
def composer(qtbot: QtBot) -> Iterator[Composer]:
    """A composer in a window."""
    window = QWidget()
    qtbot.addWidget(window)
    result = Composer(window)
    result.resize(600, 300)
    window.show()
    yield result  # noqa: PT022 - the window must live as long as the composer in it


@pytest.fixture
def sent(composer: Composer) -> list[str]:
    """What the composer has sent."""
    result: list[str] = []
    composer.submitted.connect(result.append)
    return result


def test_enter_sends_and_shift_enter_breaks_the_line(composer: Composer, sent: list[str]) -> None:
    QTest.keyClicks(composer.edit, "one")
    QTest.keyClick(composer.edit, Qt.Key.Key_Return, Qt.KeyboardModifier.ShiftModifier)
    QTest.keyClicks(composer.edit, "two")
    QTest.keyClick(composer.edit, Qt.Key.Key_Return)

    assert sent == ["one\ntwo"]


def test_the_enter_key_of_the_number_pad_sends_too(composer: Composer, sent: list[str]) -> None:
    QTest.keyClicks(composer.edit, "one")
    QTest.keyClick(composer.edit, Qt.Key.Key_Enter, Qt.KeyboardModifier.KeypadModifier)

    assert sent == ["one"]


def test_return_that_confirms_a_candidate_does_not_send(composer: Composer, sent: list[str]) -> None:
    composer.draft = "老师，"
    compose(composer, "nihao")
    QTest.keyClick(composer.edit, Qt.Key.Key_Return)
    assert sent == []
    assert composer.draft == "老师，"
    compose(composer, "", "你好")
    QTest.keyClick(composer.edit, Qt.Key.Key_Return)

    assert sent == ["老师，你好"]


def test_return_after_the_focus_left_during_composition_sends_again(composer: Composer, sent: list[str]) -> None:
    compose(composer, "ni")
    composer.edit.clearFocus()
    compose(composer, "", "")
    composer.draft = "你"
    QTest.keyClick(composer.edit, Qt.Key.Key_Return)

    assert sent == ["你"]


def test_nothing_but_blanks_is_not_sent(composer: Composer, sent: list[str]) -> None:
    composer.draft = " \n "
    QTest.keyClick(composer.edit, Qt.Key.Key_Return)

    assert sent == []
    assert not composer.send_button.isEnabled()


def test_the_field_grows_with_its_lines_up_to_eight(composer: Composer) -> None:
    heights = []

    for lines in (1, 2, MOST_LINES, MOST_LINES + 5):
        composer.draft = "\n".join(["x"] * lines)
        heights.append(composer.edit.height())

    line = composer.edit.fontMetrics().lineSpacing()
    assert [height - heights[0] for height in heights] == [0, line, 7 * line, 7 * line]


def test_each_conversation_keeps_its_draft(person: Person) -> None:
    person.ask("first")
    person.wait_until_answered()

    person.composer.setPlainText("draft in first")
    person.click("newChatButton")
    person.composer.setPlainText("draft in a new one")
    person.choose("first")
    assert person.composer.toPlainText() == "draft in first"
    person.click("newChatButton")

    assert person.composer.toPlainText() == "draft in a new one"


def test_without_a_model_one_may_type_but_not_send(open_sixpane: OpenWindow) -> None:
    person = open_sixpane(models=())

    QTest.keyClicks(person.composer, "question")
    QTest.keyClick(person.composer, Qt.Key.Key_Return)

    assert person.composer.toPlainText() == "question"
    assert not person.find("sendButton", QPushButton).isEnabled()
