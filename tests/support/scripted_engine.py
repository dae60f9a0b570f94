"""An engine that says what a script tells it, with the interface of the real one."""

import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from threading import Event as Gate

from engine import (
    AnswerEvent,
    Cancellation,
    Event,
    Finished,
    GenerationSettings,
    Manifest,
    Message,
    PrefillProgress,
    PromptPrepared,
    Statistics,
    StopReason,
    TextDelta,
    TokenGenerated,
    present,
)

MANIFEST = Manifest(
    name="Scripted",
    architecture="llama",
    precision="int8",
    block_size=64,
    context_length=4096,
    vocabulary_size=1000,
    layers=1,
    kv_heads=1,
    head_size=8,
    end_token_ids=(2,),
    source={},
    files={},
)


Piece = str | float | Gate | Exception


@dataclass
class ScriptedEngine:
    """Says what it is told.

    Attributes:
        pieces: A text is said, a number waits that many seconds, a gate waits until it is opened, an error is raised.
        answers: Other pieces, by the question.
        dropped: How many of the oldest messages it says did not fit.
        heeds_stop: Whether it ends when it is asked to.
        asked: The conversations that were answered.
        done: Opened when an answer is complete and given away.
    """

    pieces: Sequence[Piece] = ("Hello", " world")
    answers: Mapping[str, Sequence[Piece]] = field(default_factory=dict)
    heeds_stop: bool = True
    manifest: Manifest = MANIFEST
    device: str = "CPU"
    dropped: int = 0
    asked: list[tuple[Message, ...]] = field(default_factory=list)
    done: Gate = field(default_factory=Gate)

    def generate(
        self, conversation: Sequence[Message], settings: GenerationSettings, cancellation: Cancellation
    ) -> Iterator[Event]:
        """Follow the script until its end or a stop."""
        self.asked.append(tuple(conversation))
        yield PromptPrepared((5, 6, 7), 0, self.dropped, settings.seed or 1)
        yield PrefillProgress(3, 3)
        text = ""
        token_ids: list[int] = []
        reason: StopReason = "end"
        for piece in self.answers.get(conversation[-1].text, self.pieces):
            if isinstance(piece, Gate):
                while not piece.wait(0.01) and not (self.heeds_stop and cancellation.requested):
                    pass
            if self.heeds_stop and cancellation.requested:
                reason = "cancelled"
                break
            if isinstance(piece, Exception):
                raise piece
            if isinstance(piece, float):
                time.sleep(piece)
            if not isinstance(piece, str):
                continue
            text += piece
            token_ids.append(len(token_ids) + 10)
            yield TokenGenerated(token_ids[-1], 0.5)
            yield TextDelta(piece, shown=present(piece))
        yield Finished(reason, text, tuple(token_ids), Statistics(3, 0, len(token_ids), 0.1, 0.2, 1.0))
        self.done.set()

    def generate_several(
        self, conversation: Sequence[Message], settings: GenerationSettings, count: int, cancellation: Cancellation
    ) -> Iterator[AnswerEvent]:
        """Follow the script as often as asked, one answer after the other."""
        for index in range(count):
            for event in self.generate(conversation, settings, cancellation):
                yield AnswerEvent(index, event)
