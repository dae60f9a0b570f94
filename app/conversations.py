"""Binds the history, the engine and the window: what was typed and said goes to the row it belongs to."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from time import monotonic

from PySide6.QtCore import QObject, QTimer, Signal

from app.answers import figures_of, notice_of, view_of
from app.conversation_view import ViewMessage
from app.engine_thread import EngineThread, Job
from app.growing_reply import GrowingReply
from app.history import History, HistoryError, StoredMessage
from app.i18n import sentence_of
from engine import (
    Event,
    Finished,
    GenerationSettings,
    Manifest,
    Message,
    PrefillProgress,
    PromptPrepared,
    PromptTooLongError,
    SixpaneError,
    Statistics,
    TextDelta,
    TokenGenerated,
)

SAVE_MILLISECONDS = 1000
"""How often what streams is written to the disk."""


class Conversations(QObject):
    """What a person does with conversations.

    Args:
        history: The open history.
        engine: The engine's thread.
        parent: The owner.

    Attributes:
        current: Id of the conversation that is shown; None for a new one without a question yet.
        context_tokens: How full the context was after the last answer of the shown conversation; 0 if not known.
        context_starts: For each conversation whose beginning the model does not see any more, the first message that
            it saw with the last question.
    """

    list_changed = Signal()
    thread_shown = Signal(list)
    """All messages of the conversation that is shown now, as `ViewMessage`."""

    message_added = Signal(object)
    """A `ViewMessage` at the end of the shown conversation."""

    text_arrived = Signal(int, str)
    """The id of a message and more text of it, in whatever conversation."""

    reply_finished = Signal(int, str, str)
    """The id of a message, its line of figures and why it ended."""

    answering_changed = Signal()
    prefill_progressed = Signal(str, int, int)
    """The model of the shown reply, and how many tokens of how many it has read."""

    context_started = Signal(object)
    """The first message of the shown conversation that the model sees; None where it sees all."""

    token_arrived = Signal(object)
    """The `GrowingReply` of the shown conversation, after a token."""

    question_refused = Signal(str, int)
    """A question that does not fit into the context, and the id of its conversation."""

    trouble = Signal(str)
    """A sentence about something that could not be read or saved."""

    def __init__(self, history: History, engine: EngineThread, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.history = history
        self.current: int | None = None
        self.context_tokens = 0
        self.context_starts: dict[int, int] = {}
        self._engine = engine
        self._is_closing = False
        self._growing: dict[int, GrowingReply] = {}
        self._save_timer = QTimer(self, interval=SAVE_MILLISECONDS)
        self._save_timer.timeout.connect(self.save)
        engine.event_arrived.connect(self._take_event)
        engine.failed.connect(self._take_failure)

    @property
    def answering(self) -> int | None:
        """Id of the reply that streams in the shown conversation."""
        streaming = (id_ for id_, reply in self._growing.items() if reply.conversation_id == self.current)
        return next(streaming, None)

    @property
    def growing(self) -> GrowingReply | None:
        """The reply that streams in the shown conversation."""
        return None if self.answering is None else self._growing[self.answering]

    @property
    def is_busy(self) -> bool:
        """Whether the engine is at an answer, in whatever conversation."""
        return any(reply.has_begun for reply in self._growing.values())

    def show(self, conversation_id: int | None, message_id: int | None = None) -> None:
        """Show a conversation, or a new one; one that streams is shown as far as it is.

        Args:
            conversation_id: None for a new one.
            message_id: A message of it that must be seen: if it is on another branch, that branch is shown.
        """
        messages: list[StoredMessage] = []
        if conversation_id is not None:
            try:
                messages = self.history.thread(conversation_id)
                if message_id is not None and message_id not in {message.id for message in messages}:
                    self.history.show_branch_of(message_id)
                    messages = self.history.thread(conversation_id)
            except HistoryError as error:
                self.trouble.emit(sentence_of(error))
                return
        self.current = conversation_id
        self.context_tokens = next(filter(None, map(_context_after, reversed(messages))), 0)
        self.thread_shown.emit([self._view(message) for message in messages])
        self.context_started.emit(self.context_starts.get(conversation_id or 0))
        self.answering_changed.emit()

    def ask(self, text: str, settings: GenerationSettings, manifest: Manifest) -> None:
        """Store a question and have it answered; begins a conversation if none is shown.

        Raises:
            HistoryError: The question could not be stored; nothing was done.
        """
        if self.current is None:
            self.current = self.history.create_conversation().id
            self.context_tokens = 0
        question, reply = self.history.ask(self.current, text, settings, manifest.name, manifest.model_hash)
        self.message_added.emit(view_of(question))
        self.message_added.emit(view_of(reply))
        self._answer(reply, settings)

    def regenerate(self, message_id: int, settings: GenerationSettings, manifest: Manifest) -> None:
        """Have a question answered again; the answer before stays in the history.

        Raises:
            HistoryError: The new answer could not be stored; nothing was done.
        """
        reply = self.history.regenerate(message_id, settings, manifest.name, manifest.model_hash)
        self.show(reply.conversation_id)
        self._answer(reply, settings)

    def ask_instead(self, message_id: int, text: str, settings: GenerationSettings, manifest: Manifest) -> None:
        """Store another version of a question and have it answered; the one before stays in the history.

        Raises:
            HistoryError: The question could not be stored; nothing was done.
        """
        _, reply = self.history.ask_instead(message_id, text, settings, manifest.name, manifest.model_hash)
        self.show(reply.conversation_id)
        self._answer(reply, settings)

    def show_version(self, message_id: int, number: int) -> None:
        """Show another version of a message of the shown conversation, and what followed on it.

        Args:
            message_id: A message.
            number: Which version of it, counted from 1.
        """
        assert self.current is not None
        with self._telling():
            shown = next(message for message in self.history.thread(self.current) if message.id == message_id)
            self.history.show_branch_of(shown.versions[number - 1])
        self.show(self.current)

    def stop(self) -> None:
        """Stop the answer of the shown conversation."""
        if (reply_id := self.answering) is not None:
            self._stop(reply_id)

    def source_of(self, message_id: int) -> str:
        """The original text of a message, as far as it is."""
        growing = self._growing.get(message_id)
        return growing.text if growing else self.history.message(message_id).text

    def rename(self, conversation_id: int, title: str) -> None:
        """Give a conversation a title by hand."""
        with self._telling():
            self.history.rename(conversation_id, title)
        self.list_changed.emit()

    def delete(self, conversation_id: int) -> None:
        """Put a conversation into the bin; what streams in it is stopped."""
        for reply_id in [id_ for id_, reply in self._growing.items() if reply.conversation_id == conversation_id]:
            self._stop(reply_id)
        with self._telling():
            self.history.delete(conversation_id)
            if conversation_id == self.current:
                self.show(None)
        self.list_changed.emit()

    def restore(self, conversation_id: int) -> None:
        """Take a conversation out of the bin and show it."""
        with self._telling():
            self.history.restore(conversation_id)
            self.show(conversation_id)
        self.list_changed.emit()

    def close(self) -> None:
        """Stop the engine, keep what streams as interrupted, and release the history."""
        self._is_closing = True
        self._engine.shut_down()
        self.save()
        self._save_timer.stop()
        self.history.close()

    def save(self) -> None:
        """Write what streams to the disk."""
        with self._telling():
            for reply_id, reply in self._growing.items():
                if len(reply.text) > reply.saved_length:
                    self.history.save_partial(reply_id, reply.text, reply.token_ids)
                    reply.saved_length = len(reply.text)

    def _answer(self, reply: StoredMessage, settings: GenerationSettings) -> None:
        assert reply.reply is not None
        thread = self.history.thread(reply.conversation_id)
        # A question that failed, such as one that is too long, would drive the turns before it out of the context.
        failed = {one.parent_id for one in thread if one.state == "failed" and not one.text}
        sent = [one for one in thread if one.text and one.id not in {reply.id, *failed}]
        messages = tuple(Message(one.role, one.text) for one in sent)
        self._growing[reply.id] = GrowingReply(
            reply.conversation_id,
            messages[-1].text,
            reply.reply.model,
            tuple(one.id for one in sent if one.role != "system"),
        )
        self._save_timer.start()
        self._engine.submit(Job(reply.id, messages, settings))
        self.list_changed.emit()
        self.answering_changed.emit()

    def _stop(self, reply_id: int) -> None:
        reply = self._growing[reply_id]
        reply.is_stopped = True
        self._engine.cancel(reply_id)
        if not reply.has_begun:
            # The engine is at another answer, and would say so only after it.
            self._finish(reply_id, reply, Finished("cancelled", "", (), Statistics.of_nothing()))

    @contextmanager
    def _telling(self) -> Iterator[None]:
        """Say what could not be read or saved, instead of failing in the middle of a signal."""
        try:
            yield
        except HistoryError as error:
            self.trouble.emit(sentence_of(error))

    def _view(self, message: StoredMessage) -> ViewMessage:
        growing = self._growing.get(message.id)
        return replace(view_of(message), text=growing.text) if growing else view_of(message)

    def _take_event(self, reply_id: int, event: Event) -> None:
        reply = self._growing.get(reply_id)
        if reply is None:
            return
        if reply.is_stopped and not isinstance(event, PromptPrepared | Finished):
            return
        is_shown = reply.conversation_id == self.current
        match event:
            case PromptPrepared():
                reply.seed = event.seed
                reply.context_tokens = len(event.prompt_token_ids)
                reply.has_begun = True
                self._note_context(reply, event.dropped_messages, is_shown)
                self.answering_changed.emit()
            case PrefillProgress() if is_shown:
                self.prefill_progressed.emit(reply.model, event.done, event.total)
            case TokenGenerated():
                reply.first_token = reply.first_token or monotonic()
                reply.token_ids.append(event.token_id)
                reply.context_tokens += 1
                if is_shown:
                    self.token_arrived.emit(reply)
            case TextDelta():
                reply.text += event.text
                self.text_arrived.emit(reply_id, event.text)
            case Finished():
                # What a closing window cuts off stays streaming on the disk, and is interrupted for the next start.
                if event.reason != "cancelled" or reply.is_stopped or not self._is_closing:
                    self._finish(reply_id, reply, event)

    def _note_context(self, reply: GrowingReply, dropped: int, is_shown: bool) -> None:
        start = reply.turns[dropped] if dropped else None
        if start is None:
            self.context_starts.pop(reply.conversation_id, None)
        else:
            self.context_starts[reply.conversation_id] = start
        if is_shown:
            self.context_started.emit(start)

    def _finish(self, reply_id: int, reply: GrowingReply, event: Finished) -> None:
        if reply.is_stopped and event.text != reply.text:
            # What came after the stop was never shown, so it is not stored either.
            event = replace(event, reason="cancelled", text=reply.text, token_ids=tuple(reply.token_ids))
        with self._telling():
            self.history.finish(reply_id, event.text, event.reason, reply.seed, event.statistics, event.token_ids)
        if reply.conversation_id == self.current:
            self.context_tokens = reply.context_tokens
        self._end(reply_id, figures_of(reply.model, event.statistics), notice_of(event.reason))

    def _take_failure(self, reply_id: int, error: SixpaneError) -> None:
        reply = self._growing.get(reply_id)
        if reply is None:
            return
        sentence = sentence_of(error)
        with self._telling():
            self.history.fail(reply_id, reply.text, sentence)
        self._end(reply_id, "", sentence)
        if isinstance(error, PromptTooLongError):
            self.question_refused.emit(reply.question, reply.conversation_id)

    def _end(self, reply_id: int, footer: str, notice: str) -> None:
        del self._growing[reply_id]
        if not self._growing:
            self._save_timer.stop()
        self.reply_finished.emit(reply_id, footer, notice)
        self.answering_changed.emit()


def _context_after(message: StoredMessage) -> int:
    """How many tokens of the context were in use after an answer; 0 if that was not measured."""
    statistics = message.reply.statistics if message.reply else None
    return statistics.prompt_tokens + statistics.generated_tokens if statistics else 0
