"""The draft model: a smaller one with the same tokens, loaded beside the model that answers."""

from collections.abc import Sequence
from pathlib import Path
from typing import Self

from engine.errors import ModelFolderError
from engine.forward.session import ForwardSession
from engine.generation.drafters import ModelDrafter
from engine.machine import MachineProfile
from engine.models.manifest import WEIGHTS_NAME, Manifest
from engine.tokenization import Tokenizer


class DraftModel:
    """Makes the guesses for answers of another model.

    Args:
        session: The draft model.
        cost: What a step of it costs, in steps of the model that answers.
    """

    def __init__(self, session: ForwardSession, cost: float) -> None:
        self._session = session
        self._cost = cost

    @classmethod
    def load(
        cls, folder: Path, manifest: Manifest, tokenizer: Tokenizer, machine: MachineProfile | None = None
    ) -> Self:
        """Load a draft model.

        Args:
            folder: Its folder.
            manifest: That of the model that answers.
            tokenizer: That of the model that answers.
            machine: What was measured of this machine.

        Raises:
            ModelFolderError: The folder is damaged, or its tokens are not those of the model that answers.
        """
        draft = Manifest.read(folder)
        if Tokenizer.load(folder).fast.get_vocab() != tokenizer.fast.get_vocab():
            raise ModelFolderError(
                "{draft} cannot guess for {model}: their tokens are not the same.",
                draft=draft.name,
                model=manifest.name,
            )
        # A step is bound by reading the weights.
        cost = draft.files[WEIGHTS_NAME].bytes / manifest.files[WEIGHTS_NAME].bytes
        return cls(ForwardSession.load(folder, draft, machine=machine), cost)

    def drafter(self, prompt: Sequence[int]) -> ModelDrafter:
        """Guesses for one answer to this prompt."""
        return ModelDrafter(self._session, prompt, self._cost)
