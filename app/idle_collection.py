"""Keeps full garbage collections away from streaming: each would hold every thread for tens of milliseconds."""

import gc

from PySide6.QtCore import QObject, QTimer

from app.conversations import Conversations

IDLE_MILLISECONDS = 2000
_NEVER = 2**31 - 1


class IdleCollection(QObject):
    """Lets a full collection happen only when nothing streams and nothing was shown for a while.

    Args:
        conversations: Tells what happens; the owner.
    """

    def __init__(self, conversations: Conversations) -> None:
        super().__init__(conversations)
        self._conversations = conversations
        self._thresholds = gc.get_threshold()
        gc.set_threshold(*self._thresholds[:2], _NEVER)
        # What the start has brought stays until the end, and need not be looked through again.
        gc.freeze()
        self._timer = QTimer(self, singleShot=True, interval=IDLE_MILLISECONDS)
        self._timer.timeout.connect(self._collect)
        conversations.answering_changed.connect(self._timer.start)
        conversations.thread_shown.connect(self._timer.start)

    def shut_down(self) -> None:
        """Leave the collections to Python again."""
        self._timer.stop()
        gc.set_threshold(*self._thresholds)
        gc.unfreeze()

    def _collect(self) -> None:
        if self._conversations.is_busy:
            self._timer.start()
        else:
            gc.collect()
