"""Texts that come from the terminal, and what may be printed there of a text that came from a file or a model."""

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


def argument_text(argument: str) -> str:
    """An argument of the command line.

    Raises:
        InputError: It is no text.
    """
    # Bytes of an argument that are no text arrive as lone surrogates.
    try:
        argument.encode()
    except UnicodeEncodeError as error:
        raise InputError("An argument is not valid text in the terminal's encoding.") from error
    return argument


def text_or_standard_input(argument: str) -> str:
    """An argument, or all of standard input where the argument is ``-``.

    Raises:
        InputError: It is no text.
    """
    if argument != "-":
        return argument_text(argument)
    if sys.stdin is None:
        raise InputError("There is no standard input to read from.")
    try:
        return sys.stdin.buffer.read().decode("utf-8-sig").rstrip("\n")
    except UnicodeDecodeError as error:
        raise InputError("Standard input is not UTF-8 text.") from error


def printable(text: str) -> str:
    """Let no name, path or message steer the terminal or break the line."""
    return "".join(character if character.isprintable() else "\N{REPLACEMENT CHARACTER}" for character in text)


def print_json(value: object) -> None:
    """Print a value as JSON that stays valid in every encoding."""
    is_unicode = (sys.stdout.encoding or "").lower().replace("-", "").startswith("utf8")
    print(json.dumps(value, ensure_ascii=not is_unicode, indent=2))
