"""The engine: one reply in six stages, without Qt.

This is the whole interface that `app` uses. Importing it is cheap: numpy and ONNX Runtime come in when a model is
loaded, so that a window can be painted before.
"""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from engine.cancellation import Cancellation
from engine.conversation import Message, Role
from engine.errors import (
    CacheFileError,
    CancelledError,
    DownloadError,
    InputError,
    ModelFileError,
    ModelFolderError,
    ModelRunError,
    OfflineError,
    PromptTooLongError,
    SettingsError,
    SixpaneError,
    TemplateError,
)
from engine.events import (
    Alternative,
    AnswerEvent,
    Event,
    Finished,
    PrefillProgress,
    PromptPrepared,
    PromptScored,
    Statistics,
    StopReason,
    TextDelta,
    TextScore,
    TokenGenerated,
    TokenScore,
)
from engine.models.installed import InstalledModel
from engine.models.manifest import Manifest, Precision, Quality
from engine.models.progress import DownloadPlan, DownloadProgress, InstallProgress
from engine.models.starters import Starter, find_starter, recommended_starter, starters
from engine.models.store import ModelStore
from engine.postprocess import Chinese, Presenter, ViewSettings, present
from engine.settings import Constraint, ConstraintKind, GenerationSettings

if TYPE_CHECKING:
    from engine.benchmark import Measurement
    from engine.machine import MachineProfile


class ChatEngine(Protocol):
    """A loaded model that answers: the real pipeline, or a scripted one in tests.

    One thread at a time may use it; only a `Cancellation` crosses threads.
    """

    @property
    def manifest(self) -> Manifest:
        """What model this is."""
        ...

    @property
    def device(self) -> str:
        """Where it runs, such as ``CPU``."""
        ...

    def generate(
        self, conversation: Sequence[Message], settings: GenerationSettings, cancellation: Cancellation
    ) -> Iterator[Event]:
        """Answer the last message of the conversation.

        Raises:
            SixpaneError: While iterating; the events already given stay valid.
        """
        ...

    def generate_several(
        self, conversation: Sequence[Message], settings: GenerationSettings, count: int, cancellation: Cancellation
    ) -> Iterator[AnswerEvent]:
        """Answer the last message of the conversation several times at once, with one seed after the other.

        Raises:
            SixpaneError: While iterating; the events already given stay valid.
        """
        ...


def load_engine(folder: Path, draft_folder: Path | None = None, *, machine_file: Path | None = None) -> ChatEngine:
    """Load the model of a folder on this machine's processor.

    Args:
        folder: The model that answers.
        draft_folder: A smaller model with the same tokens, which guesses what comes next, so that answers are faster.
        machine_file: Where it is kept what was measured of this machine. The first start measures it, in less than two
            seconds; without a file nothing is measured.

    Raises:
        ModelFolderError: A folder is incomplete, damaged or of an unknown kind, or the two have different tokens.
    """
    from engine.pipeline import Pipeline

    return Pipeline.load(folder, draft_folder, machine_file)


def known_machine(machine_file: Path) -> "MachineProfile | None":
    """What the first start has measured of this machine; None before."""
    from engine.machine import known_profile

    return known_profile(machine_file)


def measure(folder: Path, *, machine_file: Path | None = None) -> "Measurement":
    """Load a model folder and measure how fast it is on this machine; takes half a minute or more.

    Args:
        folder: The model.
        machine_file: As for `load_engine`.

    Raises:
        ModelFolderError: The folder is incomplete, damaged or of an unknown kind.
    """
    from engine.benchmark import measure

    return measure(folder, machine_file)


def score(folder: Path, text: str, alternatives: int = 0, *, machine_file: Path | None = None) -> TextScore:
    """Load a model folder and tell how probable the model finds a text that stands for itself.

    Args:
        folder: The model.
        text: Ordinary text of two tokens or more.
        alternatives: How many of the most probable tokens are told at each place.
        machine_file: As for `load_engine`.

    Raises:
        ModelFolderError: The folder is incomplete, damaged or of an unknown kind.
        InputError: The text is too short.
        PromptTooLongError: The text does not fit into the context.
    """
    from engine.pipeline import Pipeline

    return Pipeline.load(folder, machine_file=machine_file).score(text, alternatives)


__all__ = [
    "Alternative",
    "AnswerEvent",
    "CacheFileError",
    "Cancellation",
    "CancelledError",
    "ChatEngine",
    "Chinese",
    "Constraint",
    "ConstraintKind",
    "DownloadError",
    "DownloadPlan",
    "DownloadProgress",
    "Event",
    "Finished",
    "GenerationSettings",
    "InputError",
    "InstallProgress",
    "InstalledModel",
    "Manifest",
    "Message",
    "ModelFileError",
    "ModelFolderError",
    "ModelRunError",
    "ModelStore",
    "OfflineError",
    "Precision",
    "PrefillProgress",
    "Presenter",
    "PromptPrepared",
    "PromptScored",
    "PromptTooLongError",
    "Quality",
    "Role",
    "SettingsError",
    "SixpaneError",
    "Starter",
    "Statistics",
    "StopReason",
    "TemplateError",
    "TextDelta",
    "TextScore",
    "TokenGenerated",
    "TokenScore",
    "ViewSettings",
    "find_starter",
    "known_machine",
    "load_engine",
    "measure",
    "present",
    "recommended_starter",
    "score",
    "starters",
]
