"""The command `sixpane`: without a subcommand the window, otherwise the command line."""

import argparse
import os
import sys
from collections.abc import Sequence

from app.cli import ask, bench, doctor, models
from app.cli.terminal import printable
from app.paths import Paths
from engine import SettingsError, SixpaneError

DONE, FAILED, WRONG_USAGE, INTERRUPTED = 0, 1, 2, 130


def main(argv: Sequence[str] | None = None) -> int:
    """Run the program and give its exit code: 0 done, 1 failed, 2 wrong usage, 130 interrupted."""
    arguments = _parser().parse_args(argv)
    try:
        exit_code: int = arguments.run(arguments, Paths.of_environment())
    except SettingsError as error:
        return _failed(error, WRONG_USAGE, debug=arguments.debug)
    except SixpaneError as error:
        return _failed(error, FAILED, debug=arguments.debug)
    except KeyboardInterrupt:
        return INTERRUPTED
    except BrokenPipeError:
        # Whoever read our output has seen enough; nothing may be flushed into the closed pipe at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return FAILED
    return exit_code


def _failed(error: SixpaneError, exit_code: int, *, debug: bool) -> int:
    if debug:
        raise error
    print(f"sixpane: {printable(str(error))}", file=sys.stderr)
    return exit_code


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="sixpane", description="A private chat assistant that runs on this computer.")
    parser.add_argument("--debug", action="store_true", help="show the stack trace of a failure")
    parser.set_defaults(run=_open_window)
    commands = parser.add_subparsers(title="commands", metavar="COMMAND")
    for command in (ask, models, bench, doctor):
        command.add_parser(commands)
    return parser


def _open_window(_: argparse.Namespace, paths: Paths) -> int:
    from app.application import run

    return run(paths)


if __name__ == "__main__":
    sys.exit(main())
