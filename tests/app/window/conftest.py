"""Opens windows and closes them again."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from app.application import open_window
from app.paths import Paths
from app.settings import AppSettings
from app.window.main_window import MainWindow
from engine import ChatEngine, ModelStore
from tests.support.model_folders import write_model_folder
from tests.support.person import Person
from tests.support.scripted_engine import ScriptedEngine

OpenWindow = Callable[..., Person]


@pytest.fixture
def paths(tmp_path: Path) -> Paths:
    """A home with English settings and nothing else."""
    result = Paths(tmp_path / "home")
    AppSettings(language="en").save(result.settings)
    return result


@pytest.fixture
def open_sixpane(qapp: QApplication, qtbot: QtBot, paths: Paths) -> Iterator[OpenWindow]:
    """Opens the window and waits until it is of use: by default with one model, which is ready."""
    windows: list[MainWindow] = []

    def start(
        engine: ScriptedEngine | None = None,
        *,
        load: Callable[[Path], ChatEngine] | None = None,
        store: ModelStore | None = None,
        models: tuple[str, ...] = ("Tiny",),
    ) -> Person:
        for name in models:
            if not (paths.models / name).exists():
                write_model_folder(paths.models / name, name)
        chosen = engine or ScriptedEngine()
        window = open_window(qapp, paths, load or (lambda _: chosen), store or ModelStore(paths.models))
        windows.append(window)
        person = Person(window, qtbot)
        with qtbot.waitSignal(window.attached):
            pass
        if models and load is None:
            person.wait_until_ready()
        return person

    yield start
    for window in windows:
        window.close()
        qtbot.addWidget(window)


@pytest.fixture
def person(open_sixpane: OpenWindow) -> Person:
    """Somebody in front of a window whose model says hello."""
    return open_sixpane()
