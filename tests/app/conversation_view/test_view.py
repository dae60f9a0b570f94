"""What a reader sees, copies and presses."""

import random
from collections.abc import Callable, Iterator
from itertools import islice
from operator import length_hint

import pytest
from PySide6.QtCore import QEvent, QPoint, QPointF, Qt, QTimer
from PySide6.QtGui import QGuiApplication, QMouseEvent, QTextCursor
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLabel, QStackedWidget, QToolButton, QWidget
from pytestqt.qtbot import QtBot

from app.conversation_view import MessageView, ViewMessage
from app.conversation_view.answer_body import AnswerBody
from app.conversation_view.message import TypedMessage
from app.conversation_view.text_panel import TextPanel
from app.conversation_view.theme import load_theme
from engine import Role
from tests.app.conversation_view.conftest import code_blocks, visible_text, wait_until_drawn
from tests.support.stalls import LONGEST_STALL_SECONDS, StallMeter, least_stall

Answer = Callable[[str], MessageView]

TEXT = """# 标题

第一段 **bold** and `code`.

1. one
2. two
   - three

> quote

```python
x = 1
```

|a|b|
|-|-|
|1|2|

end"""


def click(target: QToolButton) -> None:
    QTest.mouseClick(target, Qt.MouseButton.LeftButton)


def labels(view: MessageView) -> list[str]:
    return [label.text() for label in view.findChildren(QLabel) if label.isVisibleTo(view) and label.text()]


def button(view: MessageView, name: str) -> QToolButton:
    return next(b for b in view.findChildren(QToolButton) if b.accessibleName() == name and b.isVisibleTo(view))


def feed(view: MessageView, pieces: Iterator[str], count: int) -> None:
    for piece in islice(pieces, count):
        view.append_text(2, piece)


def panel_texts(view: MessageView) -> list[tuple[str, str]]:
    body = view.findChildren(AnswerBody)[-1]
    return [(type(panel).__name__, "\n".join(t.toPlainText() for t in panel_of(panel))) for panel in body.panels]


def panel_of(panel: object) -> list[TextPanel]:
    if isinstance(panel, TextPanel):
        return [panel]
    return panel.findChildren(TextPanel)  # type: ignore[attr-defined,no-any-return]


def test_what_a_person_typed_is_shown_as_typed(view: MessageView) -> None:
    typed = "1 < 2 <b>&amp; **no bold**\n  indented\n\n# no heading"
    view.show_messages([ViewMessage(1, "user", typed)])
    assert visible_text(view) == typed


def test_an_answer_is_markdown_with_its_figures_and_its_notice(view: MessageView, qtbot: QtBot) -> None:
    view.show_messages([ViewMessage(1, "assistant", "**fett** <b>", footer="12 tokens", notice="Stopped.")])
    wait_until_drawn(view, qtbot)
    assert visible_text(view) == "fett <b>"
    assert {"12 tokens", "Stopped."} <= set(labels(view))


def test_a_streamed_answer_ends_as_the_same_picture_as_the_whole(answer: Answer, qtbot: QtBot) -> None:
    view = answer(TEXT)
    whole = panel_texts(view)
    height = view.findChildren(AnswerBody)[-1].height()
    view.show_messages([ViewMessage(1, "user", "?")])
    view.append_message(ViewMessage(2, "assistant", ""))
    for character in TEXT:
        view.append_text(2, character)
        if random.random() < 0.3:
            wait_until_drawn(view, qtbot)
    view.finish_message(2, "figures", "")
    wait_until_drawn(view, qtbot)
    assert panel_texts(view) == whole
    assert view.findChildren(AnswerBody)[-1].height() == height


def test_finished_panels_are_not_touched_while_the_answer_goes_on(view: MessageView, qtbot: QtBot) -> None:
    view.append_message(ViewMessage(2, "assistant", ""))
    view.append_text(2, "first paragraph\n\n```\ncode\n```\n\nsecond")
    wait_until_drawn(view, qtbot)
    first = view.findChildren(AnswerBody)[-1].panels[0]
    assert isinstance(first, TextPanel)
    revision = first.document().revision()
    first.selectAll()
    view.append_text(2, " and more\n\nthird\n\n```\nmore code")
    wait_until_drawn(view, qtbot)
    assert first.document().revision() == revision
    assert first.selected_text() == "first paragraph"


def test_a_selection_in_a_finished_paragraph_survives_in_the_panel_that_grows(view: MessageView, qtbot: QtBot) -> None:
    view.append_message(ViewMessage(2, "assistant", ""))
    view.append_text(2, "first paragraph\n\nsec")
    wait_until_drawn(view, qtbot)
    panel = view.findChildren(AnswerBody)[-1].panels[0]
    assert isinstance(panel, TextPanel)
    cursor = panel.textCursor()
    cursor.setPosition(0)
    cursor.setPosition(5, QTextCursor.MoveMode.KeepAnchor)
    panel.setTextCursor(cursor)
    view.append_text(2, "ond\n===\n\n- third\n- fourth")
    wait_until_drawn(view, qtbot)
    assert panel.selected_text() == "first"
    assert panel.toPlainText() == "first paragraph\nsecond\nthird\nfourth"


def test_a_selection_survives_in_the_paragraph_that_grows(view: MessageView, qtbot: QtBot) -> None:
    view.append_message(ViewMessage(2, "assistant", ""))
    view.append_text(2, "first **words** of")
    wait_until_drawn(view, qtbot)
    panel = view.findChildren(AnswerBody)[-1].panels[0]
    assert isinstance(panel, TextPanel)
    panel.selectAll()
    view.append_text(2, " a longer *paragraph*")
    wait_until_drawn(view, qtbot)
    assert panel.selected_text().startswith("first words of")
    assert panel.toPlainText() == "first words of a longer paragraph"


def test_a_selection_is_copied_as_plain_text_with_the_markers_of_lists(answer: Answer) -> None:
    view = answer("one\ntwo\n\n3. **three**\n   - four 🧪\n4. five")
    panel = view.findChildren(AnswerBody)[-1].panels[0]
    assert isinstance(panel, TextPanel)
    panel.selectAll()
    panel.copy()
    mime = QGuiApplication.clipboard().mimeData()
    assert mime.text() == "one\ntwo\n3. three\n  • four 🧪\n4. five"
    assert not mime.hasHtml()


@pytest.mark.parametrize("source", ["\tif x:\n\n\t\ty\u2028z  ", "", "a\n\n", "  <b>&amp;"])
def test_copying_code_gives_exactly_the_source(answer: Answer, source: str) -> None:
    view = answer(f'before\n\n```python title="a.py"\n{source}\n```\n')
    assert "python" in labels(view)
    QGuiApplication.clipboard().clear()
    click(button(view, "Copy code"))
    assert QGuiApplication.clipboard().text() == source


def test_a_table_grows_row_by_row(view: MessageView, qtbot: QtBot) -> None:
    text = "|a|b|\n|-|-:|\n|1|**2**|\n|three|4|\n"
    view.append_message(ViewMessage(2, "assistant", ""))
    for character in text:
        view.append_text(2, character)
        wait_until_drawn(view, qtbot)
    assert visible_text(view).split() == ["a", "b", "1", "2", "three", "4"]


def test_code_of_an_unknown_language_is_shown_with_its_label(answer: Answer) -> None:
    view = answer("```no-such-language\nx <y>\n```")
    assert "no-such-language" in labels(view)
    assert code_blocks(view)[0].text.toPlainText() == "x <y>"


def test_code_is_coloured_and_stays_so_while_it_grows(view: MessageView, qtbot: QtBot) -> None:
    view.append_message(ViewMessage(2, "assistant", ""))
    view.append_text(2, "```python\ndef f():\n")
    wait_until_drawn(view, qtbot)
    view.append_text(2, '    return """a\nb"""\n```\nend')
    wait_until_drawn(view, qtbot)
    document = code_blocks(view)[0].text.document()
    qtbot.waitUntil(lambda: all(document.findBlockByNumber(n).layout().formats() for n in range(3)))
    assert sum(part.length for part in document.findBlockByNumber(2).layout().formats()) == len('b"""')


def test_the_actions_tell_the_message(answer: Answer, qtbot: QtBot) -> None:
    view = answer("text")
    with qtbot.waitSignal(view.copyRequested) as copied:
        click(button(view, "Copy answer"))
    with qtbot.waitSignal(view.regenerateRequested) as again:
        click(button(view, "Answer again"))
    assert (copied.args, again.args) == ([2], [2])


def test_the_tab_key_goes_from_top_to_bottom(view: MessageView, qtbot: QtBot) -> None:
    messages = [ViewMessage(n, "assistant", "```\na\n```\n\n```\nb\n```", footer="f") for n in range(2)]
    view.show_messages(messages)
    wait_until_drawn(view, qtbot)
    view.activateWindow()
    view.setFocus()
    names = []
    for _ in range(8):
        QTest.keyClick(QApplication.focusWidget() or view, Qt.Key.Key_Tab)
        names.append((QApplication.focusWidget() or view).accessibleName())
    assert names == ["Copy code", "Copy code", "Copy answer", "Answer again"] * 2


def test_an_answer_that_streams_has_no_actions_yet(view: MessageView, qtbot: QtBot) -> None:
    view.append_message(ViewMessage(2, "assistant", ""))
    view.append_text(2, "text")
    wait_until_drawn(view, qtbot)
    assert not [b for b in view.findChildren(QToolButton) if b.isVisibleTo(view)]


def test_a_partial_answer_that_goes_on_has_no_actions_until_it_ends(view: MessageView, qtbot: QtBot) -> None:
    view.show_messages([ViewMessage(1, "assistant", "so far")])
    view.append_text(1, " and on")
    wait_until_drawn(view, qtbot)
    assert not [b for b in view.findChildren(QToolButton) if b.isVisibleTo(view)]
    view.finish_message(1, "12 tokens", "")
    wait_until_drawn(view, qtbot)
    assert visible_text(view) == "so far and on"
    assert button(view, "Copy answer").isVisibleTo(view)


def test_text_reaches_an_answer_that_was_not_built_yet(view: MessageView, qtbot: QtBot) -> None:
    later = [ViewMessage(n, "user", f"message {n}") for n in range(10, 200)]
    view.show_messages([ViewMessage(1, "assistant", "early"), *later])
    wait_until_drawn(view, qtbot)
    view.append_text(1, " text")
    wait_until_drawn(view, qtbot)
    assert visible_text(view).startswith("early text\nmessage 10\n")


def test_text_for_an_unknown_message_is_ignored(view: MessageView) -> None:
    view.append_text(99, "x")
    view.finish_message(99, "", "")
    assert visible_text(view) == ""


def test_the_view_follows_while_the_reader_is_at_the_end(view: MessageView, qtbot: QtBot) -> None:
    view.append_message(ViewMessage(2, "assistant", ""))
    view.append_text(2, "line\n\n" * 100)
    wait_until_drawn(view, qtbot)
    bar = view.verticalScrollBar()
    assert bar.maximum() > 0
    assert bar.value() == bar.maximum()


def test_the_view_stays_where_the_reader_has_scrolled_to(view: MessageView, qtbot: QtBot) -> None:
    view.append_message(ViewMessage(2, "assistant", ""))
    view.append_text(2, "line\n\n" * 100)
    wait_until_drawn(view, qtbot)
    view.verticalScrollBar().setValue(300)
    view.append_text(2, "line\n\n" * 100)
    wait_until_drawn(view, qtbot)
    assert view.verticalScrollBar().value() == 300
    view.verticalScrollBar().setValue(view.verticalScrollBar().maximum())
    view.append_text(2, "line\n\n" * 20)
    wait_until_drawn(view, qtbot)
    assert view.verticalScrollBar().value() == view.verticalScrollBar().maximum()


def test_selecting_beyond_the_edge_scrolls(answer: Answer) -> None:
    view = answer("line\n\n" * 59)
    bar = view.verticalScrollBar()
    bar.setValue(0)
    panel = view.findChildren(AnswerBody)[-1].panels[0]
    assert isinstance(panel, TextPanel)
    QTest.mousePress(panel.viewport(), Qt.MouseButton.LeftButton, pos=QPoint(2, 10))
    below = panel.viewport().mapFrom(view, QPoint(200, view.height() + 50))
    button, modifiers = Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier
    local, screen = QPointF(below), QPointF(panel.viewport().mapToGlobal(below))
    move = QMouseEvent(QEvent.Type.MouseMove, local, screen, Qt.MouseButton.NoButton, button, modifiers)
    QApplication.sendEvent(panel.viewport(), move)
    assert bar.value() > 0
    assert len(panel.selected_text()) > 50


def test_a_change_of_colours_keeps_the_place(view: MessageView, qtbot: QtBot) -> None:
    view.show_messages([ViewMessage(n, "assistant", TEXT, footer="f") for n in range(30)])
    wait_until_drawn(view, qtbot)
    view.verticalScrollBar().setValue(view.verticalScrollBar().maximum() - 700)
    wait_until_drawn(view, qtbot)
    value, text = view.verticalScrollBar().value(), visible_text(view)
    view.set_palette_mode(True)
    assert view.verticalScrollBar().value() == value
    assert visible_text(view) == text


def test_earlier_messages_come_as_the_reader_scrolls_up(view: MessageView, qtbot: QtBot) -> None:
    view.show_messages([ViewMessage(n, "user", f"message {n}") for n in range(400)])
    wait_until_drawn(view, qtbot)
    assert "message 399" in visible_text(view)
    assert "message 100\n" not in visible_text(view)
    bar = view.verticalScrollBar()
    while bar.value() > 0:
        bar.setValue(bar.value() - 400)
        wait_until_drawn(view, qtbot)
    assert visible_text(view).splitlines() == [f"message {n}" for n in range(400)]


def test_messages_above_do_not_move_what_is_read(view: MessageView, qtbot: QtBot) -> None:
    view.show_messages([ViewMessage(n, "assistant", f"message {n}\n\n" + TEXT, footer="f") for n in range(60)])
    wait_until_drawn(view, qtbot)
    bar = view.verticalScrollBar()
    bar.setValue(bar.value() - 250)
    seen = min(view.findChildren(AnswerBody), key=lambda b: abs(b.mapTo(view, b.rect().topLeft()).y()))
    place = seen.mapTo(view, seen.rect().topLeft()).y()
    wait_until_drawn(view, qtbot)
    assert seen.mapTo(view, seen.rect().topLeft()).y() == place


def test_a_narrow_window_wraps_the_text(answer: Answer, qtbot: QtBot) -> None:
    view = answer("word " * 200)
    before = view.findChildren(AnswerBody)[-1].height()
    view.resize(420, 600)
    wait_until_drawn(view, qtbot)
    assert view.findChildren(AnswerBody)[-1].height() > before
    assert view.findChildren(AnswerBody)[-1].width() <= view.viewport().width()


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["prose", "code", "mixed"])
def test_thousands_of_pieces_do_not_stall_the_window(view: MessageView, qtbot: QtBot, kind: str) -> None:
    text = {
        "prose": "Some **words** 和一些中文, more of them.\n\n" * 600,
        "code": "```python\n" + "    x = f(1, 'text')  # 注释\n" * 800,
        "mixed": (TEXT + "\n\n") * 150,
    }[kind]
    size = max(len(text) // 5000, 1)

    def stream() -> float:
        pieces = iter([text[i : i + size] for i in range(0, len(text), size)])
        view.show_messages([ViewMessage(2, "assistant", "")])
        source = QTimer(interval=0)
        source.timeout.connect(lambda: feed(view, pieces, 20))
        source.start()
        meter = StallMeter()
        qtbot.waitUntil(lambda: length_hint(pieces) == 0, timeout=60_000)
        source.stop()
        view.finish_message(2, "figures", "")
        wait_until_drawn(view, qtbot)
        print(f"{kind}: the longest stall was {meter.stop() * 1000:.0f} ms")
        return meter.longest

    assert least_stall(stream) < LONGEST_STALL_SECONDS


def test_a_bubble_that_was_arranged_while_hidden_takes_its_width_when_shown(qtbot: QtBot) -> None:
    pages = QStackedWidget()
    qtbot.addWidget(pages)
    view = MessageView()
    pages.addWidget(QWidget())
    pages.addWidget(view)
    pages.resize(900, 500)
    pages.show()
    view.append_message(ViewMessage(1, "user", "What is the capital of Japan?"))

    pages.setCurrentWidget(view)
    QApplication.processEvents()

    (text,) = view.findChildren(TextPanel)
    assert text.height() < 2 * text.fontMetrics().lineSpacing()


@pytest.mark.parametrize("old_width", [100, 400, 1200])
def test_a_panel_tells_its_height_for_the_width_that_it_is_given_not_for_the_one_it_has(
    qtbot: QtBot, old_width: int
) -> None:
    panel = TextPanel(load_theme(dark=False))
    qtbot.addWidget(panel)
    panel.setPlainText("Explain it in English in two sentences, and give a table.")
    panel.resize(old_width, 40)
    one_line = panel.arrange(1000)
    assert panel.arrange(200) > one_line
    assert panel.arrange(1000) == one_line
    assert one_line < 2 * panel.fontMetrics().lineSpacing()


def test_pressing_inside_a_selection_begins_a_new_one_instead_of_dragging_text_away(answer: Answer) -> None:
    view = answer("some words to select and drag")
    panel = view.findChildren(TextPanel)[-1]
    panel.selectAll()
    middle = panel.viewport().rect().center()

    QTest.mousePress(panel.viewport(), Qt.MouseButton.LeftButton, pos=middle)

    assert not panel.textCursor().hasSelection()


def test_the_actions_of_a_question_are_seen_whole(answer: Answer) -> None:
    view = answer("text")
    question = view.findChildren(TypedMessage)[0]

    assert question.rect().contains(question.action_row.geometry())


def test_nothing_is_left_of_the_messages_before(answer: Answer) -> None:
    view = answer("old")
    view.show_messages([ViewMessage(7, "user", "new")])
    QApplication.processEvents()
    assert visible_text(view) == "new"


@pytest.mark.parametrize("role", ["user", "assistant"])
def test_a_sought_message_far_above_comes_into_sight_with_the_term_selected(
    view: MessageView, qtbot: QtBot, role: Role
) -> None:
    messages = [ViewMessage(n, role, "lines\n\n" * 30 + f"needle {n} 针", footer="f") for n in range(80)]
    view.show_messages(messages)
    wait_until_drawn(view, qtbot)

    view.reveal(5, "针")
    wait_until_drawn(view, qtbot)

    found = [panel for panel in view.findChildren(TextPanel) if panel.textCursor().selectedText() == "针"]
    assert [panel.toPlainText().split()[-2] for panel in found] == ["5"]
    place = found[0].mapTo(view.viewport(), found[0].cursorRect().center())
    assert view.viewport().rect().contains(place)


def test_a_sought_message_without_the_term_is_shown_from_its_beginning(view: MessageView, qtbot: QtBot) -> None:
    view.show_messages([ViewMessage(n, "user", f"message {n}\n" * 10) for n in range(50)])

    view.reveal(30, "nowhere")
    wait_until_drawn(view, qtbot)

    first = next(panel for panel in view.findChildren(TextPanel) if panel.toPlainText().startswith("message 30\n"))
    assert 0 <= first.mapTo(view.viewport(), QPoint()).y() < view.viewport().height() // 3


def test_a_line_stands_above_the_first_message_that_the_model_still_sees(view: MessageView, qtbot: QtBot) -> None:
    view.show_messages([ViewMessage(n, "user", f"message {n}") for n in range(4)])
    wait_until_drawn(view, qtbot)
    line = view.findChild(QWidget, "contextLine")
    assert isinstance(line, QWidget)
    assert not line.isVisible()

    view.show_context_start(2)

    panels = {panel.toPlainText(): panel.mapTo(view, QPoint()).y() for panel in view.findChildren(TextPanel)}
    assert line.isVisible()
    assert panels["message 1"] < line.mapTo(view, QPoint()).y() < panels["message 2"]
