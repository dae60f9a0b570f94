"""The list of conversations, grouped by time, or what a search has found."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from typing import TYPE_CHECKING

from PySide6.QtCore import (
    QAbstractListModel,
    QModelIndex,
    QPersistentModelIndex,
    QPoint,
    QRect,
    QSize,
    Qt,
    Signal,
)
from PySide6.QtGui import QColor, QFont, QKeyEvent, QMouseEvent, QPainter, QPen
from PySide6.QtWidgets import (
    QListView,
    QMenu,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QWidget,
)

from app.theme import WindowTheme, load_window_theme

if TYPE_CHECKING:
    from app.history import Conversation, SearchHit

Index = QModelIndex | QPersistentModelIndex


@dataclass(frozen=True, slots=True)
class Row:
    """A row of the list.

    Attributes:
        title: The heading of a group, or the title of a conversation.
        conversation_id: None for a heading.
        excerpt: What a search found, else empty.
        matched: Where in the excerpt, or in the title where there is no excerpt, the word stands.
        message_id: The message that the excerpt is from; None where there is no excerpt.
    """

    title: str
    conversation_id: int | None = None
    excerpt: str = ""
    matched: tuple[int, int] = (0, 0)
    message_id: int | None = None


class ConversationListModel(QAbstractListModel):
    """Rows of headings and conversations."""

    renamed = Signal(int, str)

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self._rows: list[Row] = []

    def show_conversations(self, conversations: Sequence["Conversation"], today: date) -> None:
        """Show the conversations, the newest first, below the headings of their time."""
        rows: list[Row] = []
        heading = ""
        for conversation in conversations:
            group = self._group(datetime.fromtimestamp(conversation.updated).date(), today)
            if group != heading:
                rows.append(Row(heading := group))
            rows.append(Row(conversation.title or self.tr("New conversation"), conversation.id))
        self._replace(rows)

    def show_hits(self, hits: Sequence["SearchHit"]) -> None:
        """Show what a search has found."""
        heading = self.tr("Found") if hits else self.tr("Nothing found")
        titles = {hit.conversation_id: hit.excerpt for hit in hits if hit.message_id is None}
        found = [
            Row(hit.title, hit.conversation_id, hit.excerpt if hit.message_id else "", hit.matched, hit.message_id)
            for hit in hits
            # A title is made from the question, which would only say the same again.
            if hit.message_id is None or hit.excerpt != titles.get(hit.conversation_id)
        ]
        self._replace([Row(heading), *found])

    def row(self, index: Index) -> Row:
        """The row of an index."""
        return self._rows[index.row()]

    def index_of(self, conversation_id: int | None) -> QModelIndex:
        """The first row of a conversation, or an invalid index."""
        for number, row in enumerate(self._rows):
            if conversation_id is not None and row.conversation_id == conversation_id:
                return self.index(number)
        return QModelIndex()

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: N802, B008 - Qt's own name and default
        """How many rows there are."""
        return 0 if parent.isValid() else len(self._rows)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        """The title, for the view, for editing and for screen readers."""
        row = self.row(index)
        if role in (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.EditRole):
            return row.title
        if role == Qt.ItemDataRole.AccessibleTextRole:
            return f"{row.title}: {row.excerpt}" if row.excerpt else row.title
        return None

    def flags(self, index: Index) -> Qt.ItemFlag:
        """Headings can be neither chosen nor renamed."""
        if self.row(index).conversation_id is None:
            return Qt.ItemFlag.NoItemFlags
        return Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemIsSelectable | Qt.ItemFlag.ItemIsEditable

    def setData(self, index: Index, value: object, role: int = Qt.ItemDataRole.EditRole) -> bool:  # noqa: N802
        """Rename a conversation."""
        row = self.row(index)
        title = str(value).strip()
        if role != Qt.ItemDataRole.EditRole or row.conversation_id is None or not title or title == row.title:
            return False
        self.renamed.emit(row.conversation_id, title)
        return True

    def _replace(self, rows: list[Row]) -> None:
        self.beginResetModel()
        self._rows = rows
        self.endResetModel()

    def _group(self, day: date, today: date) -> str:
        if day >= today:
            return self.tr("Today")
        if day == today - timedelta(days=1):
            return self.tr("Yesterday")
        return self.tr("Previous 7 days") if day > today - timedelta(days=8) else self.tr("Earlier")


class _RowDelegate(QStyledItemDelegate):
    """Draws headings small, titles on one line, and below a title what a search has found, the word marked."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.theme = load_window_theme(dark=False)

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:  # noqa: N802 - Qt's own name
        model = index.model()
        assert isinstance(model, ConversationListModel)
        row = model.row(index)
        line = option.fontMetrics.height()
        if row.conversation_id is None:
            return QSize(0, line + 18)
        return QSize(0, line + 14 + (line + 2 if row.excerpt else 0))

    def updateEditorGeometry(self, editor: QWidget, option: QStyleOptionViewItem, index: Index) -> None:  # noqa: ARG002, N802
        """Put the editor of a title where the title is drawn."""
        editor.setGeometry(QRect(option.rect).adjusted(8, 1, -8, -1))

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        model = index.model()
        assert isinstance(model, ConversationListModel)
        row = model.row(index)
        theme = self.theme
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        area = QRect(option.rect).adjusted(8, 1, -8, -1)
        text_area = area.adjusted(10, 0, -10, 0)
        if row.conversation_id is None:
            font = QFont(option.font)
            font.setPointSizeF(font.pointSizeF() * 0.88)
            font.setBold(True)
            painter.setFont(font)
            painter.setPen(QColor(theme.muted))
            painter.drawText(text_area.adjusted(0, 8, 0, 0), Qt.AlignmentFlag.AlignVCenter, row.title)
            painter.restore()
            return
        self._draw_background(painter, option, area)
        line = option.fontMetrics.height()
        title_area = QRect(text_area.left(), area.top() + 6, text_area.width(), line)
        painter.setPen(QColor(theme.text))
        if row.excerpt or not row.matched[1]:
            title = option.fontMetrics.elidedText(row.title, Qt.TextElideMode.ElideRight, title_area.width())
            painter.drawText(title_area, Qt.AlignmentFlag.AlignVCenter, title)
        else:
            self._draw_match(painter, option, title_area, row.title, row.matched)
        if row.excerpt:
            painter.setPen(QColor(theme.muted))
            self._draw_match(painter, option, title_area.translated(0, line + 2), row.excerpt, row.matched)
        painter.restore()

    def _draw_background(self, painter: QPainter, option: QStyleOptionViewItem, area: QRect) -> None:
        theme = self.theme
        painter.setPen(Qt.PenStyle.NoPen)
        if option.state & QStyle.StateFlag.State_Selected:
            painter.setBrush(QColor(theme.selected))
            painter.drawRoundedRect(area, 7, 7)
        elif option.state & QStyle.StateFlag.State_MouseOver:
            painter.setBrush(QColor(theme.hover))
            painter.drawRoundedRect(area, 7, 7)
        if option.state & QStyle.StateFlag.State_HasFocus:
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.setPen(QPen(QColor(theme.focus), 1.5))
            painter.drawRoundedRect(area, 7, 7)

    def _draw_match(
        self, painter: QPainter, option: QStyleOptionViewItem, area: QRect, text: str, matched: tuple[int, int]
    ) -> None:
        start, end = matched
        metrics = option.fontMetrics
        # What stands before the word is cut from its left, so that the word itself is always in sight.
        before = metrics.elidedText(text[:start], Qt.TextElideMode.ElideLeft, area.width() // 2)
        left = area.left() + metrics.horizontalAdvance(before)
        width = metrics.horizontalAdvance(text[start:end])
        theme = self.theme
        pen = painter.pen()
        painter.drawText(area, Qt.AlignmentFlag.AlignVCenter, before)
        painter.fillRect(QRect(left, area.top(), width, area.height()), QColor(theme.highlight))
        painter.setPen(QColor(theme.highlight_text))
        painter.drawText(QRect(left, area.top(), width, area.height()), Qt.AlignmentFlag.AlignVCenter, text[start:end])
        painter.setPen(pen)
        rest = area.adjusted(left + width - area.left(), 0, 0, 0)
        after = metrics.elidedText(text[end:], Qt.TextElideMode.ElideRight, max(rest.width(), 0))
        painter.drawText(rest, Qt.AlignmentFlag.AlignVCenter, after)


class ConversationList(QListView):
    """The list; choosing, renaming and deleting are told by signals."""

    chosen = Signal(int, object)
    """The id of a conversation, and that of a message of it where a search has found one."""

    rename_requested = Signal(int, str)
    delete_requested = Signal(int)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("conversationList")
        self.setAccessibleName(self.tr("Conversations"))
        self.setMouseTracking(True)
        self.setUniformItemSizes(False)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setVerticalScrollMode(QListView.ScrollMode.ScrollPerPixel)
        self.setEditTriggers(QListView.EditTrigger.EditKeyPressed)
        self.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        self.rows = ConversationListModel(self)
        self.setModel(self.rows)
        self._delegate = _RowDelegate(self)
        self.setItemDelegate(self._delegate)
        # After the editor has closed and given the focus back: the list is built anew by a new title.
        self.rows.renamed.connect(self.rename_requested, Qt.ConnectionType.QueuedConnection)
        self.clicked.connect(self._choose)
        self.activated.connect(self._choose)
        self.customContextMenuRequested.connect(self._open_menu)

    def set_theme(self, theme: WindowTheme) -> None:
        """Draw in these colours."""
        self._delegate.theme = theme
        self.viewport().update()

    def mark(self, conversation_id: int | None) -> None:
        """Mark the conversation that is shown; of several rows the one that was chosen stays."""
        current = self.currentIndex()
        if not current.isValid() or self.rows.row(current).conversation_id != conversation_id:
            self.setCurrentIndex(self.rows.index_of(conversation_id))

    def mousePressEvent(self, event: QMouseEvent) -> None:  # noqa: N802 - Qt's own name
        """Mark only what a click shows: the right button opens a menu."""
        if event.button() == Qt.MouseButton.RightButton:
            event.accept()
        else:
            super().mousePressEvent(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:  # noqa: N802 - Qt's own name
        """Delete the marked conversation by the Delete key."""
        if event.key() == Qt.Key.Key_Delete:
            self._with_conversation(self.currentIndex(), self.delete_requested.emit)
        else:
            super().keyPressEvent(event)

    def _choose(self, index: QModelIndex) -> None:
        row = self.rows.row(index)
        if row.conversation_id is not None:
            self.chosen.emit(row.conversation_id, row.message_id)

    def _with_conversation(self, index: QModelIndex, action: Callable[[int], object]) -> None:
        conversation_id = self.rows.row(index).conversation_id if index.isValid() else None
        if conversation_id is not None:
            action(conversation_id)

    def _open_menu(self, position: QPoint) -> None:
        index = self.indexAt(position)
        if not index.isValid() or self.rows.row(index).conversation_id is None:
            return
        menu = QMenu(self)
        menu.addAction(self.tr("Rename"), lambda: self.edit(index))
        menu.addAction(self.tr("Delete"), lambda: self._with_conversation(index, self.delete_requested.emit))
        menu.exec(self.viewport().mapToGlobal(position))
