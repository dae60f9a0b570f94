"""The language of the window; run `python -m app.i18n` after a string was added or changed."""

import ast
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

from PySide6.QtCore import QCoreApplication, QLibraryInfo, QLocale, QTranslator

import app.history.errors  # noqa: F401 - its errors have sentences too
from app.settings import LanguageChoice
from engine import CancelledError, SixpaneError, starters

ROOT = Path(__file__).resolve().parents[1]
TRANSLATIONS = ROOT / "resources" / "translations"
SOURCE = TRANSLATIONS / "sixpane_zh_CN.ts"
ERRORS = "errors"
"""The context of the engine's sentences, which the engine itself cannot translate."""

STARTERS = "starters"
"""The context of the descriptions of the starters."""


def install_language(application: QCoreApplication, choice: LanguageChoice) -> str:
    """Translate everything that is built from now on, Qt's own dialogs too.

    Returns:
        The language in use, as an ISO 639-1 code.
    """
    name = QLocale.system().name() if choice == "system" else choice
    if not name.startswith("zh"):
        return "en"
    for file, folder in (
        ("sixpane_zh_CN", str(TRANSLATIONS)),
        ("qtbase_zh_CN", QLibraryInfo.path(QLibraryInfo.LibraryPath.TranslationsPath)),
    ):
        translator = QTranslator(application)
        if translator.load(file, folder):
            application.installTranslator(translator)
    return "zh"


def sentence_of(error: SixpaneError) -> str:
    """The sentence of a failure in the language of the window."""
    return QCoreApplication.translate(ERRORS, error.template).format(**error.values)


def error_templates() -> Iterator[str]:
    """The sentences of all failures, found in the sources: the first argument of every error that has a sentence."""
    yield CancelledError().template
    kinds = {kind.__name__ for kind in _kinds_of(SixpaneError)}
    for folder in ("app", "engine"):
        for path in sorted((ROOT / folder).rglob("*.py")):
            for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
                if isinstance(node, ast.Call) and node.args and _name_of(node.func) in kinds:
                    first = node.args[0]
                    if isinstance(first, ast.Constant) and isinstance(first.value, str):
                        yield first.value


def texts_without_qt() -> list[tuple[str, str]]:
    """Context and text of what a person reads but Qt's tools do not find: failures, and what the catalogue says."""
    errors = sorted({(ERRORS, template) for template in error_templates()})
    return [*errors, *((STARTERS, starter.description) for starter in starters())]


def update() -> None:
    """Bring the translation file up to date with the sources, and compile it."""
    collected = ROOT / "build" / "texts_without_qt.py"
    collected.parent.mkdir(exist_ok=True)
    lines = [f"QCoreApplication.translate({context!r}, {text!r})" for context, text in texts_without_qt()]
    collected.write_text("from PySide6.QtCore import QCoreApplication\n\n" + "\n".join(lines) + "\n", encoding="utf-8")
    sources = [str(path) for path in sorted((ROOT / "app").rglob("*.py"))]
    tools = Path(sys.executable).parent
    options = ["-no-obsolete", "-locations", "none", "-ts", str(SOURCE)]
    subprocess.run([str(tools / "pyside6-lupdate"), *sources, str(collected), *options], check=True)
    compiled = str(SOURCE.with_suffix(".qm"))
    subprocess.run([str(tools / "pyside6-lrelease"), str(SOURCE), "-qm", compiled], check=True)


def _kinds_of(kind: type[SixpaneError]) -> Iterator[type[SixpaneError]]:
    yield kind
    for narrower in kind.__subclasses__():
        yield from _kinds_of(narrower)


def _name_of(function: ast.expr) -> str:
    return function.id if isinstance(function, ast.Name) else getattr(function, "attr", "")


if __name__ == "__main__":
    update()
