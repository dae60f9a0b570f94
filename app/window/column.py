"""The middle of the window: which model answers, the page, the composer and the status line."""

from collections.abc import Sequence

from PySide6.QtWidgets import QHBoxLayout, QStackedWidget, QToolButton, QVBoxLayout, QWidget

from app.window.composer import Composer
from app.window.edit_bar import EditBar
from app.window.model_button import ModelButton
from app.window.status_line import StatusLine
from app.window.trouble_bar import TroubleBar
from engine import ModelStore

MARGIN = 24
COMPOSER_WIDTH = 808


class Column(QWidget):
    """Lays out what stands beside the list of conversations.

    Args:
        store: The models to choose among.
        pages: What can fill the middle, one at a time.
    """

    def __init__(self, store: ModelStore, pages: Sequence[QWidget], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.model_button = ModelButton(store)
        self.settings_button = QToolButton()
        self.settings_button.setObjectName("settingsButton")
        self.settings_button.setText(self.tr("Settings"))
        self.settings_button.setAccessibleName(self.tr("Settings"))
        self.settings_button.setToolTip(self.tr("Settings (Ctrl+,)"))
        self.pages = QStackedWidget()
        for page in pages:
            self.pages.addWidget(page)
        self.trouble_bar = TroubleBar()
        self.edit_bar = EditBar()
        self.composer = Composer()
        self.status_line = StatusLine()
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(4)
        layout.addLayout(self._header())
        layout.addWidget(self.pages, 1)
        layout.addLayout(self._bottom())

    def _header(self) -> QHBoxLayout:
        header = QHBoxLayout()
        header.setContentsMargins(12, 8, 12, 0)
        header.addWidget(self.model_button)
        header.addStretch(1)
        header.addWidget(self.settings_button)
        return header

    def _bottom(self) -> QHBoxLayout:
        bottom = QWidget()
        bottom.setMaximumWidth(COMPOSER_WIDTH)
        column = QVBoxLayout(bottom)
        column.setContentsMargins(MARGIN, 4, MARGIN, 10)
        column.setSpacing(8)
        for widget in (self.trouble_bar, self.edit_bar, self.composer, self.status_line):
            column.addWidget(widget)
        centred = QHBoxLayout()
        centred.addStretch(1)
        centred.addWidget(bottom, 100)
        centred.addStretch(1)
        return centred
