"""The left side: new conversation, search, the list, and the way back after a deletion."""

from datetime import date
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QLineEdit, QPushButton, QVBoxLayout, QWidget

from app.i18n import sentence_of
from app.window.conversation_list import ConversationList
from engine import SixpaneError

if TYPE_CHECKING:
    from app.conversations import Conversations

UNDO_MILLISECONDS = 8000
SEARCH_PAUSE_MILLISECONDS = 120


class UndoBar(QFrame):
    """Says what was deleted and takes it back; goes away by itself."""

    undone = Signal(int)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("undoBar")
        self._conversation_id = 0
        self._timer = QTimer(self, singleShot=True, interval=UNDO_MILLISECONDS)
        self._timer.timeout.connect(self.hide)
        label = QLabel(self.tr("Conversation deleted"))
        label.setTextFormat(Qt.TextFormat.PlainText)
        self.button = QPushButton(self.tr("Undo"))
        self.button.setObjectName("undoButton")
        self.button.clicked.connect(self._undo)
        layout = QHBoxLayout(self)
        layout.setContentsMargins(12, 4, 4, 4)
        layout.addWidget(label, 1)
        layout.addWidget(self.button)
        self.hide()

    def offer(self, conversation_id: int) -> None:
        """Offer to take a deletion back."""
        self._conversation_id = conversation_id
        self.show()
        self._timer.start()

    def _undo(self) -> None:
        self.hide()
        self.undone.emit(self._conversation_id)


class Sidebar(QWidget):
    """Finds, begins, renames and deletes conversations."""

    message_sought = Signal(int, str)
    """A message that a search has found, whose conversation is shown now, and the search term."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("sidebar")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self.new_button = QPushButton(self.tr("New conversation"))
        self.new_button.setObjectName("newChatButton")
        self.new_button.setAccessibleName(self.tr("New conversation"))
        self.new_button.setToolTip(self.tr("New conversation (Ctrl+N)"))
        self.search_box = QLineEdit()
        self.search_box.setObjectName("searchBox")
        self.search_box.setAccessibleName(self.tr("Search in all conversations"))
        self.search_box.setPlaceholderText(self.tr("Search"))
        self.search_box.setClearButtonEnabled(True)
        self.list = ConversationList()
        self.undo_bar = UndoBar()
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 12, 0, 12)
        layout.setSpacing(8)
        for widget in (self.new_button, self.search_box):
            row = QHBoxLayout()
            row.setContentsMargins(12, 0, 12, 0)
            row.addWidget(widget)
            layout.addLayout(row)
        layout.addWidget(self.list, 1)
        bottom = QHBoxLayout()
        bottom.setContentsMargins(12, 0, 12, 0)
        bottom.addWidget(self.undo_bar)
        layout.addLayout(bottom)
        self._search_timer = QTimer(self, singleShot=True, interval=SEARCH_PAUSE_MILLISECONDS)
        self._search_timer.timeout.connect(self.refresh)
        self._conversations: Conversations | None = None

    def attach(self, conversations: "Conversations") -> None:
        """Show these conversations from now on."""
        self._conversations = conversations
        self.new_button.clicked.connect(lambda: conversations.show(None))
        self.search_box.textChanged.connect(lambda: self._search_timer.start())
        self.list.chosen.connect(self._choose)
        self.list.rename_requested.connect(conversations.rename)
        self.list.delete_requested.connect(self._delete)
        self.undo_bar.undone.connect(conversations.restore)
        conversations.list_changed.connect(self.refresh)
        conversations.thread_shown.connect(lambda _: self.list.mark(conversations.current))
        self.refresh()

    def detach(self) -> None:
        """Look into the history no more, since it is about to be closed."""
        self._search_timer.stop()
        self._conversations = None

    def refresh(self) -> None:
        """Show the list anew, or what the search finds."""
        if self._conversations is None:
            return
        term = self.search_box.text().strip()
        try:
            if term:
                self.list.rows.show_hits(self._conversations.history.search(term))
            else:
                self.list.rows.show_conversations(self._conversations.history.conversations(), date.today())
        except SixpaneError as error:
            self._conversations.trouble.emit(sentence_of(error))
        self.list.mark(self._conversations.current)

    def _choose(self, conversation_id: int, message_id: int | None) -> None:
        assert self._conversations is not None
        self._conversations.show(conversation_id, message_id)
        if message_id is not None:
            self.message_sought.emit(message_id, self.search_box.text().strip())

    def _delete(self, conversation_id: int) -> None:
        assert self._conversations is not None
        self._conversations.delete(conversation_id)
        self.undo_bar.offer(conversation_id)
