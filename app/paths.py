"""Where everything is kept: one folder, moved as a whole by SIXPANE_HOME."""

import os
from dataclasses import dataclass
from pathlib import Path
from typing import Self

from platformdirs import user_data_path


@dataclass(frozen=True, slots=True)
class Paths:
    """The places of one installation; nothing is created before it is written to.

    Attributes:
        home: The folder that holds all the others.
    """

    home: Path

    @classmethod
    def of_environment(cls) -> Self:
        """Follow SIXPANE_HOME, or else the system's place for a program's data."""
        chosen = os.environ.get("SIXPANE_HOME")
        return cls(Path(chosen).expanduser() if chosen else user_data_path("sixpane", appauthor=False))

    @property
    def database(self) -> Path:
        """The conversation history."""
        return self.home / "history.sqlite3"

    @property
    def models(self) -> Path:
        """One folder a model."""
        return self.home / "models"

    @property
    def downloads(self) -> Path:
        """Parts of unfinished downloads, kept so that they can be resumed."""
        return self.home / "downloads"

    @property
    def settings(self) -> Path:
        """The person's settings, as JSON."""
        return self.home / "settings.json"

    @property
    def machine(self) -> Path:
        """What was measured of this machine."""
        return self.home / "machine.json"

    @property
    def log(self) -> Path:
        """What happened, for whoever looks for the cause of a failure."""
        return self.home / "sixpane.log"
