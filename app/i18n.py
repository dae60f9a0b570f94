"""The language of the window; run `python -m app.i18n` after a string was added or changed."""

import ast
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

from PySide6.QtCore import QCoreApplication, QLibraryInfo, QLocale, QTranslator

from app.settings import LanguageChoice
from engine import CancelledError, SixpaneError, starters

ROOT = Path(__file__).resolve().parents[1]
TRANSLATIONS = ROOT / "resources" / "translations"
SOURCE = TRANSLATIONS / "sixpane_zh_CN.ts"
ERRORS = "errors"
"""The context of the engine's sentences, which the engine itself cannot translate."""

STARTERS = "starters"
"""The context of the descriptions of the starters."""


QT_TEXTS = (
    ("QFileDialog", "&Look in:"),
    ("QFileDialog", "Files of &type:"),
    ("QAbstractFileIconProvider", "Folder"),
    ("QAbstractFileIconProvider", "Unknown"),
)
"""Contexts and texts of Qt's own dialogs that its Chinese translation leaves out."""


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
    """The sentences of all failures: the first argument of every error, or the constants that it is chosen from."""
    yield CancelledError().template
    # The sources are read, not imported: some of them would bring in half of the program.
    paths = sorted(path for folder in ("app", "engine") for path in (ROOT / folder).rglob("*.py"))
    trees = [ast.parse(path.read_text(encoding="utf-8")) for path in paths]
    kinds = _names_of_errors(trees)
    for tree in trees:
        for node in ast.walk(tree):
            if isinstance(node, ast.Call) and node.args and _name_of(node.func) in kinds:
                sentence = _text_of(node.args[0])
                yield from [sentence] if sentence else _constants_of(tree)


def _names_of_errors(trees: Sequence[ast.Module]) -> set[str]:
    nodes = [node for tree in trees for node in ast.walk(tree)]
    bases = {node.name: {_name_of(base) for base in node.bases} for node in nodes if isinstance(node, ast.ClassDef)}
    names = {SixpaneError.__name__}
    while more := {name for name, parents in bases.items() if parents & names} - names:
        names |= more
    return names


def _constants_of(module: ast.Module) -> Iterator[str]:
    texts = (_text_of(node.value) for node in module.body if isinstance(node, ast.Assign))
    yield from (text for text in texts if text and text.endswith("."))


def _text_of(node: ast.expr) -> str:
    return node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else ""


def texts_without_qt() -> list[tuple[str, str]]:
    """Context and text of what Qt's tools do not find: failures, what the catalogue says, what Qt itself leaves out."""
    errors = sorted({(ERRORS, template) for template in error_templates()})
    return [*errors, *((STARTERS, starter.description) for starter in starters()), *QT_TEXTS]


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


def _name_of(function: ast.expr) -> str:
    return function.id if isinstance(function, ast.Name) else getattr(function, "attr", "")


if __name__ == "__main__":
    update()
