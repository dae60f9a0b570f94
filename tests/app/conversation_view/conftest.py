"""A shown view, and means to look into it."""

from collections.abc import Callable, Iterator

import pytest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from app.conversation_view import MessageView, ViewMessage
from app.conversation_view.code import CodeBlock
from app.conversation_view.text_panel import TextPanel


@pytest.fixture
def view(qtbot: QtBot) -> Iterator[MessageView]:
    """An empty view of an ordinary size."""
    result = MessageView()
    qtbot.addWidget(result)
    result.resize(900, 600)
    result.show()
    qtbot.waitExposed(result)
    yield result
    result.shut_down()


@pytest.fixture
def answer(view: MessageView, qtbot: QtBot) -> Callable[[str], MessageView]:
    """Shows one complete answer and waits until it is drawn."""

    def show(text: str) -> MessageView:
        view.show_messages([ViewMessage(1, "user", "?"), ViewMessage(2, "assistant", text, footer="figures")])
        wait_until_drawn(view, qtbot)
        return view

    return show


def wait_until_drawn(view: MessageView, qtbot: QtBot) -> None:
    """Wait until everything that waits to be drawn is."""
    qtbot.waitUntil(lambda: not view.is_drawing, timeout=20_000)
    QApplication.processEvents()


def visible_text(view: MessageView) -> str:
    """All text of the messages from top to bottom."""
    panels = [panel for panel in view.findChildren(TextPanel) if panel.isVisibleTo(view)]
    panels.sort(key=lambda panel: panel.mapTo(view, panel.rect().topLeft()).y())
    return "\n".join(panel.toPlainText() for panel in panels)


def code_blocks(view: MessageView) -> list[CodeBlock]:
    """The code blocks from top to bottom."""
    blocks = [block for block in view.findChildren(CodeBlock) if block.isVisibleTo(view)]
    return sorted(blocks, key=lambda block: block.mapTo(view, block.rect().topLeft()).y())
