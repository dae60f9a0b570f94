"""`sixpane doctor`: checks the installation and says what to do."""

import argparse
import os
import platform
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version

from app.cli.terminal import printable
from app.display import missing_libraries
from app.paths import Paths
from engine import ModelFolderError, ModelStore, known_machine


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that was looked at.

    Attributes:
        subject: What was looked at.
        result: What was seen.
        remedy: What to do, empty where nothing is wrong.
    """

    subject: str
    result: str
    remedy: str = ""


def add_parser(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Add the command."""
    parser = commands.add_parser("doctor", help="check the installation and say what to do")
    parser.set_defaults(run=run)


def run(_: argparse.Namespace, paths: Paths) -> int:
    """Print the findings; 1 if something needs to be done."""
    findings = list(examine(paths))
    for finding in findings:
        print(printable(f"{'!' if finding.remedy else '✓'} {finding.subject}: {finding.result}"))
        if finding.remedy:
            print(printable(f"    → {finding.remedy}"))
    return 1 if any(finding.remedy for finding in findings) else 0


def examine(paths: Paths) -> Iterator[Finding]:
    """Look at everything that an answer in a window needs."""
    yield Finding("system", f"{platform.platform()}, Python {platform.python_version()}, {os.cpu_count()} cores")
    yield from _packages()
    yield _devices()
    yield _processor(paths)
    if sys.platform == "linux":
        yield _display_libraries()
        yield _chinese_fonts()
        yield _input_method()
    yield _home(paths)
    yield _database(paths)
    yield from _models(paths)


def _packages() -> Iterator[Finding]:
    for name in ("PySide6-Essentials", "tokenizers", "numpy"):
        try:
            yield Finding(name, version(name))
        except PackageNotFoundError:
            yield Finding(name, "not installed", f"install it: pip install {name}")


def _devices() -> Finding:
    try:
        import onnxruntime
    except ImportError:
        return Finding("ONNX Runtime", "not installed", 'install it with the program: pip install "sixpane[cpu]"')
    providers = ", ".join(name.removesuffix("ExecutionProvider") for name in onnxruntime.get_available_providers())
    return Finding("ONNX Runtime", f"{onnxruntime.__version__}, devices: {providers}; answers are computed on the CPU")


def _processor(paths: Paths) -> Finding:
    try:
        machine = known_machine(paths.machine)
    except ImportError:
        # That the runtime is missing was said.
        machine = None
    if machine is None:
        return Finding("processor", "not measured yet; the first answer does it")
    if not machine.computes_quantised_products:
        remedy = "answers are right but slow, by exact products; a newer onnxruntime may compute the fast ones rightly"
        return Finding("processor", "computes fast 8-bit products wrongly", remedy)
    threads = machine.threads or "the runtime's choice"
    return Finding("processor", f"computes 8-bit products rightly; threads: {threads}")


def _display_libraries() -> Finding:
    missing = missing_libraries()
    if not missing:
        return Finding("display libraries", "all there")
    return Finding("display libraries", "missing: " + ", ".join(missing), "install the packages that README.md lists")


def _chinese_fonts() -> Finding:
    fc_list = shutil.which("fc-list")
    if fc_list is None:
        return Finding("Chinese fonts", "not known: fc-list is not installed", "install fontconfig")
    fonts = subprocess.run([fc_list, ":lang=zh", "family"], capture_output=True, text=True, check=False).stdout
    if fonts.strip():
        return Finding("Chinese fonts", fonts.splitlines()[0])
    return Finding("Chinese fonts", "none", "install one, on Debian fonts-noto-cjk")


def _input_method() -> Finding:
    wanted = os.environ.get("QT_IM_MODULE", "")
    if wanted.startswith("fcitx"):
        return Finding(
            "input method",
            "fcitx, for which Qt's Python package ships no plugin",
            "set QT_IM_MODULE=ibus (fcitx understands it), or QT_PLUGIN_PATH to a Qt that has the plugin",
        )
    return Finding("input method", wanted or "the system's default")


def _home(paths: Paths) -> Finding:
    existing = next(folder for folder in (paths.home, *paths.home.parents) if folder.exists())
    if not existing.is_dir():
        return Finding("folder", f"{existing} is a file", "set SIXPANE_HOME to a folder, or move the file away")
    free = shutil.disk_usage(existing).free / 1e9
    if not os.access(existing, os.W_OK):
        return Finding("folder", f"{paths.home} cannot be written", "set SIXPANE_HOME to a folder that can")
    return Finding("folder", f"{paths.home}, {free:.0f} GB free")


def _database(paths: Paths) -> Finding:
    if not paths.database.exists():
        return Finding("history", "not there yet; the first conversation makes it")
    # Brings numpy in, which the start of the window must not wait for.
    from app.history import History, HistoryError

    try:
        with closing(History.open(paths.database)) as history:
            return Finding("history", f"conversations: {len(history.conversations())}")
    except HistoryError as error:
        return Finding("history", "cannot be opened", str(error))


def _models(paths: Paths) -> Iterator[Finding]:
    try:
        models = ModelStore(paths.models).list()
    except ModelFolderError as error:
        yield Finding("models", "cannot be read", str(error))
        return
    if not models:
        yield Finding("models", "none", "get one: sixpane models get smollm2")
    for model in models:
        yield Finding("model", model.name, str(model.problem or ""))
