"""The main window: what stands where, and what leads to what."""

import logging
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QCoreApplication, QEvent, Qt, QTimer, Signal
from PySide6.QtGui import QCloseEvent, QGuiApplication, QKeyEvent, QKeySequence, QShortcut
from PySide6.QtWidgets import QMainWindow, QSplitter, QWidget

from app.conversation_view import MessageView, ViewMessage
from app.i18n import sentence_of
from app.paths import Paths
from app.settings import AppSettings
from app.theme import apply_theme, choose_scheme, is_dark, load_window_theme
from app.window.asking import Asking
from app.window.column import Column
from app.window.first_run import FirstRunPage
from app.window.settings_dialog import SettingsDialog
from app.window.sidebar import Sidebar
from app.window.welcome import WelcomePage
from engine import ChatEngine, InstalledModel, ModelStore, SixpaneError

if TYPE_CHECKING:
    from app.conversations import Conversations
    from app.engine_thread import EngineThread
    from app.growing_reply import GrowingReply

log = logging.getLogger(__name__)


class MainWindow(QMainWindow):
    """The window; it is painted before the history and the engine are there, and gets them by `attach`.

    Args:
        paths: Where everything is kept.
        settings: The person's settings.
        language: The language in use, as an ISO 639-1 code.
        store: Where models are kept.
    """

    painted = Signal()
    """The window was painted for the first time."""

    attached = Signal()
    """History and engine are there."""

    settings_changed = Signal(object)
    """The new `AppSettings`."""

    closing = Signal()
    """The window is closed; whatever runs for it has to end now."""

    def __init__(self, paths: Paths, settings: AppSettings, language: str, store: ModelStore) -> None:
        super().__init__()
        self.setWindowTitle("Sixpane")
        self.resize(1100, 760)
        self.setMinimumSize(640, 420)
        self._store = store
        self._model: InstalledModel | None = None
        self._wants_model = False
        self._conversations: Conversations | None = None
        self._engine: EngineThread | None = None
        self._was_painted = False
        self.is_closed = False
        self.sidebar = Sidebar()
        self.view = MessageView()
        self.welcome = WelcomePage()
        self.first_run = FirstRunPage(self._store, paths.downloads, language)
        self._column = Column(self._store, (self.welcome, self.view, self.first_run))
        self.model_button = self._column.model_button
        self.composer = self._column.composer
        self._asking = Asking(self._column, self)
        self.trouble_bar = self._column.trouble_bar
        self.status_line = self._column.status_line
        self._lay_out()
        self._connect_widgets()
        self._add_shortcuts()
        self._use_settings(settings)
        QGuiApplication.styleHints().colorSchemeChanged.connect(self._follow_scheme)
        model, problem = self._store.default_or_problem()
        self.show_model(model)
        if problem:
            self.tell(problem)
        self._show_page()

    def attach(self, conversations: "Conversations", engine: "EngineThread") -> None:
        """Show these conversations and let this engine answer."""
        self._conversations = conversations
        self._engine = engine
        self._asking.attach(conversations)
        self.sidebar.attach(conversations)
        conversations.thread_shown.connect(self._show_thread)
        conversations.message_added.connect(self._add_message)
        conversations.text_arrived.connect(self.view.append_text)
        conversations.context_started.connect(self.view.show_context_start)
        conversations.reply_finished.connect(self.view.finish_message)
        conversations.answering_changed.connect(self._show_answering)
        conversations.prefill_progressed.connect(self.status_line.show_reading)
        conversations.token_arrived.connect(self._show_token)
        conversations.question_refused.connect(self._asking.drafts.give_back)
        conversations.trouble.connect(self.trouble_bar.tell)
        engine.loaded.connect(self._model_loaded)
        engine.load_failed.connect(self._model_failed)
        self.view.regenerateRequested.connect(self._asking.regenerate)
        self.view.editRequested.connect(self._asking.edit)
        self.view.versionRequested.connect(conversations.show_version)
        self.view.copyRequested.connect(self._copy)
        if self._model:
            self.use_model(self._model)
        self._show_page()
        self.composer.setFocus()
        self.attached.emit()

    def use_model(self, model: InstalledModel) -> None:
        """Load a model; questions that are sent meanwhile wait for it."""
        assert self._engine is not None
        try:
            self._store.choose(model.id)
        except SixpaneError as error:
            self.tell(error)
        self._wants_model = False
        self.show_model(model)
        self._engine.load(model.path)
        self._show_page()
        self.composer.setFocus()

    def show_model(self, model: InstalledModel | None) -> None:
        """Show which model answers."""
        self._model = self._asking.model = model
        self.model_button.show_model(model)
        self.composer.set_can_send(model is not None)
        if model is None:
            self.status_line.show_no_model()
        else:
            self.status_line.show_loading(model.name)

    def tell(self, error: SixpaneError) -> None:
        """Say what went wrong, where the person sees it and can go on."""
        self.trouble_bar.tell(sentence_of(error))

    def shut_down(self) -> None:
        """Save what streams, end the threads, release the history; once."""
        if self.is_closed:
            return
        self.is_closed = True
        self.closing.emit()
        self.first_run.shut_down()
        self.view.shut_down()
        self.sidebar.detach()
        if self._conversations is not None:
            self._conversations.close()

    def closeEvent(self, event: QCloseEvent) -> None:  # noqa: N802 - Qt's own name
        """Be out of sight at once, and end."""
        self.hide()
        self.shut_down()
        super().closeEvent(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:  # noqa: N802 - Qt's own name
        """Let what is typed while nothing takes it, as after a click on an answer, go where questions are typed."""
        is_command = event.modifiers() & ~(Qt.KeyboardModifier.ShiftModifier | Qt.KeyboardModifier.KeypadModifier)
        if event.text().isprintable() and event.text().strip() and not is_command:
            self.composer.setFocus()
            QCoreApplication.sendEvent(self.composer.edit, event)
        else:
            super().keyPressEvent(event)

    def event(self, event: QEvent) -> bool:
        """Notice the first painting."""
        handled = super().event(event)
        if event.type() == QEvent.Type.Paint and not self._was_painted:
            self._was_painted = True
            QTimer.singleShot(0, self.painted.emit)
        return handled

    def _lay_out(self) -> None:
        splitter = QSplitter()
        splitter.addWidget(self.sidebar)
        splitter.addWidget(self._column)
        splitter.setSizes([260, 840])
        splitter.setStretchFactor(1, 1)
        splitter.setChildrenCollapsible(False)
        splitter.setHandleWidth(1)
        self.sidebar.setMinimumWidth(180)
        self.setCentralWidget(splitter)
        order: list[QWidget] = [self.sidebar.new_button, self.sidebar.search_box, self.sidebar.list]
        order += [self.model_button, self._column.settings_button, self.view, self.composer.edit]
        order += [self.composer.send_button, self.composer.stop_button]
        for before, after in pairwise(order):
            self.setTabOrder(before, after)

    def _follow_scheme(self) -> None:
        dark = is_dark(self._settings.theme)
        theme = load_window_theme(dark)
        apply_theme(self, theme)
        self.view.set_palette_mode(dark)
        self.sidebar.list.set_theme(theme)

    def _use_settings(self, settings: AppSettings) -> None:
        self._settings = settings
        self.view.set_views(settings.views)
        choose_scheme(settings.theme)
        self._follow_scheme()

    def _connect_widgets(self) -> None:
        self._asking.failed.connect(self.tell)
        self._asking.asked.connect(self._show_asked)
        self.welcome.question_chosen.connect(self._asking.send)
        self.sidebar.message_sought.connect(self.view.reveal)
        self.first_run.installed.connect(self.use_model)
        self.model_button.chosen.connect(self.use_model)
        self.model_button.get_requested.connect(self._get_model)
        self.model_button.import_requested.connect(self._import_model)
        self._column.settings_button.clicked.connect(self._open_settings)

    def _add_shortcuts(self) -> None:
        actions: dict[str, Callable[[], object]] = {
            "Ctrl+N": self.sidebar.new_button.click,
            "Ctrl+K": self._search,
            "Ctrl+,": self._open_settings,
            "Ctrl+Q": self.close,
            "Esc": self._asking.escape,
        }
        for keys, action in actions.items():
            QShortcut(QKeySequence(keys), self).activated.connect(action)

    def _show_asked(self) -> None:
        self.trouble_bar.hide()
        self.composer.setFocus()

    def _copy(self, message_id: int) -> None:
        if self._conversations:
            QGuiApplication.clipboard().setText(self._conversations.source_of(message_id))

    def _show_thread(self, messages: list[ViewMessage]) -> None:
        assert self._conversations is not None
        self._asking.show_draft(self._conversations.current)
        self._wants_model = False
        self.view.show_messages(messages)
        self._show_page()
        self.composer.setFocus()

    def _add_message(self, message: ViewMessage) -> None:
        # A message is laid out for the width that the view has in sight.
        self._show_page()
        self.view.append_message(message)

    def _show_answering(self) -> None:
        assert self._conversations is not None
        reply = self._conversations.growing
        self.composer.set_answering(reply is not None)
        if reply is None:
            self.status_line.show_idle(self._conversations.context_tokens)
        elif reply.token_ids:
            self._show_token(reply)
        elif not reply.has_begun and self._conversations.is_busy:
            self.status_line.show_waiting(reply.model)

    def _show_token(self, reply: "GrowingReply") -> None:
        self.status_line.show_answering(reply.model, reply.tokens_per_second, reply.context_tokens)

    def _model_loaded(self, folder: Path, engine: ChatEngine) -> None:
        # A model that was chosen meanwhile is still to come.
        if self._model and self._model.path == folder:
            self.status_line.show_ready(engine.manifest, engine.device)
            self._show_answering()

    def _model_failed(self, folder: Path, error: SixpaneError) -> None:
        if self._model is None or self._model.path != folder:
            return
        self.tell(error)
        self.show_model(None)
        self._show_page()

    def _show_page(self) -> None:
        page: QWidget = self.welcome
        if self._conversations and self._conversations.current is not None and not self._wants_model:
            page = self.view
        elif self._model is None or self._wants_model:
            page = self.first_run
        self._column.pages.setCurrentWidget(page)

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
        views_change = settings.views != self._settings.views
        self._use_settings(settings)
        if views_change and self._conversations:
            self._conversations.show(self._conversations.current)
        self.settings_changed.emit(settings)
