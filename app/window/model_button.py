"""The name of the model in use, and the menu that changes it."""

from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QActionGroup
from PySide6.QtWidgets import QMenu, QToolButton, QWidget

from app.i18n import sentence_of

if TYPE_CHECKING:
    from engine import InstalledModel, ModelStore


class ModelButton(QToolButton):
    """Always says which model answers; a click offers the others."""

    chosen = Signal(object)
    """The `InstalledModel` to use."""

    get_requested = Signal()
    import_requested = Signal()

    def __init__(self, store: "ModelStore", parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("modelButton")
        self.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextOnly)
        self.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        self._store = store
        self._current: InstalledModel | None = None
        self._menu = QMenu(self)
        self._menu.setToolTipsVisible(True)
        self._menu.aboutToShow.connect(self._fill)
        self._menu.aboutToHide.connect(self._forget_pointer)
        self.setMenu(self._menu)
        self.show_model(None)

    def show_model(self, model: "InstalledModel | None") -> None:
        """Show which model is in use."""
        self._current = model
        name = model.name if model else self.tr("No model yet")
        self.setText(f"{name}  ▾")
        self.setAccessibleName(self.tr("Model: {name}").format(name=name))

    def _forget_pointer(self) -> None:
        # No event tells the button that the pointer went elsewhere while the menu was open.
        self.setAttribute(Qt.WidgetAttribute.WA_UnderMouse, False)
        self.update()

    def _fill(self) -> None:
        self._menu.clear()
        group = QActionGroup(self._menu)
        for model in self._store.list():
            # An ampersand in a name is no keyboard shortcut.
            action = self._menu.addAction(model.name.replace("&", "&&"))
            action.setCheckable(True)
            action.setChecked(self._current is not None and model.id == self._current.id)
            if model.problem:
                action.setEnabled(False)
                action.setToolTip(sentence_of(model.problem))
            action.triggered.connect(lambda _=False, model=model: self.chosen.emit(model))
            group.addAction(action)
        self._menu.addSeparator()
        self._menu.addAction(self.tr("Get another model…"), self.get_requested.emit)
        self._menu.addAction(self.tr("Import a file…"), self.import_requested.emit)
