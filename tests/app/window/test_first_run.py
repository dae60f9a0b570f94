"""The first run: a starter with one click, with progress, a stop, a failure and a second attempt."""

from collections.abc import Callable
from pathlib import Path
from threading import Event as Gate

import pytest
from PySide6.QtWidgets import QLabel, QProgressBar, QPushButton, QWidget
from pytestqt.qtbot import QtBot

from app.paths import Paths
from app.window.first_run import FirstRunPage
from engine import (
    Cancellation,
    DownloadError,
    DownloadProgress,
    InstalledModel,
    InstallProgress,
    ModelStore,
    SixpaneError,
    Starter,
    starters,
)
from tests.app.window.conftest import OpenWindow
from tests.support.model_folders import write_model_folder

SMALL, LARGE = "getButton-smollm2-135m-instruct", "getButton-qwen2.5-coder-0.5b-instruct"


class StarterOnTheDisk(ModelStore):
    """A store whose starters come from nowhere: half the download, then a gate, then the rest."""

    def __init__(self, root: Path, gate: Gate, failure: SixpaneError | None = None) -> None:
        super().__init__(root)
        self._gate = gate
        self.failure = failure

    def install_starter(
        self,
        starter: Starter,
        downloads: Path,  # noqa: ARG002 - nothing is fetched
        report: Callable[[InstallProgress], None],
        cancellation: Cancellation,
        *,
        offline: bool = False,  # noqa: ARG002 - nothing is fetched
    ) -> InstalledModel:
        report(InstallProgress("download", "", 0.5, DownloadProgress(50 << 20, 100 << 20)))
        while not self._gate.wait(0.01):
            cancellation.raise_if_requested()
        if self.failure:
            raise self.failure
        report(InstallProgress("conversion", "writing", 0.9))
        write_model_folder(self.root / "tiny-int8", starter.name)
        return self.choose("tiny-int8")


def text_of(page: QWidget) -> str:
    return "\n".join(label.text() for label in page.findChildren(QLabel) if label.isVisible())


def test_a_click_brings_the_model_and_then_the_composer_has_the_focus(
    open_sixpane: OpenWindow, paths: Paths, qtbot: QtBot
) -> None:
    gate = Gate()
    person = open_sixpane(store=StarterOnTheDisk(paths.models, gate), models=())
    page = person.find("firstRunPage", FirstRunPage)
    assert page.isVisible()

    person.click(SMALL)
    qtbot.waitUntil(lambda: "Downloading: 50 of 100 MB" in text_of(page))
    bar = page.findChild(QProgressBar)
    assert bar is not None
    assert bar.value() == bar.maximum() // 2
    assert not person.find(LARGE, QPushButton).isEnabled()
    gate.set()
    person.wait_until_ready()

    assert not page.isVisible()
    assert person.find("modelButton", QWidget).accessibleName() == "Model: SmolLM2-135M-Instruct"
    assert person.window.focusWidget() is person.composer
    person.ask("hello")
    person.wait_until_reading("Hello world")


def test_a_cancelled_download_can_go_on(open_sixpane: OpenWindow, paths: Paths, qtbot: QtBot) -> None:
    gate = Gate()
    person = open_sixpane(store=StarterOnTheDisk(paths.models, gate), models=())
    page = person.find("firstRunPage", FirstRunPage)

    person.click(LARGE)
    qtbot.waitUntil(lambda: "Downloading" in text_of(page))
    person.click("cancelInstallButton")
    qtbot.waitUntil(lambda: person.find("retryInstallButton", QPushButton).text() == "Go on")
    gate.set()
    person.click("retryInstallButton")

    person.wait_until_ready()


def test_a_failed_download_says_why_and_can_be_tried_again(
    open_sixpane: OpenWindow, paths: Paths, qtbot: QtBot
) -> None:
    gate = Gate()
    gate.set()
    store = StarterOnTheDisk(paths.models, gate, DownloadError("The network of {name} is down.", name="the test"))
    person = open_sixpane(store=store, models=())
    page = person.find("firstRunPage", FirstRunPage)

    person.click(SMALL)
    qtbot.waitUntil(lambda: "The network of the test is down." in text_of(page))
    store.failure = None
    assert person.find("retryInstallButton", QPushButton).text() == "Try again"
    person.click("retryInstallButton")

    person.wait_until_ready()


def test_closing_the_window_during_a_download_ends_it(open_sixpane: OpenWindow, paths: Paths, qtbot: QtBot) -> None:
    person = open_sixpane(store=StarterOnTheDisk(paths.models, Gate()), models=())
    page = person.find("firstRunPage", FirstRunPage)

    person.click(SMALL)
    qtbot.waitUntil(lambda: "Downloading" in text_of(page))
    person.closes_the_window()

    assert person.window.is_closed
    assert ModelStore(paths.models).list() == []


def test_a_file_that_is_no_model_is_refused_with_a_sentence(
    open_sixpane: OpenWindow, tmp_path: Path, qtbot: QtBot
) -> None:
    person = open_sixpane(models=())
    page = person.find("firstRunPage", FirstRunPage)
    path = tmp_path / "model.gguf"
    path.write_bytes(b"no model")

    page.import_file(path)

    qtbot.waitUntil(lambda: person.find("retryInstallButton", QPushButton).isVisible())
    assert "model.gguf" in text_of(page)


def test_the_history_can_be_read_without_a_model(open_sixpane: OpenWindow, paths: Paths) -> None:
    person = open_sixpane()
    person.ask("question")
    person.wait_until_answered()
    person.closes_the_window()
    ModelStore(paths.models).remove("Tiny")

    person = open_sixpane(models=())
    person.choose("question")

    person.wait_until_reading("Hello world")


def test_a_starter_that_is_here_is_offered_for_use_not_for_download(qtbot: QtBot, paths: Paths) -> None:
    small = starters()[0]
    page = FirstRunPage(ModelStore(paths.models), paths.downloads, "en")
    qtbot.addWidget(page)
    page.show()
    assert "Choose a model to begin" in text_of(page)
    page.hide()

    write_model_folder(paths.models / "small", small.name, source_sha256=small.sha256)
    page.show()

    labels = {button.objectName(): button.text() for button in page.findChildren(QPushButton)}
    assert labels[f"getButton-{small.id}"] == "Use"
    assert sorted(labels[name] for name in (SMALL, LARGE)) == ["Download", "Use"]
    assert "Get another model" in text_of(page)


@pytest.mark.parametrize(("language", "first"), [("en", SMALL), ("zh", LARGE)])
def test_the_starter_for_the_language_stands_first_and_is_recommended(
    qtbot: QtBot, paths: Paths, language: str, first: str
) -> None:
    page = FirstRunPage(ModelStore(paths.models), paths.downloads, language)
    qtbot.addWidget(page)

    buttons = [button for button in page.findChildren(QPushButton) if button.objectName().startswith("getButton")]

    assert [button.objectName() for button in buttons if button.property("primary")] == [first]
    assert buttons[0].objectName() == first
