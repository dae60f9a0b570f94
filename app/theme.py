"""The look of the window around the conversation: palette and style sheet, light and dark."""

import json
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtGui import QColor, QGuiApplication, QIcon, QPalette
from PySide6.QtWidgets import QAbstractButton, QApplication, QWidget

from app.settings import ThemeChoice

RESOURCES = Path(__file__).resolve().parents[1] / "resources"
CHEVRON = RESOURCES / "icons" / "chevron.svg"
CHECK = RESOURCES / "icons" / "check.svg"


@dataclass(frozen=True, slots=True)
class WindowTheme:
    """Colours as ``#rrggbb``; ``background`` is that of the conversation."""

    background: str
    sidebar: str
    text: str
    muted: str
    border: str
    field: str
    hover: str
    selected: str
    accent: str
    accent_hover: str
    accent_text: str
    focus: str
    warning: str
    warning_text: str
    highlight: str
    highlight_text: str


@cache
def load_window_theme(dark: bool) -> WindowTheme:
    """Read the light or the dark theme."""
    data = json.loads((RESOURCES / "themes" / ("dark.json" if dark else "light.json")).read_text(encoding="utf-8"))
    return WindowTheme(background=data["conversation"]["background"], **data["window"])


def choose_scheme(choice: ThemeChoice) -> None:
    """Tell Qt to follow the system, or to be light or dark whatever the system is."""
    schemes = {"system": Qt.ColorScheme.Unknown, "light": Qt.ColorScheme.Light, "dark": Qt.ColorScheme.Dark}
    QGuiApplication.styleHints().setColorScheme(schemes[choice])


def is_dark(choice: ThemeChoice) -> bool:
    """Whether the window is to be dark now."""
    # Not every desktop lets a program choose, so the choice is not left to Qt.
    if choice != "system":
        return choice == "dark"
    return QGuiApplication.styleHints().colorScheme() == Qt.ColorScheme.Dark


def apply_theme(window: QWidget, theme: WindowTheme) -> None:
    """Colour everything that Qt draws itself, and give the named widgets of a window their look."""
    QApplication.setPalette(_palette(theme))
    window.setStyleSheet(_style_sheet(theme))


def without_icons(buttons: Iterable[QAbstractButton]) -> None:
    """Show the words of a dialog's buttons alone: the icons of the style are black, also on black."""
    for button in buttons:
        button.setIcon(QIcon())


def _palette(theme: WindowTheme) -> QPalette:
    role = QPalette.ColorRole
    colours = {
        role.Window: theme.background,
        role.WindowText: theme.text,
        role.Base: theme.field,
        role.AlternateBase: theme.sidebar,
        role.Text: theme.text,
        role.PlaceholderText: theme.muted,
        role.Button: theme.field,
        role.ButtonText: theme.text,
        role.ToolTipBase: theme.field,
        role.ToolTipText: theme.text,
        role.Highlight: theme.accent,
        role.HighlightedText: theme.accent_text,
        role.Link: theme.accent,
        role.Accent: theme.accent,
    }
    palette = QPalette()
    for one, colour in colours.items():
        palette.setColor(one, QColor(colour))
    for one in (role.WindowText, role.Text, role.ButtonText):
        palette.setColor(QPalette.ColorGroup.Disabled, one, QColor(theme.muted))
    return palette


def _style_sheet(theme: WindowTheme) -> str:
    return f"""
    #sidebar {{ background: {theme.sidebar}; border-right: 1px solid {theme.border}; }}
    #conversationList {{ background: transparent; border: none; outline: none; }}
    #conversationList::item {{ border-radius: 6px; padding: 0 8px; }}
    #conversationList QLineEdit {{ padding: 0 8px; border-radius: 6px; }}
    QLineEdit {{ background: {theme.field}; border: 1px solid {theme.border}; border-radius: 8px; padding: 6px 10px; }}
    QLineEdit:focus {{ border: 1px solid {theme.focus}; }}
    QPushButton, QToolButton#modelButton, QToolButton#settingsButton {{
        background: transparent; border: 1px solid {theme.border}; border-radius: 8px; padding: 7px 14px;
    }}
    QPushButton:hover, QToolButton#modelButton:hover, QToolButton#settingsButton:hover {{ background: {theme.hover}; }}
    QPushButton:focus, QToolButton#modelButton:focus, QToolButton#settingsButton:focus {{
        border: 1px solid {theme.focus};
    }}
    QToolButton#modelButton, QToolButton#settingsButton {{ border-color: transparent; padding: 7px 10px; }}
    QToolButton#modelButton {{ font-weight: 600; }}
    QToolButton::menu-indicator {{ image: none; }}
    QPushButton[primary="true"] {{
        background: {theme.accent}; color: {theme.accent_text}; border: 1px solid {theme.accent}; font-weight: 600;
    }}
    QPushButton[primary="true"]:hover {{ background: {theme.accent_hover}; }}
    QPushButton[primary="true"]:focus {{ border: 2px solid {theme.text}; padding: 6px 13px; }}
    QPushButton:disabled, QPushButton[primary="true"]:disabled {{
        background: {theme.hover}; color: {theme.muted}; border-color: {theme.border};
    }}
    #composerFrame {{ background: {theme.field}; border: 1px solid {theme.border}; border-radius: 14px; }}
    #composerFrame[focused="true"] {{ border: 1px solid {theme.focus}; }}
    #composer {{ background: transparent; border: none; }}
    #statusLine, #muted {{ color: {theme.muted}; }}
    #starterCard {{ background: {theme.field}; border: 1px solid {theme.border}; border-radius: 12px; }}
    #starterCard[recommended="true"] {{ border: 2px solid {theme.accent}; }}
    #badge {{ color: {theme.accent}; font-weight: 600; }}
    #troubleBar {{ background: {theme.warning}; border-radius: 8px; }}
    QCheckBox::indicator {{
        width: 14px; height: 14px; border: 1px solid {theme.muted}; border-radius: 4px; background: {theme.field};
    }}
    QCheckBox::indicator:checked {{
        background: {theme.accent}; border-color: {theme.accent}; image: url({CHECK.as_posix()});
    }}
    QCheckBox::indicator:focus {{ border: 1px solid {theme.focus}; }}
    #editBar {{ background: {theme.selected}; border-radius: 8px; }}
    #troubleBar QLabel {{ color: {theme.warning_text}; }}
    #undoBar {{ background: {theme.hover}; border-radius: 8px; }}
    QComboBox {{
        background: {theme.field}; border: 1px solid {theme.border}; border-radius: 8px; padding: 6px 10px;
        min-width: 160px;
    }}
    QComboBox:focus {{ border: 1px solid {theme.focus}; }}
    QComboBox::drop-down {{ border: none; width: 28px; }}
    QComboBox::down-arrow {{ image: url("{CHEVRON.as_posix()}"); width: 12px; height: 12px; }}
    QComboBox QAbstractItemView {{
        background: {theme.field}; border: 1px solid {theme.border};
        selection-background-color: {theme.hover}; selection-color: {theme.text};
    }}
    QProgressBar {{ background: {theme.hover}; border: none; border-radius: 4px; max-height: 8px; min-height: 8px; }}
    QProgressBar::chunk {{ background: {theme.accent}; border-radius: 4px; }}
    QSplitter::handle {{ background: {theme.sidebar}; }}
    QMenu {{ background: {theme.field}; border: 1px solid {theme.border}; padding: 6px; }}
    QMenu::item {{ padding: 6px 24px; border-radius: 6px; }}
    QMenu::item:selected {{ background: {theme.hover}; color: {theme.text}; }}
    QScrollBar:vertical {{ background: transparent; width: 10px; margin: 0; }}
    QScrollBar::handle:vertical {{ background: {theme.border}; border-radius: 5px; min-height: 32px; }}
    QScrollBar::add-line, QScrollBar::sub-line {{ height: 0; width: 0; }}
    QScrollBar::add-page, QScrollBar::sub-page {{ background: transparent; }}
    """
