"""Sends what is typed: a question, another version of one, or the wish for another answer."""

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal

from app.window.column import Column
from app.window.drafts import Drafts
from engine import GenerationSettings, InstalledModel, Manifest, SixpaneError

if TYPE_CHECKING:
    from app.conversations import Conversations


class Asking(QObject):
    """Stands between the composer and the conversations.

    Args:
        column: Holds the composer and the bar that tells of an edit.
        parent: The owner.

    Attributes:
        model: The model that will answer; nothing can be asked without one.
        drafts: What is typed in each conversation and not sent.
    """

    failed = Signal(object)
    """The `SixpaneError` for which nothing was asked."""

    asked = Signal()
    """A question is stored and will be answered."""

    def __init__(self, column: Column, parent: QObject) -> None:
        super().__init__(parent)
        self.model: InstalledModel | None = None
        self.drafts = Drafts(column.composer)
        self._composer = column.composer
        self._edit_bar = column.edit_bar
        self._conversations: Conversations | None = None
        self._edited: int | None = None
        self._draft_before = ""
        column.composer.submitted.connect(self.send)
        column.composer.stop_requested.connect(self.stop)
        column.edit_bar.cancelled.connect(self.cancel_edit)

    def attach(self, conversations: "Conversations") -> None:
        """Ask in these conversations from now on."""
        self._conversations = conversations

    def show_draft(self, conversation_id: int | None) -> None:
        """Show what is typed in a conversation; an edit in the one before is given up."""
        self.cancel_edit()
        self.drafts.show(conversation_id)

    def send(self, text: str) -> None:
        """Ask a question, or the edited one anew; it stays typed where that is not possible."""
        conversations, manifest = self._conversations, self._manifest
        if conversations is None or manifest is None:
            self._composer.draft = text
        elif conversations.answering is None:
            try:
                if self._edited is None:
                    conversations.ask(text, GenerationSettings(), manifest)
                else:
                    conversations.ask_instead(self._edited, text, GenerationSettings(), manifest)
            except SixpaneError as error:
                self.failed.emit(error)
                return
            self.drafts.sent(text, conversations.current)
            self.asked.emit()

    def edit(self, message_id: int) -> None:
        """Put a question into the composer, to be asked in other words."""
        if self._conversations is None or self._conversations.answering is not None:
            return
        if self._edited is None:
            self._draft_before = self._composer.draft
        self._edited = message_id
        self._composer.draft = self._conversations.source_of(message_id)
        self._edit_bar.show()
        self._composer.setFocus()

    def cancel_edit(self) -> None:
        """Put back what was typed before the edit."""
        if self._edited is not None:
            self._edited = None
            self._edit_bar.hide()
            self._composer.draft = self._draft_before

    def regenerate(self, message_id: int) -> None:
        """Have a question answered again."""
        conversations, manifest = self._conversations, self._manifest
        if conversations is None or manifest is None or conversations.answering is not None:
            return
        try:
            conversations.regenerate(message_id, GenerationSettings(), manifest)
        except SixpaneError as error:
            self.failed.emit(error)

    def stop(self) -> None:
        """Stop the answer of the shown conversation."""
        if self._conversations:
            self._conversations.stop()

    def escape(self) -> None:
        """Give up the edit, or else stop the answer."""
        if self._edited is None:
            self.stop()
        else:
            self.cancel_edit()

    @property
    def _manifest(self) -> Manifest | None:
        return self.model.manifest if self.model else None
