"""The person's settings: one typed definition, kept as JSON."""

import json
from contextlib import suppress
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Literal, Self, get_args

from engine import SixpaneError

ThemeChoice = Literal["system", "light", "dark"]
LanguageChoice = Literal["system", "en", "zh_CN"]


class SettingsFileError(SixpaneError):
    """The file of the settings cannot be read or written."""


@dataclass(frozen=True, slots=True)
class AppSettings:
    """What the person chose.

    Attributes:
        theme: Light, dark, or as the system.
        language: The language of the window, or that of the system.
    """

    theme: ThemeChoice = "system"
    language: LanguageChoice = "system"

    def __post_init__(self) -> None:
        if self.theme not in get_args(ThemeChoice) or self.language not in get_args(LanguageChoice):
            raise ValueError("unknown choice")

    @classmethod
    def load(cls, path: Path) -> Self:
        """Read the settings; where there is no file, the defaults hold.

        Raises:
            SettingsFileError: The file cannot be understood; it was moved aside, so that it does not come up again.
        """
        try:
            values = dict(json.loads(path.read_text(encoding="utf-8")))
            return cls(**{field.name: values[field.name] for field in fields(cls) if field.name in values})
        except FileNotFoundError:
            return cls()
        except OSError as error:
            raise SettingsFileError(
                "The settings cannot be read ({reason}); the usual ones are used.", reason=error.strerror or error
            ) from error
        except (ValueError, TypeError) as error:
            aside = path.with_suffix(".unreadable.json")
            with suppress(OSError):
                path.replace(aside)
            raise SettingsFileError(
                "The settings could not be understood; the usual ones are used, and the old file is kept as {file}.",
                file=aside.name,
            ) from error

    def save(self, path: Path) -> None:
        """Write the settings, whole or not at all.

        Raises:
            SettingsFileError: They cannot be written.
        """
        partial = path.with_suffix(".part")
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            partial.write_text(json.dumps(asdict(self), indent=2) + "\n", encoding="utf-8")
            partial.replace(path)
        except OSError as error:
            raise SettingsFileError(
                "The settings cannot be saved ({reason}); they hold until the window is closed.",
                reason=error.strerror or error,
            ) from error
