"""The person's settings: one typed definition, kept as JSON."""

import json
from contextlib import suppress
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Literal, Self, get_args

from engine import SixpaneError, ViewSettings

ThemeChoice = Literal["system", "light", "dark"]
LanguageChoice = Literal["system", "en", "zh_CN"]
ChineseChoice = Literal["original", "simplified", "traditional", "taiwan", "hong kong"]


class SettingsFileError(SixpaneError):
    """The file of the settings cannot be read or written."""


@dataclass(frozen=True, slots=True)
class AppSettings:
    """What the person chose.

    Attributes:
        theme: Light, dark, or as the system.
        language: The language of the window, or that of the system.
        chinese: The Chinese that answers are shown in, or that in which the model wrote them.
        punctuation: Whether Chinese sentences are shown with full-width punctuation.
        spacing: Whether Latin words and numbers are shown apart from the Chinese around them.
    """

    theme: ThemeChoice = "system"
    language: LanguageChoice = "system"
    chinese: ChineseChoice = "original"
    punctuation: bool = False
    spacing: bool = False

    def __post_init__(self) -> None:
        choices = ((self.theme, ThemeChoice), (self.language, LanguageChoice), (self.chinese, ChineseChoice))
        if not all(choice in get_args(allowed) for choice, allowed in choices):
            raise ValueError("unknown choice")
        if not (isinstance(self.punctuation, bool) and isinstance(self.spacing, bool)):
            raise TypeError("neither yes nor no")

    @property
    def views(self) -> ViewSettings:
        """How answers are shown."""
        return ViewSettings(None if self.chinese == "original" else self.chinese, self.punctuation, self.spacing)

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
