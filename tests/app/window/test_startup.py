"""Starting and ending: painted before the heavy libraries, sentences instead of crashes, exit code 0."""

import subprocess
import sys
from pathlib import Path
from threading import Event as Gate

import pytest
from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QApplication, QMessageBox, QWidget
from pytestqt.qtbot import QtBot

from app.application import log_fault, open_window
from app.history import History
from app.paths import Paths
from app.settings import AppSettings
from app.window.main_window import MainWindow
from engine import ModelFolderError, ModelStore
from tests.app.window.conftest import OpenWindow
from tests.support.model_folders import write_model_folder
from tests.support.person import Person
from tests.support.scripted_engine import ScriptedEngine

ROOT = Path(__file__).parents[3]

PROGRAM = """
import sys
from pathlib import Path
from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QApplication
from app.application import open_window
from app.paths import Paths
from app.window.main_window import MainWindow
from engine import ModelStore
from tests.support.scripted_engine import ScriptedEngine

paths = Paths(Path(sys.argv[1]))
application = QApplication([])
"""

REPORT_AT_FIRST_PAINT = """
real_event = MainWindow.event
def event(window, event):
    handled = real_event(window, event)
    if event.type() == event.Type.Paint:
        print(*(name for name in sys.argv[2:] if name in sys.modules))
        QTimer.singleShot(0, window.close)
    return handled
MainWindow.event = event
window = open_window(application, paths, lambda _: ScriptedEngine(), ModelStore(paths.models))
sys.exit(application.exec())
"""

CLOSE_MID_ANSWER = """
window = open_window(application, paths, lambda _: ScriptedEngine(["said", 0.01] * 1000), ModelStore(paths.models))
def ask():
    window.composer.draft = "question"
    window.composer.send_button.click()
    QTimer.singleShot(500, window.close if sys.argv[2] == "close" else application.quit)
window.attached.connect(ask)
sys.exit(application.exec())
"""

STREAM_FOR_EVER = """
window = open_window(application, paths, lambda _: ScriptedEngine(["字", 0.01] * 10_000), ModelStore(paths.models))
def ask():
    window.composer.draft = "question"
    window.composer.send_button.click()
window.attached.connect(ask)
timer = QTimer(window, interval=100)
timer.timeout.connect(lambda: print(sum(
    len(message.text) for message in window._conversations.history.thread(1)[1:]
) if window._conversations.current else 0, flush=True))
window.attached.connect(timer.start)
sys.exit(application.exec())
"""


def run_python(program: str, *arguments: str) -> "subprocess.CompletedProcess[str]":
    command = [sys.executable, "-c", PROGRAM + program, *arguments]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=60, check=False)


def open_now(qapp: QApplication, qtbot: QtBot, paths: Paths) -> MainWindow:
    window = open_window(qapp, paths, lambda _: ScriptedEngine(), ModelStore(paths.models))
    qtbot.addWidget(window)
    return window


def answer_message_box(button: str | None = None) -> list[str]:
    """Click a button of the next message box, or close it; returns where its text will stand."""
    texts: list[str] = []

    def answer() -> None:
        box = QApplication.activeModalWidget()
        if not isinstance(box, QMessageBox):
            QTimer.singleShot(20, answer)
            return
        texts.append(box.text())
        chosen = [one for one in box.buttons() if one.text() == button]
        (chosen or box.buttons())[0].click()

    QTimer.singleShot(20, answer)
    return texts


def test_the_window_is_painted_before_the_heavy_libraries_are_imported(paths: Paths) -> None:
    heavy = ["numpy", "onnxruntime", "tokenizers", "onnx", "gguf", "jinja2", "sqlite_utils", "pygments"]

    finished = run_python(REPORT_AT_FIRST_PAINT, str(paths.home), *heavy)

    assert finished.returncode == 0, finished.stderr
    assert finished.stdout.splitlines()[0] == ""


@pytest.mark.parametrize("way", ["close", "quit"])
def test_ending_in_the_middle_of_an_answer_exits_cleanly_and_keeps_it(paths: Paths, way: str) -> None:
    write_model_folder(paths.models / "tiny", "Tiny")

    finished = run_python(CLOSE_MID_ANSWER, str(paths.home), way)

    assert (finished.returncode, finished.stderr) == (0, "")
    history = History.open(paths.database)
    answer = history.thread(1)[1]
    history.close()
    assert answer.state == "interrupted"
    assert answer.text.startswith("said")


@pytest.mark.slow
def test_a_killed_program_loses_nothing_that_was_saved_and_saves_as_it_streams(paths: Paths) -> None:
    write_model_folder(paths.models / "tiny", "Tiny")
    command = [sys.executable, "-c", PROGRAM + STREAM_FOR_EVER, str(paths.home)]
    program = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True)
    assert program.stdout is not None
    while not (saved := int(program.stdout.readline())):
        pass
    program.kill()
    program.wait()

    history = History.open(paths.database)
    question, answer = history.thread(1)
    history.close()
    assert question.text == "question"
    assert answer.state == "interrupted"
    assert len(answer.text) >= saved


def test_closing_before_history_and_engine_are_there_ends_quietly(
    qapp: QApplication, qtbot: QtBot, paths: Paths
) -> None:
    window = open_now(qapp, qtbot, paths)

    with qtbot.waitSignal(window.painted):
        pass
    window.close()
    qtbot.wait(200)

    assert window.is_closed
    assert not paths.database.exists()


def test_a_damaged_history_is_kept_aside_and_a_new_one_begun(qapp: QApplication, qtbot: QtBot, paths: Paths) -> None:
    paths.database.write_bytes(b"no database" * 1000)
    texts = answer_message_box("Begin a new history")

    window = open_now(qapp, qtbot, paths)
    with qtbot.waitSignal(window.attached, timeout=10_000):
        pass

    assert "is damaged or is not a history of Sixpane" in texts[0]
    kept = [path for path in paths.home.iterdir() if path.read_bytes() == b"no database" * 1000]
    assert len(kept) == 1


def test_a_damaged_history_stays_untouched_if_the_person_quits(qapp: QApplication, qtbot: QtBot, paths: Paths) -> None:
    paths.database.write_bytes(b"no database" * 1000)
    answer_message_box("Quit")

    window = open_now(qapp, qtbot, paths)
    qtbot.waitUntil(lambda: window.is_closed)

    assert paths.database.read_bytes() == b"no database" * 1000


def test_a_second_window_says_that_the_first_is_open(
    qapp: QApplication, qtbot: QtBot, paths: Paths, open_sixpane: OpenWindow
) -> None:
    first = open_sixpane()
    texts = answer_message_box()

    second = open_now(qapp, qtbot, paths)
    qtbot.waitUntil(lambda: second.is_closed, timeout=10_000)

    assert texts == ["Sixpane is already open with this history; use that window or close it."]
    first.ask("still here")
    first.wait_until_reading("Hello world")


def test_unreadable_settings_are_said_and_the_window_works(open_sixpane: OpenWindow, paths: Paths) -> None:
    paths.settings.write_text("{")

    person = open_sixpane()

    assert "The settings could not be understood" in person.trouble()
    person.ask("?")
    person.wait_until_reading("Hello world")


def test_a_model_that_cannot_be_loaded_is_said_and_another_one_can_be_chosen(
    open_sixpane: OpenWindow, qtbot: QtBot
) -> None:
    def load(folder: Path) -> ScriptedEngine:
        if folder.name == "Broken":
            raise ModelFolderError("The model {folder} is damaged.", folder=folder.name)
        return ScriptedEngine()

    person = open_sixpane(load=load, models=("Sound", "Broken"))
    person.window.use_model(ModelStore(person.window._store.root).find("Broken"))
    qtbot.waitUntil(lambda: person.trouble() == "The model Broken is damaged.")
    assert person.status() == "No model"

    person.window.use_model(ModelStore(person.window._store.root).find("Sound"))
    person.wait_until_ready()
    person.ask("?")
    person.wait_until_reading("Hello world")


def test_a_model_that_is_damaged_at_the_start_is_said_whether_another_one_answers_or_none(
    open_sixpane: OpenWindow, paths: Paths
) -> None:
    for name in ("Sound", "Broken"):
        write_model_folder(paths.models / name, name)
    ModelStore(paths.models).choose("Broken")
    (paths.models / "Broken" / "model.onnx").unlink()

    person = open_sixpane(models=("Sound", "Broken"))
    assert "The model Broken" in person.trouble()
    person.wait_until_ready()
    person.closes_the_window()
    ModelStore(paths.models).remove("Sound")

    person = open_sixpane(models=())
    assert "The model Broken" in person.trouble()


def test_while_another_model_loads_the_status_line_names_the_one_that_answers(
    open_sixpane: OpenWindow, qtbot: QtBot
) -> None:
    gate, end = Gate(), Gate()
    person = open_sixpane(ScriptedEngine(["begun", gate, "more", end]), models=("Tiny", "Other"))
    first = person.window._model
    assert first is not None

    person.ask("?")
    person.wait_until_reading("begun")
    other = next(model for model in ModelStore(person.window._store.root).list() if model.id != first.id)
    person.window.use_model(other)
    gate.set()

    qtbot.waitUntil(lambda: person.status().startswith(f"{first.name} · answering"))
    end.set()
    person.wait_until_answered()


def test_a_model_chosen_before_another_had_loaded_is_the_one_that_is_shown(open_sixpane: OpenWindow) -> None:
    def load(folder: Path) -> ScriptedEngine:
        if folder.name == "Broken":
            raise ModelFolderError("The model {folder} is damaged.", folder=folder.name)
        return ScriptedEngine()

    person = open_sixpane(load=load, models=("Sound", "Broken"))
    person.window.use_model(ModelStore(person.window._store.root).find("Broken"))
    person.window.use_model(ModelStore(person.window._store.root).find("Sound"))

    person.wait_until_ready()
    assert person.trouble() == ""


def test_a_fault_that_nobody_caught_leaves_its_stack_trace_in_the_log(caplog: pytest.LogCaptureFixture) -> None:
    try:
        raise ZeroDivisionError("a fault of ours")
    except ZeroDivisionError as fault:
        log_fault(type(fault), fault, fault.__traceback__)

    assert "Traceback" in caplog.text
    assert "a fault of ours" in caplog.text


def test_every_named_widget_has_a_name_for_screen_readers(person: Person) -> None:
    person.window._open_settings()
    names = "conversationList searchBox newChatButton messageView composer sendButton stopButton modelButton"
    names += " statusLine settingsDialog settingsButton languageBox themeBox"

    unnamed = [name for name in names.split() if not person.find(name, QWidget).accessibleName()]

    assert unnamed == []


def test_a_changed_theme_holds_at_once_and_after_a_restart(person: Person, paths: Paths) -> None:
    light = person.window.palette().window().color()

    person.window._change_settings(AppSettings(theme="dark", language="en"))

    assert person.window.palette().window().color().lightness() < 60 < light.lightness()
    assert AppSettings.load(paths.settings).theme == "dark"
