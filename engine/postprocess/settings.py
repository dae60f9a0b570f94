"""Which views a person has switched on."""

from dataclasses import dataclass
from typing import Literal

Chinese = Literal["simplified", "traditional", "taiwan", "hong kong"]


@dataclass(frozen=True, slots=True)
class ViewSettings:
    """How the text of a model is shown; what is stored is always the original.

    Attributes:
        chinese: The Chinese to convert to; None leaves it as the model wrote it.
        punctuation: Whether half-width marks in Chinese sentences become full-width ones.
        spacing: Whether a space sets Latin words and numbers apart from Chinese.
    """

    chinese: Chinese | None = None
    punctuation: bool = False
    spacing: bool = False
