"""`python -m tests.benchmarks.startup`: from the start of the process to the painted window and the ready model.

Uses the models of SIXPANE_HOME; with none there, only the painting is measured.
"""

import subprocess
import sys
from pathlib import Path
from statistics import median
from time import time

ROUNDS = 5


def main() -> None:
    """Start the program a few times and print the medians, in seconds."""
    rounds = [_start_once() for _ in range(ROUNDS + 1)][1:]
    for name in rounds[0]:
        print(f"{name}: {median(one[name] for one in rounds):.2f} s (median of {ROUNDS}, warm file cache)")


def _start_once() -> dict[str, float]:
    started = time()
    result = subprocess.run(
        [sys.executable, "-m", "tests.benchmarks.startup", "child"], capture_output=True, text=True, check=True
    )
    moments = dict(line.split("=") for line in result.stdout.splitlines())
    return {name: float(moment) - started for name, moment in moments.items()}


def _child() -> None:
    from PySide6.QtCore import QTimer
    from PySide6.QtWidgets import QApplication

    from app.application import open_window
    from app.paths import Paths
    from engine import ChatEngine, ModelStore, load_engine

    def load(folder: Path) -> ChatEngine:
        engine = load_engine(folder)
        print(f"model ready={time()}", flush=True)
        return engine

    application = QApplication([])
    paths = Paths.of_environment()
    store = ModelStore(paths.models)
    window = open_window(application, paths, load, store)
    window.painted.connect(lambda: print(f"painted={time()}", flush=True))
    # A window that closes waits for the model that is being loaded.
    (window.attached if store.default() else window.painted).connect(lambda: QTimer.singleShot(0, window.close))
    application.exec()


if __name__ == "__main__":
    _child() if "child" in sys.argv[1:] else main()
