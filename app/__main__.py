"""The command `sixpane`: without a subcommand the window, otherwise the command line."""

import os
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import argparse

    from app.paths import Paths

DONE, FAILED, WRONG_USAGE, INTERRUPTED = 0, 1, 2, 130


def main(argv: Sequence[str] | None = None) -> int:
    """Run the program and give its exit code: 0 done, 1 failed, 2 wrong usage, 130 interrupted."""
    try:
        return _run(argv)
    except KeyboardInterrupt:
        return INTERRUPTED
    except BrokenPipeError:
        # Whoever read our output has seen enough.
        _discard_output()
        return FAILED


def _run(argv: Sequence[str] | None) -> int:
    # Imported here, so that an interruption meanwhile is one like any other.
    from app.cli.terminal import prepare_streams, printable
    from app.paths import Paths
    from engine import InputError, SettingsError, SixpaneError

    arguments = _parser().parse_args(argv)
    try:
        if arguments.command is not None:
            prepare_streams()
        exit_code: int = arguments.run(arguments, Paths.of_environment())
        if sys.stdout is not None:
            sys.stdout.flush()
    except (SixpaneError, OSError) as error:
        if arguments.debug or isinstance(error, BrokenPipeError):
            raise
        if isinstance(error, OSError):
            # What failed may be the output itself, which Python would try to write once more at its end.
            _discard_output()
            error = InputError("Something could not be read or written: {reason}.", reason=error.strerror or error)
        print(f"sixpane: {printable(str(error))}", file=sys.stderr)
        return WRONG_USAGE if isinstance(error, SettingsError) else FAILED
    return exit_code


def _discard_output() -> None:
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _parser() -> "argparse.ArgumentParser":
    import argparse

    from app.cli import ask, bench, doctor, models, score

    parser = argparse.ArgumentParser(prog="sixpane", description="A private chat assistant that runs on this computer.")
    parser.add_argument("--debug", action="store_true", help="show the stack trace of a failure")
    parser.set_defaults(run=_open_window)
    commands = parser.add_subparsers(title="commands", metavar="COMMAND", dest="command")
    for command in (ask, score, models, bench, doctor):
        command.add_parser(commands)
    return parser


def _open_window(_: "argparse.Namespace", paths: "Paths") -> int:
    from app.application import run

    return run(paths)


if __name__ == "__main__":
    sys.exit(main())
