"""Stage 2: the prompt becomes token ids, of which only the template's own are control tokens."""

from collections.abc import Iterable
from pathlib import Path
from typing import Self

from tokenizers import Tokenizer as FastTokenizer

from engine.errors import ModelFolderError
from engine.models.manifest import TOKENIZER_NAME
from engine.preprocess.prompt import Segment


class Tokenizer:
    """The model's tokenizer.

    Attributes:
        fast: The tokenizer of the `tokenizers` package, for stage 5.
        control_tokens: Ids of the special tokens, by name.
    """

    def __init__(self, fast: FastTokenizer) -> None:
        # With this on, the names of special tokens inside ordinary text are ordinary characters.
        fast.encode_special_tokens = True
        self.fast = fast
        self.control_tokens: dict[str, int] = {
            token.content: token_id for token_id, token in fast.get_added_tokens_decoder().items() if token.special
        }

    @classmethod
    def load(cls, folder: Path) -> Self:
        """Read the tokenizer of a model folder.

        Raises:
            ModelFolderError: The file is missing or is no tokenizer.
        """
        try:
            return cls(FastTokenizer.from_file(str(folder / TOKENIZER_NAME)))
        # The package raises the bare Exception for whatever is wrong with the file.
        except Exception as error:
            raise ModelFolderError(
                "The model {folder} has no readable tokenizer; import the model again.", folder=folder.name
            ) from error

    def encode(self, prompt: Iterable[Segment]) -> list[int]:
        """Tokenise a prompt; each control segment is one token, the rest is ordinary text."""
        token_ids: list[int] = []
        for segment in prompt:
            if segment.is_control:
                token_ids.append(self.control_tokens[segment.text])
            else:
                token_ids.extend(self.fast.encode(segment.text, add_special_tokens=False).ids)
        return token_ids
