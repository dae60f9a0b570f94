"""The page where a person gets a model: two starters with one button each, or a file of their own."""

from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import QCoreApplication, Qt, Signal
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import (
    QFileDialog,
    QFrame,
    QHBoxLayout,
    QLabel,
    QProgressBar,
    QPushButton,
    QScrollArea,
    QSizePolicy,
    QVBoxLayout,
    QWidget,
)

from app.engine_thread import BackgroundTask
from app.i18n import STARTERS, sentence_of
from engine import (
    Cancellation,
    CancelledError,
    InstallProgress,
    ModelStore,
    SixpaneError,
    Starter,
    recommended_starter,
    starters,
)

COLUMN = 640
STEPS = 1000
MEGABYTE = 2**20

Install = Callable[[Callable[[InstallProgress], None], Cancellation], object]


class FirstRunPage(QScrollArea):
    """Offers models, shows how far the chosen one is, and says when it is there.

    Args:
        store: Where models are kept.
        downloads: The folder for unfinished downloads.
        language: The language of the window, for the recommendation.
    """

    installed = Signal(object)
    """The `InstalledModel` that can be used now."""

    def __init__(self, store: ModelStore, downloads: Path, language: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("firstRunPage")
        self.setWidgetResizable(True)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self._store = store
        self._downloads = downloads
        self._task: BackgroundTask[InstallProgress] | None = None
        self._install: Install | None = None
        self._title = QLabel(self.tr("Choose a model to begin"))
        self._title.setObjectName("firstRunTitle")
        font = self._title.font()
        font.setPointSizeF(font.pointSizeF() * 1.7)
        font.setBold(True)
        self._title.setFont(font)
        sentence = self.tr(
            "Sixpane is a private assistant that runs on this computer: "
            "what you type and what it answers never leave it."
        )
        recommended = recommended_starter(language)
        ordered = sorted(starters(), key=lambda starter: starter is not recommended)
        self._cards = [StarterCard(starter, starter is recommended) for starter in ordered]
        for card in self._cards:
            card.chosen.connect(self._install_starter)
        self._file_button = QPushButton(self.tr("Use a file that I already have…"))
        self._file_button.setObjectName("importFileButton")
        self._file_button.clicked.connect(self.choose_file)
        self.progress = ProgressPanel()
        self.progress.cancelled.connect(self._cancel)
        self.progress.retried.connect(self._start)
        column = QVBoxLayout()
        column.setSpacing(14)
        column.addStretch(1)
        column.addWidget(self._title)
        column.addWidget(_wrapping(sentence))
        column.addSpacing(6)
        for card in self._cards:
            column.addWidget(card)
        column.addWidget(self._file_button, 0, Qt.AlignmentFlag.AlignLeft)
        column.addWidget(self.progress)
        column.addStretch(2)
        holder = QWidget()
        holder.setMaximumWidth(COLUMN)
        holder.setLayout(column)
        page = QWidget()
        row = QHBoxLayout(page)
        row.setContentsMargins(24, 24, 24, 24)
        row.addStretch(1)
        row.addWidget(holder, 20)
        row.addStretch(1)
        self.setWidget(page)

    def choose_file(self) -> None:
        """Let the person choose a GGUF file, and import it."""
        path, _ = QFileDialog.getOpenFileName(self, self.tr("Import a model"), "", self.tr("GGUF models (*.gguf)"))
        if path:
            self.import_file(Path(path))

    def import_file(self, path: Path) -> None:
        """Convert a GGUF file."""
        self._install = lambda report, cancellation: self._store.import_gguf(path, "int8", report, cancellation)
        self._start()

    def showEvent(self, event: QShowEvent) -> None:  # noqa: N802 - Qt's own name
        """Say which of the starters are here already."""
        super().showEvent(event)
        has_models = False
        for card in self._cards:
            is_here = self._store.find_starter(card.starter) is not None
            card.show_installed(is_here)
            has_models |= is_here
        self._title.setText(self.tr("Get another model") if has_models else self.tr("Choose a model to begin"))

    def shut_down(self) -> None:
        """End what is under way; a download can be resumed later."""
        if self._task:
            self._task.shut_down()

    def _install_starter(self, starter: Starter) -> None:
        self._install = lambda report, cancellation: self._store.install_starter(
            starter, self._downloads, report, cancellation
        )
        self._start()

    def _start(self) -> None:
        assert self._install is not None
        self._task = BackgroundTask(self._install, self)
        self._task.progressed.connect(self.progress.show_progress)
        self._task.succeeded.connect(self._succeed)
        self._task.failed.connect(self._fail)
        self._set_busy(True)
        self.progress.begin()
        self._task.start()

    def _cancel(self) -> None:
        if self._task:
            self._task.cancel()

    def _succeed(self, model: object) -> None:
        self._task = None
        self._set_busy(False)
        self.progress.hide()
        self.installed.emit(model)

    def _fail(self, error: SixpaneError) -> None:
        self._task = None
        self._set_busy(False)
        if isinstance(error, CancelledError):
            self.progress.show_trouble(self.tr("Stopped."), self.tr("Go on"))
        else:
            self.progress.show_trouble(sentence_of(error), self.tr("Try again"))

    def _set_busy(self, busy: bool) -> None:
        for card in self._cards:
            card.button.setEnabled(not busy)
        self._file_button.setEnabled(not busy)


class StarterCard(QFrame):
    """One starter, honestly described, with its button."""

    chosen = Signal(object)
    """The `Starter`."""

    def __init__(self, starter: Starter, recommended: bool, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.starter = starter
        self.setObjectName("starterCard")
        self.setProperty("recommended", recommended)
        name = _plain(starter.name)
        font = name.font()
        font.setBold(True)
        font.setPointSizeF(font.pointSizeF() * 1.1)
        name.setFont(font)
        top = QHBoxLayout()
        top.addWidget(name)
        if recommended:
            badge = _plain(self.tr("Recommended"))
            badge.setObjectName("badge")
            top.addWidget(badge)
        top.addStretch(1)
        megabytes = round(starter.bytes / MEGABYTE)
        facts = _plain(self.tr("{size} MB · licence {licence}").format(size=megabytes, licence=starter.licence))
        facts.setObjectName("muted")
        text = QVBoxLayout()
        text.setSpacing(4)
        text.addLayout(top)
        text.addWidget(_wrapping(QCoreApplication.translate(STARTERS, starter.description)))
        text.addWidget(facts)
        self.button = QPushButton()
        self.button.setObjectName(f"getButton-{starter.id}")
        self.show_installed(False)
        self.button.setProperty("primary", recommended)
        self.button.clicked.connect(lambda: self.chosen.emit(starter))
        row = QHBoxLayout(self)
        row.setContentsMargins(18, 14, 18, 14)
        row.setSpacing(16)
        row.addLayout(text, 1)
        row.addWidget(self.button)

    def show_installed(self, installed: bool) -> None:
        """Say whether the model has to be fetched or can be used at once."""
        self.button.setText(self.tr("Use") if installed else self.tr("Download"))
        label = self.tr("Use {name}") if installed else self.tr("Download {name}")
        self.button.setAccessibleName(label.format(name=self.starter.name))


class ProgressPanel(QWidget):
    """How far an installation is, with a way to stop it and to go on."""

    cancelled = Signal()
    retried = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._label = _wrapping("")
        self._bar = QProgressBar()
        self._bar.setRange(0, STEPS)
        self._bar.setTextVisible(False)
        self._bar.setAccessibleName(self.tr("Progress"))
        self.cancel_button = QPushButton(self.tr("Cancel"))
        self.cancel_button.setObjectName("cancelInstallButton")
        self.cancel_button.clicked.connect(self._cancel)
        self.retry_button = QPushButton()
        self.retry_button.setObjectName("retryInstallButton")
        self.retry_button.clicked.connect(self.retried)
        row = QHBoxLayout()
        row.addWidget(self._label, 1)
        row.addWidget(self.cancel_button)
        row.addWidget(self.retry_button)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 8, 0, 0)
        layout.addLayout(row)
        layout.addWidget(self._bar)
        self.hide()

    def begin(self) -> None:
        """Show that something has begun."""
        self._show(self.tr("Preparing…"), busy=True)
        self._bar.setValue(0)

    def show_progress(self, progress: InstallProgress) -> None:
        """Show how far it is."""
        self._bar.setValue(round(progress.fraction * STEPS))
        if progress.download:
            done, total = (f"{count / MEGABYTE:.0f}" for count in (progress.download.done, progress.download.total))
            self._label.setText(self.tr("Downloading: {done} of {total} MB").format(done=done, total=total))
        else:
            percent = round(progress.fraction * 100)
            self._label.setText(self.tr("Converting for this computer: {percent} %").format(percent=percent))

    def show_trouble(self, sentence: str, remedy: str) -> None:
        """Say why it ended, and offer to go on."""
        self._show(sentence, busy=False)
        self.retry_button.setText(remedy)

    def _show(self, text: str, *, busy: bool) -> None:
        self._label.setText(text)
        self._bar.setVisible(busy)
        self.cancel_button.setVisible(busy)
        self.cancel_button.setEnabled(busy)
        self.retry_button.setVisible(not busy)
        self.show()

    def _cancel(self) -> None:
        self.cancel_button.setEnabled(False)
        self._label.setText(self.tr("Stopping…"))
        self.cancelled.emit()


def _plain(text: str) -> QLabel:
    # Names and sentences may hold what a file or the network said: never rich text.
    label = QLabel(text)
    label.setTextFormat(Qt.TextFormat.PlainText)
    return label


def _wrapping(text: str) -> QLabel:
    label = _plain(text)
    label.setWordWrap(True)
    label.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Minimum)
    return label
