"""Shows where a link really leads, and opens it only if the person then says so."""

from PySide6.QtCore import Qt, QUrl
from PySide6.QtGui import QDesktopServices, QGuiApplication
from PySide6.QtWidgets import QDialog, QDialogButtonBox, QLabel, QPlainTextEdit, QVBoxLayout, QWidget

from app.markdown import LinkTarget
from app.theme import without_icons


class LinkDialog(QDialog):
    """Asks before a link of an answer is opened in another program."""

    def __init__(self, target: LinkTarget, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._target = target
        self.setObjectName("linkDialog")
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setWindowTitle(self.tr("Open link?"))
        self.setMinimumWidth(480)
        self._address = QPlainTextEdit(target.url)
        self._address.setReadOnly(True)
        self._address.setTabChangesFocus(True)
        self._address.setMaximumHeight(100)
        self._address.setAccessibleName(self.tr("Full address"))
        layout = QVBoxLayout(self)
        layout.setSpacing(12)
        layout.addWidget(self._label(self.tr("This link leaves Sixpane. It leads to:")))
        layout.addWidget(self._address)
        for line in self._remarks():
            layout.addWidget(self._label(line))
        layout.addWidget(self._buttons())

    def _remarks(self) -> list[str]:
        target = self._target
        mail = target.url.lower().startswith("mailto:")
        lines = [(self.tr("Mail to: {site}") if mail else self.tr("Site: {site}")).format(site=target.site)]
        if target.readable_site:
            lines.append(
                self.tr("It is written as {readable}; letters of other scripts can look like familiar ones.").format(
                    readable=target.readable_site
                )
            )
        if target.user_info:
            lines.append(self.tr("“{user}” before the @ is a user name, not the site.").format(user=target.user_info))
        return lines

    def _buttons(self) -> QDialogButtonBox:
        buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Cancel)
        copy = buttons.addButton(self.tr("Copy address"), QDialogButtonBox.ButtonRole.ActionRole)
        copy.clicked.connect(self._copy)
        buttons.addButton(self.tr("Open"), QDialogButtonBox.ButtonRole.AcceptRole)
        buttons.button(QDialogButtonBox.StandardButton.Cancel).setDefault(True)
        without_icons(buttons.buttons())
        buttons.accepted.connect(self._open)
        buttons.rejected.connect(self.reject)
        return buttons

    def _copy(self) -> None:
        QGuiApplication.clipboard().setText(self._target.url)

    def _open(self) -> None:
        QDesktopServices.openUrl(QUrl(self._target.url))
        self.accept()

    def _label(self, text: str) -> QLabel:
        label = QLabel(text)
        label.setTextFormat(Qt.TextFormat.PlainText)
        label.setWordWrap(True)
        return label
