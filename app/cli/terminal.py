"""What may be printed of a text that came from a file or a model, and on what."""

import io
import json
import sys

from engine import InputError


def prepare_streams() -> None:
    """Let output and errors take every character, whatever the encoding of the terminal.

    Raises:
        InputError: There is no standard output.
    """
    if sys.stdout is None:
        raise InputError("There is no standard output to write to.")
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


def printable(text: str) -> str:
    """Let no name, path or message steer the terminal or break the line."""
    return "".join(character if character.isprintable() else "\N{REPLACEMENT CHARACTER}" for character in text)


def print_json(value: object) -> None:
    """Print a value as JSON that stays valid in every encoding."""
    is_unicode = (sys.stdout.encoding or "").lower().replace("-", "").startswith("utf8")
    print(json.dumps(value, ensure_ascii=not is_unicode, indent=2))
