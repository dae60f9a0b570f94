"""One message: what a person typed in a quiet bubble, or an answer with its figures and actions."""

from dataclasses import dataclass
from math import ceil

from PySide6.QtCore import QEvent, QRectF, Qt, Signal
from PySide6.QtGui import QColor, QEnterEvent, QFontMetricsF, QPainter, QPaintEvent, QTextBlockFormat, QTextCursor
from PySide6.QtWidgets import QLabel, QWidget

from app.conversation_view.action_row import ActionRow
from app.conversation_view.answer_body import AnswerBody
from app.conversation_view.buttons import BUTTON_SIZE
from app.conversation_view.fonts import line_height, prose_font, small_font
from app.conversation_view.prose import LINE_HEIGHT
from app.conversation_view.text_panel import TextPanel, displayable
from app.conversation_view.theme import Theme
from app.conversation_view.work_queue import WorkQueue
from app.eliding_label import ElidingLabel
from app.markdown import StreamingMarkdown
from engine import Presenter, Role, ViewSettings

_BUBBLE_PADDING = (16, 10)
_BUBBLE_SHARE = 0.82
_LONG_LINE = 200
_UNBOUNDED = 1 << 20
_NOTICE_SPACING = 8
# So many characters are read and drawn in one step.
_PORTION = 40


@dataclass(frozen=True, slots=True)
class ViewMessage:
    """A message as the conversation shows it.

    Attributes:
        id: Its row in the history.
        role: Who speaks.
        text: The original text: Markdown for an answer, shown as typed for the others.
        footer: A small line of figures under an answer.
        notice: Why an answer ended early, failed or was interrupted; empty if there is nothing to say.
        version: Which of its versions it is, counted from 1.
        versions: How many versions of it there are.
    """

    id: int
    role: Role
    text: str
    footer: str = ""
    notice: str = ""
    version: int = 1
    versions: int = 1


class MessageWidget(QWidget):
    """What both kinds of message have in common: they take a width and tell their height."""

    linkActivated = Signal(str)  # noqa: N815 - Qt's way of naming signals

    space_below = 22
    """Pixels between this message and the next one."""

    def __init__(self, message: ViewMessage, theme: Theme, parent: QWidget) -> None:
        super().__init__(parent)
        self._theme = theme
        self.action_row = ActionRow(theme, self)
        self.action_row.show_version(message.version, message.versions)

    @property
    def tab_stops(self) -> list[QWidget]:
        """What the Tab key reaches, from top to bottom."""
        return self.action_row.tab_stops

    def enterEvent(self, event: QEnterEvent) -> None:  # noqa: N802 - Qt's own name
        """Show the actions under the pointer."""
        super().enterEvent(event)
        self.action_row.reveal(True)

    def leaveEvent(self, event: QEvent) -> None:  # noqa: N802 - Qt's own name
        """Hide the actions again."""
        super().leaveEvent(event)
        self.action_row.reveal(False)

    def arrange(self, width: int) -> int:
        """Take a width in pixels; returns the height that is needed then."""
        raise NotImplementedError

    def apply_theme(self, theme: Theme) -> None:
        """Change the colours."""
        raise NotImplementedError

    def find_term(self, term: str) -> int | None:
        """Select the first place that has a search term, and tell how far down it is, in pixels; None if none has."""
        raise NotImplementedError


class TypedMessage(MessageWidget):
    """What a person typed, exactly as typed."""

    # The line of its actions, most often empty, is space enough.
    space_below = 10

    editRequested = Signal()  # noqa: N815 - Qt's way of naming signals

    def __init__(self, message: ViewMessage, theme: Theme, parent: QWidget) -> None:
        super().__init__(message, theme, parent)
        if message.role == "user":
            self.action_row.add("edit", self.tr("Edit the question")).clicked.connect(self.editRequested)
        self.action_row.reveal(False)
        self._bubble = QRectF()
        self.text = TextPanel(theme, self)
        self.text.document().setDefaultFont(prose_font())
        self.text.setPlainText(displayable(message.text))
        self.text.setAccessibleName(self.tr("Your message") if message.role == "user" else self.tr("Instruction"))
        cursor = QTextCursor(self.text.document())
        cursor.select(QTextCursor.SelectionType.Document)
        block_format = QTextBlockFormat()
        height = line_height(prose_font(), LINE_HEIGHT)
        block_format.setLineHeight(height, QTextBlockFormat.LineHeightTypes.MinimumHeight.value)
        cursor.mergeBlockFormat(block_format)
        self._natural_width = _natural_width(self.text.toPlainText())

    def arrange(self, width: int) -> int:
        """Take a width; the bubble is as wide as its text needs, at the right."""
        across, down = _BUBBLE_PADDING
        widest = round(width * _BUBBLE_SHARE) - 2 * across
        needed = min(widest, self._natural_width)
        height = self.text.arrange(needed)
        left = width - needed - across
        self.text.setGeometry(left, down, needed, height)
        self._bubble = QRectF(left - across, 0, needed + 2 * across, height + 2 * down)
        self.action_row.move(width - self.action_row.width(), height + 2 * down)
        self.update()
        return height + 2 * down + BUTTON_SIZE

    def apply_theme(self, theme: Theme) -> None:
        """Change the colours."""
        self._theme = theme
        self.text.apply_theme(theme)
        self.action_row.apply_theme(theme)
        self.update()

    def find_term(self, term: str) -> int | None:
        """Select a search term; see `MessageWidget`."""
        return self.text.find_in(self, term)

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: ARG002, N802 - Qt's own name
        """Draw the bubble."""
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(QColor(self._theme.bubble))
        painter.drawRoundedRect(self._bubble, 14, 14)


class AnswerMessage(MessageWidget):
    """An answer: its blocks, a notice where there is one, and a line with actions and figures."""

    copyRequested = Signal()  # noqa: N815 - Qt's way of naming signals
    regenerateRequested = Signal()  # noqa: N815 - Qt's way of naming signals

    def __init__(
        self, message: ViewMessage, theme: Theme, views: ViewSettings, work: WorkQueue, parent: QWidget
    ) -> None:
        super().__init__(message, theme, parent)
        self._presenter = Presenter(views)
        self._undrawn: list[str] = []
        self._ending: tuple[str, str] | None = None
        self._stream = StreamingMarkdown()
        self.body = AnswerBody(theme, work, self)
        self.body.linkActivated.connect(self.linkActivated)
        self._waiting = self._label(small=False)
        self._waiting.setText("…")
        self._notice = self._label(small=True)
        self._notice.setWordWrap(True)
        self._footer = ElidingLabel(self)
        self._footer.setFont(small_font())
        self._copy = self.action_row.add("copy", self.tr("Copy answer"))
        self._copy.clicked.connect(self._request_copy)
        self.action_row.add("regenerate", self.tr("Answer again")).clicked.connect(self.regenerateRequested)
        self.setAccessibleName(self.tr("Answer"))
        self.action_row.reveal(False)
        self._colour_labels()
        self._set_finished(False)
        self.append_text(message.text)
        if message.text or message.footer or message.notice:
            self.finish(message.footer, message.notice)

    @property
    def tab_stops(self) -> list[QWidget]:
        """What the Tab key reaches, from top to bottom."""
        return [*(panel.tab_stop for panel in self.body.panels), *super().tab_stops]

    @property
    def has_undrawn(self) -> bool:
        """Whether text or the end of the answer waits to be drawn."""
        return bool(self._undrawn) or self._ending is not None

    def append_text(self, text: str) -> None:
        """Add to the answer's original Markdown; it is drawn by `draw_some`."""
        if text:
            self._undrawn.append(text)
            self._ending = None
            self._set_finished(False)

    def finish(self, footer: str, notice: str) -> None:
        """Take the figures and why it ended, to be shown when all of the text is."""
        self._ending = (footer, notice)

    def draw_some(self) -> None:
        """Draw the next portion of what waits."""
        if self._undrawn:
            text = "".join(self._undrawn)
            # The tail is read again each time: a long one in larger portions.
            size = max(_PORTION, self._stream.tail_length // 2)
            self._undrawn = [text[size:]] if len(text) > size else []
            self._show(self._presenter.feed(text[:size]))
        if self._ending is not None and not self._undrawn:
            self._show(self._presenter.flush())
            self._show_ending(*self._ending)
            self._ending = None

    def _show(self, text: str) -> None:
        if text:
            self.body.show_update(self._stream.feed(text))
            self._waiting.hide()

    def _show_ending(self, footer: str, notice: str) -> None:
        self._footer.setText(footer)
        self._notice.setText(notice)
        self._notice.setVisible(bool(notice))
        self._waiting.hide()
        self._set_finished(True)

    def arrange(self, width: int) -> int:
        """Take a width; returns the height."""
        height = self.body.arrange(width)
        self.body.setGeometry(0, 0, width, height)
        if self._waiting.isVisibleTo(self):
            self._waiting.adjustSize()
            height = self._waiting.height()
        if self._notice.isVisibleTo(self):
            height += _NOTICE_SPACING if height else 0
            needed = self._notice.heightForWidth(width)
            self._notice.setGeometry(0, height, width, needed)
            height += needed
        # The line of actions always has its place, so that nothing moves when it fills.
        top = height + 4
        row = self.action_row.width()
        figures = min(self._footer.sizeHint().width(), width - row) if self._footer.text() else 0
        self._footer.setGeometry(0, top, figures, BUTTON_SIZE)
        self.action_row.move(figures + 8 if figures else -6, top)
        return top + BUTTON_SIZE

    def apply_theme(self, theme: Theme) -> None:
        """Change the colours."""
        self._theme = theme
        self.body.apply_theme(theme)
        self.action_row.apply_theme(theme)
        self._colour_labels()

    def find_term(self, term: str) -> int | None:
        """Select a search term; see `MessageWidget`."""
        places = (panel.find_in(self, term) for panel in self.body.panels)
        return next((place for place in places if place is not None), None)

    def _request_copy(self) -> None:
        self._copy.show_done()
        self.copyRequested.emit()

    def _set_finished(self, finished: bool) -> None:
        for widget in (self.action_row, self._footer):
            widget.setVisible(finished)

    def _label(self, small: bool) -> QLabel:
        label = QLabel(self)
        label.setTextFormat(Qt.TextFormat.PlainText)
        label.setFont(small_font() if small else prose_font())
        return label

    def _colour_labels(self) -> None:
        for label, colour in (
            (self._waiting, self._theme.muted),
            (self._notice, self._theme.notice),
            (self._footer, self._theme.muted),
        ):
            palette = label.palette()
            palette.setColor(label.foregroundRole(), colour)
            label.setPalette(palette)


def _natural_width(text: str) -> int:
    """The width that a typed text takes unwrapped, in pixels; more than any window has where a line is long.

    The document itself would tell only after a layout without wrapping, which is one too many.
    """
    lines = text.split("\n")
    if max(map(len, lines)) > _LONG_LINE or "\t" in text:
        return _UNBOUNDED
    metrics = QFontMetricsF(prose_font())
    return ceil(max(map(metrics.horizontalAdvance, lines))) + 1
