"""The fonts of the conversation: the system's own, followed by ones that have Chinese."""

from collections.abc import Sequence
from functools import lru_cache

from PySide6.QtGui import QFont, QFontDatabase, QFontInfo
from PySide6.QtWidgets import QApplication

_CHINESE = ("Noto Sans CJK SC", "Noto Sans SC", "Microsoft YaHei", "PingFang SC")
_MONOSPACED = ("Cascadia Mono", "SF Mono", "Menlo", "Consolas", "Noto Sans Mono", "DejaVu Sans Mono")
_CHINESE_MONOSPACED = ("Noto Sans Mono CJK SC", *_CHINESE)
_READING_SIZE = 1.1


def window_font() -> QFont:
    """The system's font, followed by ones that have Chinese: left alone, Qt may choose a bold one for it."""
    font = QApplication.font()
    font.setFamilies(_present([*font.families(), *_CHINESE]))
    return font


def prose_font() -> QFont:
    """The font to read in: the window's, a little larger."""
    return _prose_font(QApplication.font().key())


@lru_cache(maxsize=4)
def _prose_font(key: str) -> QFont:  # noqa: ARG001 - the font of the application is the same as long as its key
    font = window_font()
    font.setPointSizeF(_point_size(font) * _READING_SIZE)
    return font


def small_font() -> QFont:
    """The font of labels and figures."""
    font = QFont(prose_font())
    font.setPointSizeF(font.pointSizeF() * 0.84)
    return font


def code_font() -> QFont:
    """The font of code."""
    return _code_font(QApplication.font().key())


@lru_cache(maxsize=4)
def _code_font(key: str) -> QFont:  # noqa: ARG001 - as above
    system = QFontDatabase.systemFont(QFontDatabase.SystemFont.FixedFont)
    font = QFont(prose_font())
    font.setFamilies(_present([*_MONOSPACED, *system.families(), *_CHINESE_MONOSPACED]))
    font.setStyleHint(QFont.StyleHint.Monospace)
    font.setFixedPitch(True)
    font.setPointSizeF(font.pointSizeF() * 0.92)
    return font


def line_height(font: QFont, factor: float) -> float:
    """The distance of lines in pixels, the same with and without Chinese characters in a line."""
    return round(QFontInfo(font).pixelSize() * factor)


def _point_size(font: QFont) -> float:
    return font.pointSizeF() if font.pointSizeF() > 0 else QFontInfo(font).pointSizeF()


def _present(families: Sequence[str]) -> list[str]:
    """Leave out what is not installed: Qt searches long for a missing family, and warns."""
    installed = set(QFontDatabase.families())
    return [family for family in dict.fromkeys(families) if family in installed]
