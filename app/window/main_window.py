"""The main window: what stands where, and what leads to what."""

import logging
from collections.abc import Callable
from itertools import pairwise
from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, Qt, QTimer, Signal
from PySide6.QtGui import QCloseEvent, QGuiApplication, QKeySequence, QShortcut
from PySide6.QtWidgets import QHBoxLayout, QMainWindow, QSplitter, QStackedWidget, QToolButton, QVBoxLayout, QWidget

from app.conversation_view import MessageView, ViewMessage
from app.i18n import sentence_of
from app.paths import Paths
from app.settings import AppSettings
from app.window.composer import Composer
from app.window.first_run import FirstRunPage
from app.window.model_button import ModelButton
from app.window.settings_dialog import SettingsDialog
from app.window.sidebar import Sidebar
from app.window.status_line import StatusLine
from app.window.trouble_bar import TroubleBar
from app.window.welcome import WelcomePage
from engine import ChatEngine, GenerationSettings, InstalledModel, ModelStore, SixpaneError

if TYPE_CHECKING:
    from app.conversations import Conversations, GrowingReply
    from app.engine_thread import EngineThread

COLUMN_MARGIN = 24
COMPOSER_WIDTH = 808

log = logging.getLogger(__name__)


class MainWindow(QMainWindow):
    """The window; it is painted before the history and the engine are there, and gets them by `attach`.

    Args:
        paths: Where everything is kept.
        settings: The person's settings.
        language: The language in use, as an ISO 639-1 code.
    """

    painted = Signal()
    """The window was painted for the first time."""

    settings_changed = Signal(object)
    """The new `AppSettings`."""

    def __init__(self, paths: Paths, settings: AppSettings, language: str) -> None:
        super().__init__()
        self.setWindowTitle("Sixpane")
        self.resize(1100, 760)
        self.setMinimumSize(640, 420)
        self._settings = settings
        self._store = ModelStore(paths.models)
        self._model: InstalledModel | None = None
        self._wants_model = False
        self._drafts: dict[int | None, str] = {}
        self._shown: int | None = None
        self._conversations: Conversations | None = None
        self._engine: EngineThread | None = None
        self._was_painted = False
        self.sidebar = Sidebar()
        self.model_button = ModelButton(self._store)
        self.settings_button = QToolButton()
        self.settings_button.setObjectName("settingsButton")
        self.settings_button.setText(self.tr("Settings"))
        self.settings_button.setToolTip(self.tr("Settings (Ctrl+,)"))
        self.view = MessageView()
        self.welcome = WelcomePage()
        self.first_run = FirstRunPage(self._store, paths.downloads, language)
        self.trouble_bar = TroubleBar()
        self.composer = Composer()
        self.status_line = StatusLine()
        self._pages = QStackedWidget()
        for page in (self.welcome, self.view, self.first_run):
            self._pages.addWidget(page)
        self._lay_out()
        self._connect_widgets()
        self._add_shortcuts()
        self.show_model(None)

    def attach(self, conversations: "Conversations", engine: "EngineThread") -> None:
        """Show these conversations and let this engine answer."""
        self._conversations = conversations
        self._engine = engine
        self.sidebar.attach(conversations)
        conversations.thread_shown.connect(self._show_thread)
        conversations.message_added.connect(self._add_message)
        conversations.text_arrived.connect(self.view.append_text)
        conversations.reply_finished.connect(self._finish_reply)
        conversations.answering_changed.connect(self._show_answering)
        conversations.prefill_progressed.connect(self.status_line.show_reading)
        conversations.token_arrived.connect(self._show_token)
        conversations.trouble.connect(self.trouble_bar.tell)
        engine.loaded.connect(self._model_loaded)
        engine.load_failed.connect(self._model_failed)
        self.view.regenerateRequested.connect(self._regenerate)
        self.view.copyRequested.connect(self._copy)
        models = [model for model in self._store.list() if model.problem is None]
        model = self._store.default() or (models[0] if models else None)
        if model:
            self.use_model(model)
        self._show_page()
        self.composer.setFocus()

    def use_model(self, model: InstalledModel) -> None:
        """Load a model; questions that are sent meanwhile wait for it."""
        assert self._engine is not None
        try:
            self._store.choose(model.id)
        except SixpaneError as error:
            self.trouble_bar.tell(sentence_of(error))
        self._wants_model = False
        self.show_model(model)
        self.status_line.show_loading(model.name)
        self._engine.load(model.path)
        self._show_page()
        self.composer.setFocus()

    def show_model(self, model: InstalledModel | None) -> None:
        """Show which model answers."""
        self._model = model
        self.model_button.show_model(model)
        self.composer.set_can_send(model is not None)
        if model is None:
            self.status_line.show_no_model()

    def closeEvent(self, event: QCloseEvent) -> None:  # noqa: N802 - Qt's own name
        """Save what streams, end the threads, release the history."""
        self.hide()
        self.first_run.shut_down()
        if self._conversations is not None and self._engine is not None:
            self._conversations.close(self._engine)
        super().closeEvent(event)

    def event(self, event: QEvent) -> bool:
        """Notice the first painting."""
        handled = super().event(event)
        if event.type() == QEvent.Type.Paint and not self._was_painted:
            self._was_painted = True
            QTimer.singleShot(0, self.painted.emit)
        return handled

    def _lay_out(self) -> None:
        header = QHBoxLayout()
        header.setContentsMargins(12, 8, 12, 0)
        header.addWidget(self.model_button)
        header.addStretch(1)
        header.addWidget(self.settings_button)
        bottom = QWidget()
        bottom.setMaximumWidth(COMPOSER_WIDTH)
        column = QVBoxLayout(bottom)
        column.setContentsMargins(COLUMN_MARGIN, 4, COLUMN_MARGIN, 10)
        column.setSpacing(8)
        column.addWidget(self.trouble_bar)
        column.addWidget(self.composer)
        column.addWidget(self.status_line)
        centred = QHBoxLayout()
        centred.addStretch(1)
        centred.addWidget(bottom, 100)
        centred.addStretch(1)
        right = QWidget()
        layout = QVBoxLayout(right)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(4)
        layout.addLayout(header)
        layout.addWidget(self._pages, 1)
        layout.addLayout(centred)
        splitter = QSplitter()
        splitter.addWidget(self.sidebar)
        splitter.addWidget(right)
        splitter.setSizes([260, 840])
        splitter.setStretchFactor(1, 1)
        splitter.setChildrenCollapsible(False)
        splitter.setHandleWidth(1)
        self.sidebar.setMinimumWidth(180)
        self.setCentralWidget(splitter)
        order: list[QWidget] = [self.sidebar.new_button, self.sidebar.search_box, self.sidebar.list]
        order += [self.model_button, self.settings_button, self.view, self.composer.edit]
        order += [self.composer.send_button, self.composer.stop_button]
        for before, after in pairwise(order):
            self.setTabOrder(before, after)

    def _connect_widgets(self) -> None:
        self.composer.submitted.connect(self._send)
        self.composer.stop_requested.connect(self._stop)
        self.welcome.question_chosen.connect(self._send)
        self.first_run.installed.connect(self.use_model)
        self.model_button.chosen.connect(self.use_model)
        self.model_button.get_requested.connect(self._get_model)
        self.model_button.import_requested.connect(self._import_model)
        self.settings_button.clicked.connect(self._open_settings)

    def _add_shortcuts(self) -> None:
        actions: dict[str, Callable[[], object]] = {
            "Ctrl+N": self.sidebar.new_button.click,
            "Ctrl+K": self._search,
            "Ctrl+,": self._open_settings,
            "Ctrl+Q": self.close,
            "Esc": self._stop,
        }
        for keys, action in actions.items():
            QShortcut(QKeySequence(keys), self).activated.connect(action)

    def _send(self, text: str) -> None:
        if self._conversations is None or self._model is None or self._model.manifest is None:
            return
        if self._conversations.answering is not None:
            return
        try:
            self._conversations.ask(text, GenerationSettings(), self._model.manifest)
        except SixpaneError as error:
            self.trouble_bar.tell(sentence_of(error))
            return
        self._shown = self._conversations.current
        self.trouble_bar.hide()
        if text == self.composer.draft:
            self.composer.draft = ""
        self.composer.setFocus()

    def _stop(self) -> None:
        if self._conversations:
            self._conversations.stop()

    def _regenerate(self, message_id: int) -> None:
        if self._conversations is None or self._model is None or self._model.manifest is None:
            return
        if self._conversations.answering is not None:
            return
        try:
            self._conversations.regenerate(message_id, GenerationSettings(), self._model.manifest)
        except SixpaneError as error:
            self.trouble_bar.tell(sentence_of(error))

    def _copy(self, message_id: int) -> None:
        if self._conversations:
            QGuiApplication.clipboard().setText(self._conversations.source_of(message_id))

    def _show_thread(self, messages: list[ViewMessage]) -> None:
        assert self._conversations is not None
        self._drafts[self._shown] = self.composer.draft
        self._shown = self._conversations.current
        self._wants_model = False
        self.composer.draft = self._drafts.pop(self._shown, "")
        self.view.show_messages(messages)
        self._show_page()
        self.composer.setFocus()

    def _add_message(self, message: ViewMessage) -> None:
        self.view.append_message(message)
        self._show_page()

    def _finish_reply(self, message_id: int, footer: str, notice: str) -> None:
        self.view.finish_message(message_id, footer, notice)

    def _show_answering(self) -> None:
        assert self._conversations is not None
        answering = self._conversations.answering is not None
        self.composer.set_answering(answering)
        if not answering:
            self.status_line.show_idle()

    def _show_token(self, reply: "GrowingReply") -> None:
        self.status_line.show_answering(reply.tokens_per_second, reply.context_tokens)

    def _model_loaded(self, engine: ChatEngine) -> None:
        self.status_line.show_ready(engine.manifest, engine.device)

    def _model_failed(self, error: SixpaneError) -> None:
        self.trouble_bar.tell(sentence_of(error))
        self.show_model(None)
        self._show_page()

    def _show_page(self) -> None:
        if self._shown is not None and not self._wants_model:
            page: QWidget = self.view
        elif self._model is None or self._wants_model:
            page = self.first_run
        elif self._conversations is not None and self._conversations.current is not None:
            page = self.view
        else:
            page = self.welcome
        self._pages.setCurrentWidget(page)

    def _get_model(self) -> None:
        self._wants_model = True
        self._show_page()

    def _import_model(self) -> None:
        self._get_model()
        self.first_run.choose_file()

    def _search(self) -> None:
        self.sidebar.search_box.setFocus()
        self.sidebar.search_box.selectAll()

    def _open_settings(self) -> None:
        dialog = SettingsDialog(self._settings, self)
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.changed.connect(self._change_settings)
        dialog.open()

    def _change_settings(self, settings: AppSettings) -> None:
        self._settings = settings
        self.settings_changed.emit(settings)
