"""The conversation: messages in a column, drawn as they stream, followed only while the reader is at the end."""

from collections.abc import Sequence
from time import perf_counter

from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtGui import QPalette, QResizeEvent
from PySide6.QtWidgets import QFrame, QScrollArea, QWidget

from app.conversation_view.context_line import ContextLine
from app.conversation_view.link_dialog import LinkDialog
from app.conversation_view.message import AnswerMessage, MessageWidget, TypedMessage, ViewMessage
from app.conversation_view.scroll_bar import SlimScrollBar
from app.conversation_view.theme import load_theme
from app.conversation_view.work_queue import WorkQueue
from app.markdown import LinkTarget
from engine import ViewSettings

_COLUMN = 760
_NARROWEST_COLUMN = 200
_MARGIN = 24
_CONTEXT_SPACING = 22
_FLUSH_MILLISECONDS = 33
# Drawing that was dear is followed by a pause of so many times its length, or half of it while much is waiting.
_PAUSE_FACTOR = 4
_BACKLOG_PAUSE_FACTOR = 0.5
_DRAWING_SECONDS = 0.008
_FIRST_DRAWING_SECONDS = 0.030
_AT_BOTTOM = 8
# So many heights of the window are built above what is visible; the rest when the reader comes near.
_BUILT_SCREENS = 1.5


_Anchor = tuple[MessageWidget, int]
"""A message, and how many pixels of it are above what is in sight."""


class MessageView(QScrollArea):
    """Shows one conversation.

    Messages get their widgets from the newest to the oldest, and no more of them than the reader is near to. All
    drawing is cut into portions, so that neither a burst of text nor a long history holds the window up.
    """

    copyRequested = Signal(int)  # noqa: N815 - Qt's way of naming signals
    regenerateRequested = Signal(int)  # noqa: N815 - Qt's way of naming signals
    editRequested = Signal(int)  # noqa: N815 - Qt's way of naming signals
    versionRequested = Signal(int, int)  # noqa: N815 - Qt's way of naming signals
    """The id of a message, and the number of the version of it that is wanted, counted from 1."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("messageView")
        self.setAccessibleName(self.tr("Conversation"))
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self._theme = load_theme(dark=False)
        self._views = ViewSettings()
        self._bar = SlimScrollBar(Qt.Orientation.Vertical, self._theme, self)
        self.setVerticalScrollBar(self._bar)
        self._earlier: list[ViewMessage] = []
        self._widgets: dict[int, MessageWidget] = {}
        self._undrawn: list[AnswerMessage] = []
        self._unthemed: list[MessageWidget] = []
        self._sought: tuple[int, str] | None = None
        self._following = True
        self._arranging = False
        self._arranged_width = 0
        self._tab_order_is_old = False
        self._page = QWidget()
        self._page.setAutoFillBackground(True)
        self.setWidget(self._page)
        self._context_line = ContextLine(self._theme, self._page)
        self._context_start: int | None = None
        self._work = WorkQueue(self)
        self._drawing = QTimer(self, singleShot=True)
        self._drawing.timeout.connect(self._draw)
        self._drawing_cost = 0.0
        self._bar.valueChanged.connect(self._note_scrolling)
        self._apply_palette()

    @property
    def is_drawing(self) -> bool:
        """Whether something still waits to be drawn near what is visible."""
        wanted = self._bar.value() < self.viewport().height() * _BUILT_SCREENS
        return bool(self._undrawn) or (bool(self._earlier) and (wanted or self._sought is not None))

    def show_messages(self, messages: Sequence[ViewMessage]) -> None:
        """Show these messages instead of those before, from their end."""
        for widget in self._widgets.values():
            widget.hide()
            widget.deleteLater()
        self._widgets = {}
        self._undrawn = []
        self._unthemed = []
        self._earlier = list(messages)
        self._sought = None
        self._following = True
        self._arrange()
        self._draw(_FIRST_DRAWING_SECONDS)

    def append_message(self, message: ViewMessage) -> None:
        """Add a message at the end and go there."""
        widget = self._build(message)
        self._widgets[message.id] = widget
        if isinstance(widget, AnswerMessage) and widget.has_undrawn:
            self._undrawn.append(widget)
        self._following = True
        self._arrange(widget)
        self._draw()

    def reveal(self, message_id: int, term: str) -> None:
        """Scroll to where a message has a search term, as soon as it is drawn."""
        self._sought = (message_id, term)
        self._draw_soon()
        self._scroll_to_sought()

    def show_context_start(self, message_id: int | None) -> None:
        """Mark the messages above this one as not seen by the model any more; none of them for None."""
        self._context_start = message_id
        self._arrange()

    def append_text(self, message_id: int, text: str) -> None:
        """Add to a streaming answer; it is drawn at most about 30 times a second. Unknown ids are ignored."""
        widget = self._answer(message_id)
        if widget is not None and text:
            widget.append_text(text)
            self._note_undrawn(widget)
            if not self._drawing.isActive():
                self._drawing.start(max(_FLUSH_MILLISECONDS, round(self._drawing_cost * 1000 * _PAUSE_FACTOR)))

    def finish_message(self, message_id: int, footer: str, notice: str) -> None:
        """Show the figures and why the answer ended, as soon as all of its text is drawn."""
        widget = self._answer(message_id)
        if widget is not None:
            widget.finish(footer, notice)
            self._note_undrawn(widget)
            self._draw_soon()

    def set_views(self, views: ViewSettings) -> None:
        """Show the text of answers that are built from now on through these views."""
        self._views = views

    def set_palette_mode(self, dark: bool) -> None:
        """Change to the light or the dark colours where the reader is."""
        self._theme = load_theme(dark)
        self._apply_palette()
        top = self._bar.value()
        bottom = top + self.viewport().height()
        # What is in sight at once, the rest little by little.
        self._unthemed = list(self._widgets.values())
        for widget in list(self._unthemed):
            if widget.y() < bottom and widget.geometry().bottom() > top:
                self._unthemed.remove(widget)
                self._apply_theme(widget)
        self._work.add(self._theme_one)

    def shut_down(self) -> None:
        """End what runs beside the window."""
        self._work.shut_down()

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: N802 - Qt's own name
        """Arrange everything for the new width."""
        super().resizeEvent(event)
        self._arrange()
        self._draw_soon()

    def _build(self, message: ViewMessage) -> MessageWidget:
        widget: MessageWidget
        if message.role == "assistant":
            answer = AnswerMessage(message, self._theme, self._views, self._work, self._page)
            answer.copyRequested.connect(lambda: self.copyRequested.emit(message.id))
            answer.regenerateRequested.connect(lambda: self.regenerateRequested.emit(message.id))
            widget = answer
        else:
            typed = TypedMessage(message, self._theme, self._page)
            typed.editRequested.connect(lambda: self.editRequested.emit(message.id))
            widget = typed
        widget.action_row.versionRequested.connect(lambda number: self.versionRequested.emit(message.id, number))
        widget.linkActivated.connect(self._ask_before_opening)
        widget.show()
        return widget

    def _answer(self, message_id: int) -> AnswerMessage | None:
        """The answer of this id, which is built now if it was not needed so far."""
        while any(message.id == message_id for message in self._earlier):
            self._build_earlier()
        widget = self._widgets.get(message_id)
        return widget if isinstance(widget, AnswerMessage) else None

    def _note_undrawn(self, widget: AnswerMessage) -> None:
        if widget not in self._undrawn:
            self._undrawn.append(widget)

    def _draw(self, seconds: float = _DRAWING_SECONDS) -> None:
        """Draw portions, the newest message first, until the time is over; the rest follows soon."""
        self._drawing.stop()
        started = perf_counter()
        while self.is_drawing and perf_counter() - started < seconds:
            if self._undrawn:
                answer = self._most_urgent()
                answer.draw_some()
                if not answer.has_undrawn:
                    self._undrawn.remove(answer)
                    self._tab_order_is_old = True
                self._arrange(answer)
            else:
                self._build_earlier()
        self._drawing_cost = perf_counter() - started
        self._scroll_to_sought()
        if not self.is_drawing and self._tab_order_is_old:
            self._set_tab_order()
        if self.is_drawing:
            self._drawing.start(max(round(self._drawing_cost * 1000 * _BACKLOG_PAUSE_FACTOR), 1))

    def _most_urgent(self) -> AnswerMessage:
        """The answer to draw next: what is sought, else the newest."""
        sought = self._widgets.get(self._sought[0]) if self._sought else None
        return sought if isinstance(sought, AnswerMessage) and sought in self._undrawn else self._undrawn[-1]

    def _scroll_to_sought(self) -> None:
        widget = self._widgets.get(self._sought[0]) if self._sought else None
        if self._sought is None or widget is None or widget in self._undrawn:
            return
        place = widget.find_term(self._sought[1])
        self._sought = None
        above = _MARGIN if place is None else self.viewport().height() // 3
        self._following = False
        self._bar.setValue(widget.y() + (place or 0) - above)

    def _draw_soon(self) -> None:
        if self.is_drawing and not self._drawing.isActive():
            self._drawing.start(0)

    def _set_tab_order(self) -> None:
        """Let the Tab key go from top to bottom, whatever was built first."""
        self._tab_order_is_old = False
        before: QWidget = self
        for widget in self._widgets.values():
            for stop in widget.tab_stops:
                QWidget.setTabOrder(before, stop)
                before = stop

    def _build_earlier(self) -> None:
        message = self._earlier.pop()
        # Before the new one is there: it has no place yet, and must not be taken for what is read.
        anchor = self._anchor()
        widget = self._build(message)
        self._widgets = {message.id: widget, **self._widgets}
        if isinstance(widget, AnswerMessage) and widget.has_undrawn:
            self._undrawn.insert(0, widget)
        self._arrange(widget, anchor)

    def _column_width(self) -> int:
        return max(min(_COLUMN, self.viewport().width() - 2 * _MARGIN), _NARROWEST_COLUMN)

    def _arrange(self, changed: MessageWidget | None = None, anchor: _Anchor | None = None) -> None:
        """Place every message; what the reader looks at stays where it is, or the end stays in sight.

        Args:
            changed: The only message whose height can have changed; without it each is asked if the width is new.
            anchor: What the reader looks at; found out if it is not given.
        """
        self._arranging = True
        anchor = anchor or self._anchor()
        width = self._column_width()
        # In the middle of the whole view, so that a scroll bar that comes and goes moves nothing.
        left = max((self.width() - width) // 2, 0)
        top = _MARGIN
        self._context_line.setVisible(self._context_start in self._widgets)
        for message_id, widget in self._widgets.items():
            if message_id == self._context_start:
                height = self._context_line.arrange(width)
                self._context_line.setGeometry(left, top, width, height)
                top += height + _CONTEXT_SPACING
            is_new = width != self._arranged_width or widget is changed
            height = widget.arrange(width) if is_new else widget.height()
            widget.setGeometry(left, top, width, height)
            top += height + widget.space_below
        self._arranged_width = width
        self._page.resize(self.viewport().width(), max(top, self.viewport().height()))
        if self._following:
            self._bar.setValue(self._bar.maximum())
        elif anchor is not None:
            widget, offset = anchor
            self._bar.setValue(widget.y() + offset)
        self._arranging = False

    def _anchor(self) -> _Anchor | None:
        """The first message in sight, and how far the reader is into it."""
        value = self._bar.value()
        for widget in self._widgets.values():
            if widget.geometry().bottom() >= value:
                return widget, value - widget.y()
        return None

    def _note_scrolling(self, value: int) -> None:
        if not self._arranging:
            self._following = value >= self._bar.maximum() - _AT_BOTTOM
            self._draw_soon()

    def _ask_before_opening(self, url: str) -> None:
        # Qt gives an empty address for one that it could not open.
        if url:
            LinkDialog(LinkTarget.of(url), self).open()

    def _theme_one(self) -> bool:
        if self._unthemed:
            self._apply_theme(self._unthemed.pop())
        return bool(self._unthemed)

    def _apply_theme(self, widget: MessageWidget) -> None:
        widget.apply_theme(self._theme)
        widget.arrange(self._arranged_width)

    def _apply_palette(self) -> None:
        palette = self.palette()
        palette.setColor(QPalette.ColorRole.Window, self._theme.background)
        self.setPalette(palette)
        self._page.setPalette(palette)
        self.viewport().setPalette(palette)
        self._bar.apply_theme(self._theme)
        self._context_line.apply_theme(self._theme)
