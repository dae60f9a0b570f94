"""Whether a window can be opened here; Qt itself would end the program without a word that helps."""

import os
import sys
from ctypes.util import find_library

from engine import SixpaneError

# What Qt's plugin for X11 needs from the system, by the names that the linker knows.
_LIBRARIES = ("EGL", "GL", "dbus-1", "fontconfig", "xkbcommon-x11", "xcb-cursor", "xcb-icccm", "xcb-keysyms")


class DisplayError(SixpaneError):
    """No window can be opened."""


def missing_libraries() -> list[str]:
    """Names of the system's libraries that a window needs and that are not there; Linux alone leaves them out."""
    return [name for name in _LIBRARIES if not find_library(name)] if sys.platform == "linux" else []


def check_display() -> None:
    """Make sure that a window can be opened.

    Raises:
        DisplayError: There is no screen, or Qt's libraries for it are missing.
    """
    if sys.platform != "linux" or "QT_QPA_PLATFORM" in os.environ:
        return
    if not os.environ.get("DISPLAY") and not os.environ.get("WAYLAND_DISPLAY"):
        raise DisplayError("There is no screen to open a window on; `sixpane ask` answers without one.")
    if missing := missing_libraries():
        raise DisplayError(
            "The system lacks libraries that a window needs ({names}); install the packages that the README lists.",
            names=", ".join(missing),
        )
