"""What the matrices of a model are multiplied with in a text that stands for the texts of a chat."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from tokenizers import Tokenizer

from engine.export.architectures import ModelShape
from engine.export.reference import body_products
from engine.export.weights import ModelWeights

LONGEST = 2048
TEXTS = Path(__file__).parents[2] / "resources" / "calibration"


def calibration_text(languages: Sequence[str]) -> str:
    """A text in the languages that a model knows; it shares nothing with that of the quality report."""
    names = ("english.txt", "chinese.txt") if "zh" in languages else ("english.txt",)
    return "\n".join((TEXTS / name).read_text(encoding="utf-8") for name in names)


class Calibration:
    """Takes the text through the model in float32, a layer at a time, as far as it is asked.

    Args:
        shape: The measures of the model.
        weights: Where the numbers come from.
        tokenizer: The tokenizer of the model.
        languages: ISO 639-1 codes of the languages that the model knows.
    """

    def __init__(
        self, shape: ModelShape, weights: ModelWeights, tokenizer: Tokenizer, languages: Sequence[str]
    ) -> None:
        token_ids: list[int] = tokenizer.encode(calibration_text(languages), add_special_tokens=False).ids
        self._products = body_products(shape, weights, token_ids[: min(LONGEST, shape.context)], lambda _: None)

    def states(self, name: str) -> NDArray[np.float32]:
        """Inputs of a matrix of the body, float32 ``[tokens, inputs]``; to be asked for in the order of the graph."""
        found, states = next(self._products)
        if found != name:
            raise ValueError(f"{name} is asked for where the text has reached {found}")
        return states
