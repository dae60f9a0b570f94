"""The person's settings: one typed definition, kept as JSON."""

import json
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Literal, Self, get_args

ThemeChoice = Literal["system", "light", "dark"]
LanguageChoice = Literal["system", "en", "zh_CN"]


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
        """Read the settings; a file that cannot be read is kept under another name and the defaults hold."""
        try:
            values = json.loads(path.read_text(encoding="utf-8"))
            return cls(**{field.name: values[field.name] for field in fields(cls) if field.name in values})
        except FileNotFoundError:
            return cls()
        except (OSError, ValueError, TypeError):
            if path.is_file():
                path.replace(path.with_suffix(".unreadable.json"))
            return cls()

    def save(self, path: Path) -> None:
        """Write the settings, whole or not at all."""
        path.parent.mkdir(parents=True, exist_ok=True)
        partial = path.with_suffix(".part")
        partial.write_text(json.dumps(asdict(self), indent=2) + "\n", encoding="utf-8")
        partial.replace(path)
