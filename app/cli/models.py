"""`sixpane models`: which models are on the disk; get, import, verify and remove them."""

import argparse
import sys
from dataclasses import asdict
from pathlib import Path
from typing import Any, get_args

from app.cli.installing import ProgressLine, install_starter, megabytes
from app.cli.terminal import print_json, printable
from app.paths import Paths
from engine import Cancellation, InstalledModel, Manifest, ModelStore, Precision, find_starter, starters

INTERRUPTED = 130


def add_parser(subparsers: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Register the command; each of its actions sets `run`, which takes the arguments and the paths."""
    parser = subparsers.add_parser("models", help="list, get, import, verify and remove models")
    actions = parser.add_subparsers(title="actions", required=True, metavar="ACTION")

    action = actions.add_parser("list", help="list the models on this disk and the starters")
    action.add_argument("--json", action="store_true", help="print one JSON array")
    action.set_defaults(run=_list)

    action = actions.add_parser("get", help="fetch a starter and convert it")
    action.add_argument("name", metavar="NAME", help="its name or a part of it, such as smollm2")
    action.set_defaults(run=_get)

    action = actions.add_parser("import", help="convert a GGUF file that is on this disk")
    action.add_argument("path", metavar="PATH", type=Path, help="the file; it is left as it is")
    action.add_argument("--precision", choices=get_args(Precision), default="int8", help="default: int8")
    action.set_defaults(run=_import)

    action = actions.add_parser("info", help="say what a model is and where it came from")
    action.add_argument("name", metavar="NAME")
    action.add_argument("--json", action="store_true", help="print one JSON object")
    action.set_defaults(run=_info)

    action = actions.add_parser("remove", help="move a model to the bin")
    action.add_argument("name", metavar="NAME")
    action.set_defaults(run=_remove)

    action = actions.add_parser("restore", help="take back the model that was removed last")
    action.set_defaults(run=_restore)

    action = actions.add_parser("verify", help="compare every file of a model with its SHA-256")
    action.add_argument("name", metavar="NAME")
    action.set_defaults(run=_verify)


def _list(arguments: argparse.Namespace, paths: Paths) -> int:
    store = ModelStore(paths.models)
    models, default = store.list(), store.default()
    if arguments.json:
        print_json([_summary(model, default) for model in models])
        return 0
    for model in models:
        mark = "*" if default and model.id == default.id else " "
        remark = str(model.problem) if model.problem else _languages(model)
        print(printable(f"{mark} {model.id:<44} {megabytes(model.bytes):>8}  {remark}"))
    if default:
        print("\n* is used where no model is named.")
    names = {model.name for model in models}
    for starter in starters():
        if starter.name not in names:
            print(f"Not on this disk: {starter.name}, {megabytes(starter.bytes)}. {starter.description}")
    return 0


def _get(arguments: argparse.Namespace, paths: Paths) -> int:
    starter = find_starter(arguments.name)
    try:
        model = install_starter(starter, paths)
    except KeyboardInterrupt:
        print("Interrupted; what was fetched is kept, and the same command goes on from there.", file=sys.stderr)
        return INTERRUPTED
    print(f"{model.id} is ready.")
    return 0


def _import(arguments: argparse.Namespace, paths: Paths) -> int:
    try:
        with ProgressLine(sys.stderr) as line:
            model = ModelStore(paths.models).import_gguf(arguments.path, arguments.precision, line.show, Cancellation())
    except KeyboardInterrupt:
        print("Interrupted; nothing was kept.", file=sys.stderr)
        return INTERRUPTED
    print(printable(f"{model.id} is ready."))
    return 0


def _info(arguments: argparse.Namespace, paths: Paths) -> int:
    store = ModelStore(paths.models)
    model = store.find(arguments.name)
    manifest = Manifest.read(model.path)
    details = _summary(model, store.default()) | asdict(manifest) | {"model_hash": manifest.model_hash}
    if arguments.json:
        print_json(details)
        return 0
    details["eight_bit_matrices"] = len(manifest.eight_bit_matrices)
    for key, value in details.items():
        if key not in ("files", "problem"):
            print(printable(f"{key.replace('_', ' ')}: {_readable(value)}"))
    return 0


def _remove(arguments: argparse.Namespace, paths: Paths) -> int:
    model = ModelStore(paths.models).remove(arguments.name)
    print(f"{model.id} is in the bin; `sixpane models restore` takes it back until another one is removed or added.")
    return 0


def _restore(_: argparse.Namespace, paths: Paths) -> int:
    model = ModelStore(paths.models).restore()
    print(f"{model.id} is back.")
    return 0


def _verify(arguments: argparse.Namespace, paths: Paths) -> int:
    model = ModelStore(paths.models).verify(arguments.name)
    print(f"{model.id} is as it was written.")
    return 0


def _summary(model: InstalledModel, default: InstalledModel | None) -> dict[str, Any]:
    manifest = model.manifest
    return {
        "id": model.id,
        "name": model.name,
        "path": str(model.path),
        "bytes": model.bytes,
        "default": default is not None and model.id == default.id,
        "precision": manifest.precision if manifest else None,
        "languages": list(manifest.languages) if manifest else [],
        "licence": manifest.licence if manifest else "",
        "problem": str(model.problem) if model.problem else None,
    }


def _languages(model: InstalledModel) -> str:
    return ", ".join(model.manifest.languages) if model.manifest else ""


def _readable(value: object) -> str:
    if isinstance(value, dict):
        return ", ".join(f"{key.replace('_', ' ')} {_readable(part)}" for key, part in value.items())
    if isinstance(value, float):
        return f"{value:.4g}"
    if isinstance(value, list | tuple):
        return ", ".join(map(str, value))
    return "–" if value in (None, "") else str(value)
