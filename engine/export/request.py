"""What crosses the border between a conversion and the process that does it."""

from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from engine.models.manifest import Precision

ConversionStage = Literal["checking", "writing", "measuring", "hashing"]


@dataclass(frozen=True, slots=True)
class ConversionProgress:
    """How far a conversion has come.

    Attributes:
        stage: What is being done: the file is checked, the graph written, its quality measured, its files hashed.
        fraction: Share of the whole conversion that is done, from 0 to 1; it never falls.
    """

    stage: ConversionStage
    fraction: float


@dataclass(frozen=True, slots=True)
class ConversionRequest:
    """What is to be converted.

    Attributes:
        source: The GGUF file.
        folder: An empty folder that the model is written into.
        precision: How the matrices are stored.
        name: The name that a person reads; None takes it from the file's name.
        licence: SPDX name of the licence; empty takes what the file says.
        languages: ISO 639-1 codes; empty takes what the file says.
        origin: Address that the file came from, or empty.
    """

    source: Path
    folder: Path
    precision: Precision
    name: str | None
    licence: str
    languages: tuple[str, ...]
    origin: str
