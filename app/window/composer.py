"""Where the question is typed: a field that grows, with the buttons for sending and stopping."""

from math import ceil

from PySide6.QtCore import QEvent, Qt, Signal
from PySide6.QtGui import QFocusEvent, QInputMethodEvent, QKeyEvent
from PySide6.QtWidgets import QFrame, QHBoxLayout, QPlainTextEdit, QPushButton, QSizePolicy, QWidget

MOST_LINES = 8


class QuestionEdit(QPlainTextEdit):
    """A plain text field in which Enter sends and Shift+Enter breaks the line."""

    submitted = Signal()
    focus_changed = Signal(bool)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._composing = False
        self.setTabChangesFocus(True)
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAsNeeded)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.document().setDocumentMargin(4)
        self.document().documentLayout().documentSizeChanged.connect(self._fit)
        self._fit()

    def keyPressEvent(self, event: QKeyEvent) -> None:  # noqa: N802 - Qt's own name
        """Send on Enter, unless an input method is composing: there Enter confirms a candidate."""
        is_enter = event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter)
        if is_enter and self._composing:
            event.accept()
        elif is_enter and not event.modifiers() & ~Qt.KeyboardModifier.KeypadModifier:
            self.submitted.emit()
        else:
            super().keyPressEvent(event)

    def inputMethodEvent(self, event: QInputMethodEvent) -> None:  # noqa: N802 - Qt's own name
        """Remember whether an input method is composing."""
        self._composing = bool(event.preeditString())
        super().inputMethodEvent(event)

    def focusInEvent(self, event: QFocusEvent) -> None:  # noqa: N802 - Qt's own name
        """Tell the frame, which draws the focus."""
        super().focusInEvent(event)
        self.focus_changed.emit(True)

    def focusOutEvent(self, event: QFocusEvent) -> None:  # noqa: N802 - Qt's own name
        """Tell the frame, which draws the focus."""
        self._composing = False
        super().focusOutEvent(event)
        self.focus_changed.emit(False)

    def changeEvent(self, event: QEvent) -> None:  # noqa: N802 - Qt's own name
        """Fit again when the font changes."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.FontChange:
            self._fit()

    def _fit(self) -> None:
        # A plain text document measures its height in lines.
        lines = min(max(int(self.document().documentLayout().documentSize().height()), 1), MOST_LINES)
        # A line with Chinese characters can be higher than the font says, which is that of the Latin ones.
        first = self.document().firstBlock().layout()
        line = max(self.fontMetrics().lineSpacing(), ceil(first.lineAt(0).height()) if first.lineCount() else 0)
        self.setFixedHeight(lines * line + 2 * int(self.document().documentMargin()) + 2)


class Composer(QFrame):
    """The field with its two buttons, of which one is visible at a time."""

    submitted = Signal(str)
    stop_requested = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("composerFrame")
        self.edit = QuestionEdit()
        self.edit.setObjectName("composer")
        self.send_button = QPushButton()
        self.send_button.setObjectName("sendButton")
        self.send_button.setProperty("primary", True)
        self.stop_button = QPushButton()
        self.stop_button.setObjectName("stopButton")
        self.stop_button.hide()
        layout = QHBoxLayout(self)
        layout.setContentsMargins(12, 8, 8, 8)
        layout.addWidget(self.edit, 1)
        for button in (self.send_button, self.stop_button):
            layout.addWidget(button, 0, Qt.AlignmentFlag.AlignBottom)
        self.setFocusProxy(self.edit)
        self.edit.submitted.connect(self._submit)
        self.edit.textChanged.connect(self._update_button)
        self.edit.focus_changed.connect(self._draw_focus)
        self.send_button.clicked.connect(self._submit)
        self.stop_button.clicked.connect(self.stop_requested)
        self._can_send = True
        self._retranslate()
        self._update_button()

    @property
    def draft(self) -> str:
        """What is typed and not sent."""
        return self.edit.toPlainText()

    @draft.setter
    def draft(self, text: str) -> None:
        self.edit.setPlainText(text)
        self.edit.moveCursor(self.edit.textCursor().MoveOperation.End)

    def set_answering(self, answering: bool) -> None:
        """Offer to stop instead of to send."""
        had_focus = self.send_button.hasFocus() or self.stop_button.hasFocus()
        self.send_button.setVisible(not answering)
        self.stop_button.setVisible(answering)
        if had_focus:
            self.edit.setFocus()

    def set_can_send(self, can_send: bool) -> None:
        """Whether there is a model that could answer; one may type in any case."""
        self._can_send = can_send
        self._update_button()

    def _submit(self) -> None:
        if self.draft.strip() and self._can_send and not self.stop_button.isVisibleTo(self):
            self.submitted.emit(self.draft)

    def _update_button(self) -> None:
        self.send_button.setEnabled(self._can_send and bool(self.draft.strip()))

    def _draw_focus(self, focused: bool) -> None:
        self.setProperty("focused", focused)
        self.style().unpolish(self)
        self.style().polish(self)

    def _retranslate(self) -> None:
        self.edit.setPlaceholderText(self.tr("Ask anything"))
        self.edit.setAccessibleName(self.tr("Question"))
        self.edit.setAccessibleDescription(self.tr("Enter sends, Shift+Enter begins a new line"))
        self.send_button.setText(self.tr("Send"))
        self.send_button.setToolTip(self.tr("Send (Enter)"))
        self.send_button.setAccessibleName(self.tr("Send"))
        self.stop_button.setText(self.tr("Stop"))
        self.stop_button.setToolTip(self.tr("Stop the answer (Esc)"))
        self.stop_button.setAccessibleName(self.tr("Stop the answer"))
