"""Starts the program: paint the window first, then open the history and load the model."""

import logging
import signal
import sys
from collections.abc import Callable
from functools import partial
from logging.handlers import RotatingFileHandler
from pathlib import Path
from types import TracebackType

from PySide6.QtCore import QCoreApplication
from PySide6.QtGui import QIcon
from PySide6.QtWidgets import QApplication, QMessageBox

from app.conversation_view.fonts import window_font
from app.display import check_display
from app.engine_thread import BackgroundTask, EngineThread, favour_the_window
from app.i18n import install_language, sentence_of
from app.paths import Paths
from app.settings import AppSettings, SettingsFileError
from app.theme import RESOURCES, without_icons
from app.window.main_window import MainWindow
from engine import Cancellation, ChatEngine, ModelStore, SixpaneError, load_engine

log = logging.getLogger(__name__)

Load = Callable[[Path], ChatEngine]


def run(paths: Paths) -> int:
    """Open the window and stay until it is closed.

    Raises:
        SixpaneError: There is no screen, or the folder for everything cannot be used.
    """
    check_display()
    _log_to_file(paths)
    sys.excepthook = log_fault
    # Python's own handler would wait for the next Python code, and raise in the midst of it.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    application = QApplication(sys.argv[:1])
    application.setApplicationName("Sixpane")
    application.setDesktopFileName("sixpane")
    application.setStyle("Fusion")
    application.setWindowIcon(QIcon(str(RESOURCES / "icons" / "sixpane.svg")))
    open_window(application, paths, partial(load_engine, machine_file=paths.machine), ModelStore(paths.models))
    return application.exec()


def open_window(application: QApplication, paths: Paths, load: Load, store: ModelStore) -> MainWindow:
    """Show the window; history and engine come after it is painted.

    Args:
        application: Qt's application.
        paths: Where everything is kept.
        load: Loads the engine of a model folder.
        store: Where models are kept.
    """
    favour_the_window()
    trouble: SettingsFileError | None = None
    try:
        settings = AppSettings.load(paths.settings)
    except SettingsFileError as error:
        settings, trouble = AppSettings(), error
    application.setFont(window_font())
    language = install_language(application, settings.language)
    window = MainWindow(paths, settings, language, store)
    if trouble:
        window.tell(trouble)
    window.settings_changed.connect(lambda changed: _use_settings(window, paths, changed))
    window.painted.connect(lambda: _bring_to_life(window, paths, load))
    window.show()
    return window


def _use_settings(window: MainWindow, paths: Paths, settings: AppSettings) -> None:
    try:
        settings.save(paths.settings)
    except SettingsFileError as error:
        window.tell(error)


def _bring_to_life(window: MainWindow, paths: Paths, load: Load) -> None:
    task: BackgroundTask[None] = BackgroundTask(_import_the_rest, window)
    task.succeeded.connect(lambda _: _open_history(window, paths, load))
    task.failed.connect(lambda error: _give_up(window, error))
    window.closing.connect(task.shut_down)
    task.start()


def _import_the_rest(_report: Callable[[None], None], _cancellation: Cancellation) -> None:
    # SQLite's helpers bring numpy in: too long for a thread that paints.
    import app.conversations
    import app.history  # noqa: F401


def _open_history(window: MainWindow, paths: Paths, load: Load) -> None:
    from app.conversations import Conversations
    from app.history import DamagedHistoryError, History, move_aside
    from app.idle_collection import IdleCollection

    if window.is_closed:
        return
    try:
        try:
            history = History.open(paths.database)
        except DamagedHistoryError as error:
            if not _wants_fresh_history(window, error):
                window.close()
                return
            log.warning("moved the damaged history to %s", move_aside(paths.database))
            history = History.open(paths.database)
    except SixpaneError as error:
        _give_up(window, error)
        return
    engine = EngineThread(load, window)
    conversations = Conversations(history, engine, window)
    window.closing.connect(IdleCollection(conversations).shut_down)
    window.attach(conversations, engine)


def _give_up(window: MainWindow, error: SixpaneError) -> None:
    if not window.is_closed:
        box = QMessageBox(QMessageBox.Icon.Critical, "Sixpane", sentence_of(error), parent=window)
        box.addButton(QMessageBox.StandardButton.Close)
        without_icons(box.buttons())
        box.exec()
        window.close()


def _wants_fresh_history(window: MainWindow, error: SixpaneError) -> bool:
    box = QMessageBox(window)
    box.setObjectName("damagedHistoryDialog")
    box.setIcon(QMessageBox.Icon.Warning)
    box.setText(sentence_of(error))
    box.setInformativeText(
        QCoreApplication.translate("application", "It can be kept under another name, and a new history begun.")
    )
    fresh = box.addButton(
        QCoreApplication.translate("application", "Begin a new history"), QMessageBox.ButtonRole.AcceptRole
    )
    box.addButton(QCoreApplication.translate("application", "Quit"), QMessageBox.ButtonRole.RejectRole)
    without_icons(box.buttons())
    box.exec()
    return box.clickedButton() is fresh


def log_fault(kind: type[BaseException], fault: BaseException, trace: TracebackType | None) -> None:
    """Keep the stack trace of a fault of ours that nobody caught; the window stays open."""
    log.critical("unexpected failure", exc_info=(kind, fault, trace))
    sys.__excepthook__(kind, fault, trace)


def _log_to_file(paths: Paths) -> None:
    try:
        paths.home.mkdir(parents=True, exist_ok=True)
        handler = RotatingFileHandler(paths.log, maxBytes=1_000_000, backupCount=2, encoding="utf-8")
    except OSError as error:
        raise SixpaneError(
            "The folder {folder} cannot be written ({reason}); set SIXPANE_HOME to one that can.",
            folder=paths.home,
            reason=error.strerror or error,
        ) from error
    handler.setFormatter(logging.Formatter("%(asctime)s %(levelname)s %(name)s: %(message)s"))
    logging.getLogger().addHandler(handler)
    logging.getLogger().setLevel(logging.INFO)
