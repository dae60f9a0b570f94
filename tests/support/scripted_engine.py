"""An engine that says what a script tells it, with the interface of the real one."""

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from engine import (
    Cancellation,
    Event,
    Finished,
    GenerationSettings,
    Manifest,
    Message,
    PrefillProgress,
    PromptPrepared,
    SixpaneError,
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


@dataclass
class ScriptedEngine:
    """Answers every question with the same pieces.

    Attributes:
        pieces: A text is said, a number waits that many seconds, an error is raised.
        asked: The conversations that were answered.
    """

    pieces: Sequence[str | float | SixpaneError | Exception] = ("Hello", " world")
    manifest: Manifest = MANIFEST
    device: str = "CPU"
    asked: list[tuple[Message, ...]] = field(default_factory=list)

    def generate(
        self, conversation: Sequence[Message], settings: GenerationSettings, cancellation: Cancellation
    ) -> Iterator[Event]:
        """Follow the script until its end or a stop."""
        self.asked.append(tuple(conversation))
        yield PromptPrepared((5, 6, 7), 0, 0, settings.seed or 1)
        yield PrefillProgress(3, 3)
        text = ""
        token_ids: list[int] = []
        reason: StopReason = "end"
        for piece in self.pieces:
            if cancellation.requested:
                reason = "cancelled"
                break
            if isinstance(piece, Exception):
                raise piece
            if isinstance(piece, float):
                time.sleep(piece)
                continue
            text += piece
            token_ids.append(len(token_ids) + 10)
            yield TokenGenerated(token_ids[-1], 0.5)
            yield TextDelta(piece, shown=present(piece))
        yield Finished(reason, text, tuple(token_ids), Statistics(3, 0, len(token_ids), 0.1, 0.2, 1.0))
