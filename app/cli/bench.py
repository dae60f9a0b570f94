"""`sixpane bench`: how fast a model is on this machine."""

import argparse
import json
from dataclasses import asdict

from app.paths import Paths
from engine import ModelFolderError, ModelStore, measure


def add_parser(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Add the command and its options."""
    parser = commands.add_parser("bench", help="measure how fast a model is on this computer")
    parser.add_argument("--model", metavar="NAME", help="the model to measure (default: the one used last)")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace, paths: Paths) -> int:
    """Measure and print.

    Raises:
        SixpaneError: There is no such model or no sound one, or it cannot be loaded.
    """
    model = ModelStore(paths.models).find_or_default(arguments.model)
    if model is None:
        raise ModelFolderError("There is no model to measure yet; get one with: sixpane models get smollm2")
    figures = asdict(measure(model.path, machine_file=paths.machine))
    if arguments.json:
        print(json.dumps(figures, indent=2))
        return 0
    for name, value in figures.items():
        shown = f"{value:.3f}" if isinstance(value, float) else value
        print(f"{name.replace('_', ' '):26} {shown}")
    return 0
