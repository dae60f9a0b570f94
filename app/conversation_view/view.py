"""The conversation: messages in a column, drawn as they stream, followed only while the reader is at the end."""

from collections.abc import Sequence
from time import perf_counter

from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtGui import QPalette, QResizeEvent
from PySide6.QtWidgets import QFrame, QScrollArea, QWidget

from app.conversation_view.link_dialog import LinkDialog
from app.conversation_view.message import AnswerMessage, MessageWidget, TypedMessage, ViewMessage
from app.conversation_view.theme import load_theme, scroll_bar_style
from app.markdown import LinkTarget

_COLUMN = 760
_MARGIN = 24
_SPACING = 22
_FLUSH_MILLISECONDS = 33
# A flush that was dear is followed by a pause of so many times its length.
_PAUSE_FACTOR = 4
_AT_BOTTOM = 8
# So many heights of the window are built at once; the rest when the reader comes near.
_BUILT_SCREENS = 2


class MessageView(QScrollArea):
    """Shows one conversation.

    Only the newest messages get their widgets at once; earlier ones follow as the reader scrolls up.
    """

    copyRequested = Signal(int)  # noqa: N815 - Qt's way of naming signals
    regenerateRequested = Signal(int)  # noqa: N815 - Qt's way of naming signals

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("messageView")
        self.setAccessibleName(self.tr("Conversation"))
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self._theme = load_theme(dark=False)
        self._earlier: list[ViewMessage] = []
        self._widgets: dict[int, MessageWidget] = {}
        self._pending: dict[int, list[str]] = {}
        self._following = True
        self._arranging = False
        self._page = QWidget()
        self._page.setAutoFillBackground(True)
        self.setWidget(self._page)
        self._flush_timer = QTimer(self, singleShot=True)
        self._flush_timer.timeout.connect(self._flush)
        self._pause = _FLUSH_MILLISECONDS
        self.verticalScrollBar().valueChanged.connect(self._note_scrolling)
        self._apply_palette()

    def show_messages(self, messages: Sequence[ViewMessage]) -> None:
        """Show these messages instead of those before, from their end."""
        for widget in self._widgets.values():
            widget.hide()
            widget.deleteLater()
        self._widgets = {}
        self._pending = {}
        self._earlier = list(messages)
        self._following = True
        self._arrange()
        self._build_earlier()

    def append_message(self, message: ViewMessage) -> None:
        """Add a message at the end and go there."""
        self._widgets[message.id] = self._build(message)
        self._following = True
        self._arrange()

    def append_text(self, message_id: int, text: str) -> None:
        """Add to a streaming answer; it is drawn at most about 30 times a second. Unknown ids are ignored."""
        if not isinstance(self._widgets.get(message_id), AnswerMessage):
            return
        self._pending.setdefault(message_id, []).append(text)
        if not self._flush_timer.isActive():
            self._flush_timer.start(self._pause)

    def finish_message(self, message_id: int, footer: str, notice: str) -> None:
        """Draw what is still waiting, then show the figures and why the answer ended."""
        self._flush()
        widget = self._widgets.get(message_id)
        if isinstance(widget, AnswerMessage):
            widget.finish(footer, notice)
            self._arrange()

    def set_palette_mode(self, dark: bool) -> None:
        """Change to the light or the dark colours where the reader is."""
        self._theme = load_theme(dark)
        self._apply_palette()
        for widget in self._widgets.values():
            widget.apply_theme(self._theme)
        self._arrange()

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: N802 - Qt's own name
        """Arrange everything for the new width."""
        super().resizeEvent(event)
        self._arrange()
        self._build_earlier()

    def _build(self, message: ViewMessage) -> MessageWidget:
        widget: MessageWidget
        if message.role == "assistant":
            answer = AnswerMessage(message, self._theme, self._page)
            answer.copyRequested.connect(lambda: self.copyRequested.emit(message.id))
            answer.regenerateRequested.connect(lambda: self.regenerateRequested.emit(message.id))
            widget = answer
        else:
            widget = TypedMessage(message, self._theme, self._page)
        widget.linkActivated.connect(self._ask_before_opening)
        widget.show()
        return widget

    def _build_earlier(self) -> None:
        """Build earlier messages until enough of them stand above what is visible."""
        wanted = self.viewport().height() * _BUILT_SCREENS
        built: dict[int, MessageWidget] = {}
        height = self.verticalScrollBar().value()
        if not self._widgets:
            height = 0
        width = self._column_width()
        while self._earlier and height < wanted:
            message = self._earlier.pop()
            built[message.id] = self._build(message)
            height += built[message.id].arrange(width) + _SPACING
        if built:
            self._widgets = dict(reversed(built.items())) | self._widgets
            self._arrange()

    def _flush(self) -> None:
        self._flush_timer.stop()
        started = perf_counter()
        pending, self._pending = self._pending, {}
        for message_id, pieces in pending.items():
            widget = self._widgets.get(message_id)
            if isinstance(widget, AnswerMessage):
                widget.append_text("".join(pieces))
                self._arrange()
        self._pause = max(_FLUSH_MILLISECONDS, round((perf_counter() - started) * 1000 * _PAUSE_FACTOR))

    def _column_width(self) -> int:
        return max(min(_COLUMN, self.viewport().width() - 2 * _MARGIN), 200)

    def _arrange(self) -> None:
        """Place every message; what the reader looks at stays where it is, or the end stays in sight."""
        self._arranging = True
        anchor = self._anchor()
        width = self._column_width()
        left = max((self.viewport().width() - width) // 2, 0)
        top = _MARGIN
        for widget in self._widgets.values():
            height = widget.arrange(width)
            widget.setGeometry(left, top, width, height)
            top += height + _SPACING
        self._page.resize(self.viewport().width(), max(top, self.viewport().height()))
        bar = self.verticalScrollBar()
        if self._following:
            bar.setValue(bar.maximum())
        elif anchor is not None:
            widget, offset = anchor
            bar.setValue(widget.y() + offset)
        self._arranging = False

    def _anchor(self) -> tuple[MessageWidget, int] | None:
        """The first message in sight, and how far the reader is into it."""
        value = self.verticalScrollBar().value()
        for widget in self._widgets.values():
            if widget.height() and widget.geometry().bottom() >= value:
                return widget, value - widget.y()
        return None

    def _note_scrolling(self, value: int) -> None:
        if self._arranging:
            return
        self._following = value >= self.verticalScrollBar().maximum() - _AT_BOTTOM
        if self._earlier and value < self.viewport().height():
            self._build_earlier()

    def _ask_before_opening(self, url: str) -> None:
        LinkDialog(LinkTarget.of(url), self).open()

    def _apply_palette(self) -> None:
        palette = self._page.palette()
        palette.setColor(QPalette.ColorRole.Window, self._theme.background)
        self.setPalette(palette)
        self._page.setPalette(palette)
        self.viewport().setPalette(palette)
        self.verticalScrollBar().setStyleSheet(scroll_bar_style(self._theme))
