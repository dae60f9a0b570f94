"""Somebody who uses the window by the names of its widgets, for tests that read like what a person does."""

from typing import TypeVar

from PySide6.QtCore import QModelIndex, QPoint, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLabel, QLineEdit, QListView, QPlainTextEdit, QPushButton, QWidget
from pytestqt.qtbot import QtBot

from app.conversation_view.buttons import ActionButton
from app.conversation_view.text_panel import TextPanel
from app.window.main_window import MainWindow

Widget = TypeVar("Widget", bound=QWidget)
PATIENCE_MILLISECONDS = 10_000


class Person:
    """Types, clicks and reads.

    Args:
        window: The window, shown.
        qtbot: Presses keys and waits.
    """

    def __init__(self, window: MainWindow, qtbot: QtBot) -> None:
        self.window = window
        self._qtbot = qtbot

    def find(self, name: str, kind: type[Widget]) -> Widget:
        """The widget of this name."""
        found = self.window.findChild(kind, name)
        assert found is not None, f"there is no {name}"
        return found

    @property
    def composer(self) -> QPlainTextEdit:
        """Where questions are typed."""
        return self.find("composer", QPlainTextEdit)

    @property
    def conversations(self) -> QListView:
        """The conversations."""
        return self.find("conversationList", QListView)

    def ask(self, question: str) -> None:
        """Type a question and press Enter."""
        self.composer.setPlainText(question)
        QTest.keyClick(self.composer, Qt.Key.Key_Return)

    def click(self, name: str) -> None:
        """Click a button, which must be there and enabled."""
        button = self.find(name, QPushButton)
        assert button.isVisible(), f"{name} is hidden"
        assert button.isEnabled(), f"{name} is disabled"
        QTest.mouseClick(button, Qt.MouseButton.LeftButton)

    def search(self, term: str) -> None:
        """Type into the search box."""
        self.find("searchBox", QLineEdit).setText(term)

    def choose(self, title: str) -> None:
        """Click the first conversation of this title in the list."""
        place = self.conversations.visualRect(self.row_of(title)).center()
        QTest.mouseClick(self.conversations.viewport(), Qt.MouseButton.LeftButton, pos=QPoint(place))

    def answer_again(self) -> None:
        """Ask for another answer to the last question."""
        self.press("Answer again")

    def press(self, action: str) -> None:
        """Press the last button of this name under a message."""
        buttons = [one for one in self.window.view.findChildren(ActionButton) if one.accessibleName() == action]
        buttons = [one for one in buttons if one.isVisible()]
        buttons.sort(key=lambda one: one.mapTo(self.window, QPoint()).y())
        buttons[-1].click()

    def row_of(self, title: str) -> QModelIndex:
        """The first row of this title."""
        return self.conversations.model().index(self.rows().index(title), 0)

    def rows(self) -> list[str]:
        """What the list shows, headings included."""
        model = self.conversations.model()
        return [str(model.index(row, 0).data()) for row in range(model.rowCount())]

    def status(self) -> str:
        """The status line."""
        return self.find("statusLine", QLabel).text()

    def trouble(self) -> str:
        """The sentence about something that went wrong; empty if there is none."""
        label = self.find("troubleLabel", QLabel)
        return label.text() if label.isVisible() else ""

    def reads(self) -> str:
        """All text of the conversation from top to bottom."""
        view = self.window.view
        panels: list[TextPanel | QLabel] = [*view.findChildren(TextPanel), *view.findChildren(QLabel)]
        shown = [panel for panel in panels if panel.isVisible()]
        shown.sort(key=lambda panel: panel.mapTo(view, QPoint()).y())
        return "\n".join(panel.text() if isinstance(panel, QLabel) else panel.toPlainText() for panel in shown)

    def wait_until_ready(self) -> None:
        """Wait until the model is loaded."""
        self._qtbot.waitUntil(lambda: "ready" in self.status(), timeout=PATIENCE_MILLISECONDS)

    def wait_until_reading(self, text: str) -> None:
        """Wait until a text stands in the conversation."""
        self._qtbot.waitUntil(lambda: text in self.reads(), timeout=PATIENCE_MILLISECONDS)

    def wait_until_listing(self, *rows: str) -> None:
        """Wait until the list shows these rows, headings left out."""
        headings = {"Today", "Found", "Nothing found"}
        self._qtbot.waitUntil(
            lambda: [row for row in self.rows() if row not in headings] == list(rows), timeout=PATIENCE_MILLISECONDS
        )

    def wait_until_answered(self, timeout: int = PATIENCE_MILLISECONDS) -> None:
        """Wait until the answer of the shown conversation is complete."""
        stop = self.find("stopButton", QPushButton)
        self._qtbot.waitUntil(lambda: not stop.isVisible() and not self.window.view.is_drawing, timeout=timeout)
        QApplication.processEvents()

    def closes_the_window(self) -> None:
        """Close it, as by the button of its frame."""
        self.window.close()
