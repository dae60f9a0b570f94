"""The chain of views that a growing text passes."""

from collections.abc import Iterable
from typing import Protocol

from engine.postprocess.control_characters import show_control_characters
from engine.postprocess.protected import Piece, ProtectedScanner
from engine.postprocess.settings import ViewSettings


class View(Protocol):
    """A view of a text that arrives in pieces; what it gives does not depend on where they are cut."""

    def feed(self, piece: Piece) -> list[Piece]:
        """Take the next piece and give what is certain."""
        ...

    def flush(self) -> list[Piece]:
        """Give what was held back, at the end of the text."""
        ...


class Presenter:
    """Shows one growing text; what was given never changes, and the joined parts are the view of the whole text.

    Args:
        settings: Which views are on.
    """

    def __init__(self, settings: ViewSettings) -> None:
        self._views = _views(settings)
        self._scanner = ProtectedScanner() if self._views else None

    def feed(self, text: str) -> str:
        """Take more of the text and give more of what is shown."""
        shown = text if self._scanner is None else _joined(self._pass_on(self._scanner.feed(text), self._views))
        return show_control_characters(shown)

    def flush(self) -> str:
        """Give what was held back, at the end of the text."""
        if self._scanner is None:
            return ""
        pieces = self._pass_on(self._scanner.flush(), self._views)
        for number, view in enumerate(self._views):
            pieces += self._pass_on(view.flush(), self._views[number + 1 :])
        return show_control_characters(_joined(pieces))

    @staticmethod
    def _pass_on(pieces: list[Piece], views: Iterable[View]) -> list[Piece]:
        for view in views:
            pieces = [given for piece in pieces if piece.text for given in view.feed(piece)]
        return pieces


def _joined(pieces: Iterable[Piece]) -> str:
    return "".join(piece.text for piece in pieces)


def _views(settings: ViewSettings) -> list[View]:
    views: list[View] = []
    if settings.chinese:
        # Its dictionaries take a while to load, and most people need none.
        from engine.postprocess.conversion import Conversion

        views.append(Conversion(settings.chinese))
    if settings.punctuation:
        from engine.postprocess.punctuation import Punctuation

        views.append(Punctuation())
    if settings.spacing:
        from engine.postprocess.spacing import Spacing

        views.append(Spacing())
    return views
