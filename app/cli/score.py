"""`sixpane score`: how probable a model finds a text."""

import argparse
from dataclasses import asdict

from app.cli.terminal import argument_text, print_json, text_or_standard_input
from app.paths import Paths
from engine import ModelFolderError, ModelStore, score


def add_parser(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Add the command and its options."""
    parser = commands.add_parser("score", help="tell how probable a model finds a text")
    parser.add_argument("text", help="the text, or - to read it from standard input")
    parser.add_argument("--model", metavar="NAME", help="the model that reads it (default: the one used last)")
    parser.add_argument("--alternatives", type=int, default=0, metavar="N", help="with --json: the N likeliest tokens")
    parser.add_argument("--json", action="store_true", help="print one JSON object with every token")
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace, paths: Paths) -> int:
    """Read the text and print its perplexity.

    Raises:
        SixpaneError: There is no such model, or the text cannot be scored.
    """
    text = text_or_standard_input(arguments.text)
    model = ModelStore(paths.models).find_or_default(arguments.model and argument_text(arguments.model))
    if model is None:
        raise ModelFolderError("There is no model that could read it yet; get one with: sixpane models get smollm2")
    scored = score(model.path, text, arguments.alternatives, machine_file=paths.machine)
    if arguments.json:
        tokens = [asdict(token) for token in scored.scores]
        print_json({"model": model.name, "perplexity": scored.perplexity, "tokens": tokens})
    else:
        print(f"{len(scored.scores)} tokens, perplexity {scored.perplexity:.2f}")
    return 0
