"""What was typed in each conversation and not sent, kept while the window is open."""

from app.window.composer import Composer


class Drafts:
    """Puts the draft of the shown conversation into the composer.

    Attributes:
        shown: The conversation whose draft the composer holds; None for a new one.
    """

    def __init__(self, composer: Composer) -> None:
        self._composer = composer
        self._kept: dict[int | None, str] = {}
        self.shown: int | None = None

    def show(self, conversation_id: int | None) -> None:
        """Keep the draft of the conversation before, and take out that of this one."""
        self._kept[self.shown] = self._composer.draft
        self.shown = conversation_id
        self._composer.draft = self._kept.pop(conversation_id, "")

    def sent(self, text: str, conversation_id: int | None) -> None:
        """A question was sent, in a conversation that it may have begun."""
        self.shown = conversation_id
        if text == self._composer.draft:
            self._composer.draft = ""

    def give_back(self, text: str, conversation_id: int) -> None:
        """Put a question back where it was typed, unless something else is typed there by now."""
        if conversation_id != self.shown:
            self._kept[conversation_id] = self._kept.get(conversation_id) or text
        elif not self._composer.draft:
            self._composer.draft = text
