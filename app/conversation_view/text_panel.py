"""A read-only piece of rich text without scroll bars of its own, from which nothing is ever loaded."""

import html

from PySide6.QtCore import QByteArray, QMimeData, Qt, QUrl, Signal
from PySide6.QtGui import QKeyEvent, QMouseEvent, QPalette, QTextDocument, QTextOption, QWheelEvent
from PySide6.QtWidgets import QFrame, QScrollArea, QTextBrowser, QWidget

from app.conversation_view.scroll_bar import SlimScrollBar
from app.conversation_view.theme import Theme

_SCROLLING_KEYS = {
    Qt.Key.Key_Up,
    Qt.Key.Key_Down,
    Qt.Key.Key_PageUp,
    Qt.Key.Key_PageDown,
    Qt.Key.Key_Home,
    Qt.Key.Key_End,
    Qt.Key.Key_Space,
}
_DRAG_MARGIN = 16
# Qt gives these a meaning inside a document; each is replaced by one that is as long.
_RESERVED = str.maketrans(
    {"\u2029": "\u2028", "\r": "\u2028", "\ufdd0": "\ufffd", "\ufdd1": "\ufffd", "\ufffc": "\ufffd"}
)


class TextPanel(QTextBrowser):
    """The base of prose, code and tables.

    Links are only reported; the panel itself follows none.
    """

    linkActivated = Signal(str)  # noqa: N815 - Qt's way of naming signals

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._bar: SlimScrollBar | None = None
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setOpenLinks(False)
        self.setUndoRedoEnabled(False)
        self.setTabChangesFocus(True)
        self.setFocusPolicy(Qt.FocusPolicy.ClickFocus)
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        # Qt's own mode wraps to the width that the panel has, which is still the old one while a new one is measured.
        self.setLineWrapMode(QTextBrowser.LineWrapMode.FixedPixelWidth)
        self.setWordWrapMode(QTextOption.WrapMode.WrapAtWordBoundaryOrAnywhere)
        self.viewport().setAutoFillBackground(False)
        self.document().setDocumentMargin(0)
        self.anchorClicked.connect(self._report_link)
        self.highlighted.connect(self._show_target)
        self._apply_palette()

    @property
    def tab_stop(self) -> QWidget:
        """What the Tab key reaches, if anything."""
        return self

    def scroll_sideways(self) -> None:
        """Show a scroll bar where the content is wider than the panel."""
        self._bar = SlimScrollBar(Qt.Orientation.Horizontal, self._theme, self)
        self.setHorizontalScrollBar(self._bar)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAsNeeded)

    def arrange(self, width: int) -> int:
        """Take a width in pixels; returns the height that the content needs then."""
        self.setLineWrapColumnOrWidth(width)
        return round(self.document().size().height() + 0.49)

    def apply_theme(self, theme: Theme) -> None:
        """Change the colours; the content stays."""
        self._theme = theme
        self._apply_palette()
        if self._bar is not None:
            self._bar.apply_theme(theme)

    def find_in(self, message: QWidget, term: str) -> int | None:
        """Select the first word of a search term that this panel has; returns how far down in its message it stands."""
        for word in (term, *term.split()):
            found = self.document().find(displayable(word))
            if not found.isNull():
                self.setTextCursor(found)
                return self.mapTo(message, self.cursorRect(found).center()).y()
        return None

    def selected_text(self) -> str:
        """The selected characters as plain text."""
        return self.textCursor().selectedText().replace("\u2029", "\n").replace("\u2028", "\n")

    def loadResource(self, kind: int, name: QUrl | str) -> QByteArray:  # noqa: ARG002, N802 - Qt's own name
        """Load nothing, from wherever; the empty value keeps the document from reading a file by itself."""
        return QByteArray()

    def doSetSource(  # noqa: N802 - Qt's own name
        self, name: QUrl | str, kind: QTextDocument.ResourceType = QTextDocument.ResourceType.UnknownResource
    ) -> None:
        """Never replace the content by a file."""

    def createMimeDataFromSelection(self) -> QMimeData:  # noqa: N802 - Qt's own name
        """Copy plain text: the colours of a theme do not belong into a letter."""
        data = QMimeData()
        data.setText(self.selected_text())
        return data

    def wheelEvent(self, event: QWheelEvent) -> None:  # noqa: N802 - Qt's own name
        """Scroll sideways here, also with Shift, and let the conversation scroll up and down."""
        bar = self.horizontalScrollBar()
        if event.modifiers() & Qt.KeyboardModifier.ShiftModifier and bar.maximum() > 0:
            bar.setValue(bar.value() - event.angleDelta().y() // 2)
            event.accept()
        elif abs(event.angleDelta().x()) > abs(event.angleDelta().y()):
            super().wheelEvent(event)
        else:
            event.ignore()

    def mousePressEvent(self, event: QMouseEvent) -> None:  # noqa: N802 - Qt's own name
        """Begin a new selection inside an old one, too: dragging text away would hold the window until the drop."""
        cursor = self.textCursor()
        extends = event.modifiers() & Qt.KeyboardModifier.ShiftModifier
        if event.button() == Qt.MouseButton.LeftButton and cursor.hasSelection() and not extends:
            cursor.clearSelection()
            self.setTextCursor(cursor)
        super().mousePressEvent(event)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:  # noqa: N802 - Qt's own name
        """Scroll the conversation along when text is selected beyond what is visible."""
        super().mouseMoveEvent(event)
        area = self.parentWidget()
        while area is not None and not isinstance(area, QScrollArea):
            area = area.parentWidget()
        page = area.widget() if area is not None else None
        if area is not None and page is not None and event.buttons() & Qt.MouseButton.LeftButton:
            point = self.mapTo(page, event.position().toPoint())
            area.ensureVisible(area.horizontalScrollBar().value(), point.y(), 0, _DRAG_MARGIN)

    def keyPressEvent(self, event: QKeyEvent) -> None:  # noqa: N802 - Qt's own name
        """Leave the keys that scroll to the conversation."""
        if event.key() in _SCROLLING_KEYS and not event.modifiers() & Qt.KeyboardModifier.ShiftModifier:
            event.ignore()
        else:
            super().keyPressEvent(event)

    def _apply_palette(self) -> None:
        palette = self.palette()
        palette.setColor(QPalette.ColorRole.Text, self._theme.text)
        palette.setColor(QPalette.ColorRole.Base, Qt.GlobalColor.transparent)
        palette.setColor(QPalette.ColorRole.Highlight, self._theme.selection)
        palette.setColor(QPalette.ColorRole.HighlightedText, self._theme.selected_text)
        self.setPalette(palette)

    def _report_link(self, url: QUrl) -> None:
        self.linkActivated.emit(url.toString(QUrl.ComponentFormattingOption.FullyEncoded))

    def _show_target(self, url: QUrl) -> None:
        # A tool tip takes what looks like HTML for HTML.
        self.setToolTip(f"<span>{html.escape(url.toString())}</span>" if not url.isEmpty() else "")


def displayable(text: str) -> str:
    """Replace the characters that a document would take for its own structure; lengths stay."""
    return text.translate(_RESERVED)


def utf16_length(text: str) -> int:
    """How long Qt takes a text to be."""
    return len(text) if text.isascii() else len(text.encode("utf-16-le", "surrogatepass")) // 2
