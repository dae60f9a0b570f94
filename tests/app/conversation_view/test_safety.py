"""Text of an answer is data: nothing is loaded, nothing opens by itself."""

import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

import pytest
from PySide6.QtCore import QObject, Qt, QUrl, Slot
from PySide6.QtGui import QDesktopServices, QGuiApplication, QTextDocument
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QDialog, QLabel, QPlainTextEdit, QPushButton
from pytestqt.qtbot import QtBot

from app.conversation_view import MessageView, ViewMessage
from app.conversation_view.answer_body import AnswerBody
from app.conversation_view.link_dialog import LinkDialog
from app.conversation_view.text_panel import TextPanel
from app.markdown import LinkTarget
from tests.app.conversation_view.conftest import visible_text, wait_until_drawn

# The offscreen platform says so of every dialog.

Answer = Callable[[str], MessageView]


class Opened(QObject):
    """Receives what would be opened in another program."""

    def __init__(self) -> None:
        super().__init__()
        self.urls: list[str] = []

    @Slot(QUrl)
    def take(self, url: QUrl) -> None:
        self.urls.append(url.toString())


@pytest.fixture
def opened() -> Iterator[Opened]:
    """What was opened, instead of opening it."""
    receiver = Opened()
    for scheme in ("http", "https", "mailto", "file"):
        QDesktopServices.setUrlHandler(scheme, receiver, "take")  # type: ignore[arg-type]  # the stubs ask for bytes, which are refused
    yield receiver
    for scheme in ("http", "https", "mailto", "file"):
        QDesktopServices.unsetUrlHandler(scheme)


def click_first_link(view: MessageView) -> None:
    panel = view.findChildren(AnswerBody)[-1].panels[0]
    assert isinstance(panel, TextPanel)
    for x in range(1, panel.width()):
        point = panel.viewport().rect().topLeft() + type(panel.rect().topLeft())(x, 14)
        if panel.anchorAt(point):
            QTest.mouseClick(panel.viewport(), Qt.MouseButton.LeftButton, pos=point)
            return
    raise AssertionError("there is no link in the first line")


def dialog_of(view: MessageView) -> LinkDialog:
    return view.findChildren(LinkDialog)[-1]


def press(dialog: QDialog, text: str) -> None:
    button = next(b for b in dialog.findChildren(QPushButton) if b.text().replace("&", "") == text)
    QTest.mouseClick(button, Qt.MouseButton.LeftButton)


def test_an_image_asks_no_server(view: MessageView, qtbot: QtBot) -> None:
    asked: list[str] = []

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            asked.append(self.path)

    server = HTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    address = f"http://127.0.0.1:{server.server_port}/a.png"
    view.show_messages([ViewMessage(1, "assistant", f'![alt]({address}) <img src="{address}">', footer="f")])
    wait_until_drawn(view, qtbot)
    view.grab()
    server.shutdown()
    thread.join()
    server.server_close()
    assert asked == []
    assert visible_text(view) == f'alt {address} <img src="{address}">'


@pytest.mark.parametrize("form", ["![x]({url})", '<img src="{url}">', "[x]({url})", "|a|\n|-|\n|![x]({url})|"])
def test_no_file_is_read(view: MessageView, qtbot: QtBot, tmp_path: Path, form: str) -> None:
    secret = tmp_path / "secret.html"
    secret.write_text("<p>the secret</p>")
    view.show_messages([ViewMessage(1, "assistant", form.format(url=secret.as_uri()), footer="f")])
    wait_until_drawn(view, qtbot)
    view.grab()
    assert "the secret" not in visible_text(view)


def test_a_panel_gives_no_resource_and_follows_no_source(answer: Answer, tmp_path: Path) -> None:
    panel = answer("text").findChildren(AnswerBody)[-1].panels[0]
    assert isinstance(panel, TextPanel)
    file = tmp_path / "a.html"
    file.write_text("replaced")
    for url in (QUrl.fromLocalFile(str(file)), QUrl("qrc:/a.png"), QUrl("http://127.0.0.1/a.png")):
        assert not panel.document().resource(QTextDocument.ResourceType.ImageResource.value, url)
        panel.setSource(url)
    assert panel.toPlainText() == "text"


def test_a_link_opens_only_after_its_target_was_shown(answer: Answer, opened: Opened) -> None:
    view = answer("[https://good.example](https://bad.example/x?y=1)")
    click_first_link(view)
    dialog = dialog_of(view)
    assert opened.urls == []
    assert dialog.findChildren(QPlainTextEdit)[0].toPlainText() == "https://bad.example/x?y=1"
    press(dialog, "Open")
    assert opened.urls == ["https://bad.example/x?y=1"]


def test_a_link_that_is_declined_does_not_open(answer: Answer, opened: Opened) -> None:
    view = answer("[x](https://a.example/)")
    click_first_link(view)
    press(dialog_of(view), "Copy address")
    QTest.keyClick(dialog_of(view), Qt.Key.Key_Escape)
    assert opened.urls == []
    assert QGuiApplication.clipboard().text() == "https://a.example/"


def test_disguises_of_a_site_are_told(qtbot: QtBot) -> None:
    dialog = LinkDialog(LinkTarget.of("https://bank.example@аррӏе.com/"))
    qtbot.addWidget(dialog)
    text = "\n".join(label.text() for label in dialog.findChildren(QLabel))
    assert "xn--" in text
    assert "аррӏе.com" in text
    assert "bank.example" in text


def test_characters_that_qt_gives_a_meaning_do_no_harm(answer: Answer) -> None:
    view = answer("a\u2029b \ufdd0c\ufdd1 \ufffcd\n\n```\na\u2029b\ufdd0c\n```")
    assert visible_text(view).replace("\u2028", "\n") == "?\na\nb �c� �d\na\nb�c"
