"""A request to stop that one thread makes and another one honours."""

from threading import Event

from engine.errors import CancelledError


class Cancellation:
    """Asked for once, from any thread; never taken back."""

    def __init__(self) -> None:
        self._event = Event()

    def cancel(self) -> None:
        """Ask for the stop; safe to call more than once."""
        self._event.set()

    @property
    def requested(self) -> bool:
        """Whether somebody asked for the stop."""
        return self._event.is_set()

    def raise_if_requested(self) -> None:
        """End a long operation.

        Raises:
            CancelledError: The stop was asked for.
        """
        if self.requested:
            raise CancelledError
