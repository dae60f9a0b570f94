"""A code block: its language, a button that copies exactly the source, and the coloured code."""

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import (
    QColor,
    QFontMetricsF,
    QGuiApplication,
    QPainter,
    QPaintEvent,
    QPen,
    QTextBlockFormat,
    QTextCursor,
    QTextOption,
)
from PySide6.QtWidgets import QLabel, QWidget

from app.conversation_view.buttons import BUTTON_SIZE, ActionButton
from app.conversation_view.code_colours import CodeColours
from app.conversation_view.fonts import code_font, line_height, small_font
from app.conversation_view.text_panel import TextPanel, displayable, utf16_length
from app.conversation_view.theme import Theme
from app.conversation_view.work_queue import WorkQueue
from app.markdown import Code

_LINE_HEIGHT = 1.5
_TAB_COLUMNS = 4
_PADDING = 14
_HEADER = 34


class CodeText(TextPanel):
    """The code itself: unwrapped, scrolled sideways, extended in place while it grows."""

    def __init__(self, theme: Theme, work: WorkQueue, parent: QWidget) -> None:
        super().__init__(theme, parent)
        self._source = ""
        self._colours = CodeColours(self.document(), theme, work)
        font = code_font()
        self.document().setDefaultFont(font)
        self.setLineWrapMode(TextPanel.LineWrapMode.NoWrap)
        self.setWordWrapMode(QTextOption.WrapMode.NoWrap)
        self.setTabStopDistance(QFontMetricsF(font).horizontalAdvance(" ") * _TAB_COLUMNS)
        self.scroll_sideways()
        block_format = QTextBlockFormat()
        block_format.setLineHeight(
            line_height(font, _LINE_HEIGHT), QTextBlockFormat.LineHeightTypes.MinimumHeight.value
        )
        QTextCursor(self.document()).setBlockFormat(block_format)

    @property
    def shown_source(self) -> str:
        """What is shown."""
        return self._source

    def show_source(self, source: str, language: str) -> None:
        """Show this source; what it shares with the one before stays as it is."""
        kept = self._source
        if not source.startswith(kept):
            # A closing fence that arrives in pieces is taken for code at first.
            kept = source if kept.startswith(source) else ""
        cursor = QTextCursor(self.document())
        cursor.beginEditBlock()
        if kept != self._source:
            cursor.setPosition(utf16_length(kept))
            cursor.movePosition(QTextCursor.MoveOperation.End, QTextCursor.MoveMode.KeepAnchor)
            cursor.removeSelectedText()
        cursor.movePosition(QTextCursor.MoveOperation.End)
        cursor.insertText(displayable(source[len(kept) :]))
        cursor.endEditBlock()
        if not kept:
            # The reader's own cursor was carried along, and the panel would scroll to it.
            self.moveCursor(QTextCursor.MoveOperation.Start)
        self._source = source
        self._colours.colour(source, language)

    def arrange(self, width: int) -> int:
        """Take a width; returns the height with the scroll bar where one is needed."""
        size = self.document().size()
        bar = self.horizontalScrollBar().sizeHint().height() if size.width() > width else 0
        return round(size.height() + 0.49) + bar

    def apply_theme(self, theme: Theme) -> None:
        """Change the colours."""
        super().apply_theme(theme)
        self._colours.apply_theme(theme)


class CodeBlock(QWidget):
    """A code block with its header."""

    def __init__(self, theme: Theme, work: WorkQueue, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._label = QLabel(self)
        self._label.setTextFormat(Qt.TextFormat.PlainText)
        self._label.setFont(small_font())
        self.text = CodeText(theme, work, self)
        self._copy = ActionButton("copy", self.tr("Copy code"), theme, self)
        self._copy.clicked.connect(self.copy)
        self._apply_label_colour()

    @property
    def tab_stop(self) -> QWidget:
        """What the Tab key reaches."""
        return self._copy

    def show_code(self, code: Code) -> None:
        """Show this code block."""
        self._label.setText(code.language)
        self.text.setAccessibleName(
            self.tr("Code in {language}").format(language=code.language) if code.language else self.tr("Code")
        )
        if code.source != self.text.shown_source:
            self.text.show_source(code.source, code.language)

    def copy(self) -> None:
        """Put exactly the source on the clipboard."""
        QGuiApplication.clipboard().setText(self.text.shown_source)
        self._copy.show_done()

    def find_in(self, message: QWidget, term: str) -> int | None:
        """Select a search term; see `TextPanel`."""
        return self.text.find_in(message, term)

    def arrange(self, width: int) -> int:
        """Take a width; returns the height."""
        inner = width - 2 * _PADDING
        self._label.setGeometry(_PADDING, 0, inner - BUTTON_SIZE, _HEADER)
        self._copy.move(width - BUTTON_SIZE - 6, (_HEADER - BUTTON_SIZE) // 2)
        height = self.text.arrange(inner)
        self.text.setGeometry(_PADDING, _HEADER, inner, height)
        return _HEADER + height + 10

    def apply_theme(self, theme: Theme) -> None:
        """Change the colours."""
        self._theme = theme
        self.text.apply_theme(theme)
        self._copy.apply_theme(theme)
        self._apply_label_colour()
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: ARG002, N802 - Qt's own name
        """Draw the field behind the code."""
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(QPen(QColor(self._theme.border), 1))
        painter.setBrush(QColor(self._theme.code_background))
        painter.drawRoundedRect(QRectF(self.rect()).adjusted(0.5, 0.5, -0.5, -0.5), 8, 8)

    def _apply_label_colour(self) -> None:
        palette = self._label.palette()
        palette.setColor(self._label.foregroundRole(), self._theme.muted)
        self._label.setPalette(palette)
