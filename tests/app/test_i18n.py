"""Chinese is complete: every string of the window and every sentence of a failure."""

import string
import subprocess
import sys
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import pytest
from PySide6.QtCore import QCoreApplication, QTranslator
from PySide6.QtWidgets import QApplication

from app.i18n import ROOT, SOURCE, sentence_of, texts_without_qt
from engine import ModelRunError
from engine.models.file_kind import PICKLE

Texts = dict[tuple[str, str], str]


def translations(path: Path) -> Texts:
    """Finished translations by context and text."""
    found: Texts = {}
    for context in ElementTree.parse(path).getroot().iter("context"):
        for message in context.iter("message"):
            translation = message.find("translation")
            assert translation is not None
            if translation.get("type") is None and translation.text:
                found[context.findtext("name", ""), message.findtext("source", "")] = translation.text
    return found


@pytest.fixture(scope="module")
def extracted(tmp_path_factory: pytest.TempPathFactory) -> set[tuple[str, str]]:
    """Context and text of every string in the sources that Qt's own tool finds."""
    fresh = tmp_path_factory.mktemp("translations") / "fresh.ts"
    sources = [str(path) for path in sorted((ROOT / "app").rglob("*.py"))]
    tool = Path(sys.executable).parent / "pyside6-lupdate"
    subprocess.run([str(tool), *sources, "-ts", str(fresh)], check=True, capture_output=True)
    messages: set[tuple[str, str]] = set()
    for context in ElementTree.parse(fresh).getroot().iter("context"):
        messages |= {(context.findtext("name", ""), one.findtext("source", "")) for one in context.iter("message")}
    return messages


def test_every_string_of_the_window_is_translated(extracted: set[tuple[str, str]]) -> None:
    assert extracted - translations(SOURCE).keys() == set()


def test_every_sentence_of_a_failure_and_of_the_catalogue_is_translated() -> None:
    assert set(texts_without_qt()) - translations(SOURCE).keys() == set()


def test_nothing_is_translated_that_is_not_said_any_more(extracted: set[tuple[str, str]]) -> None:
    assert translations(SOURCE).keys() - extracted - set(texts_without_qt()) == set()


def test_a_translation_has_the_fields_of_its_text() -> None:
    def fields(text: str) -> set[str | None]:
        return {name for _, name, _, _ in string.Formatter().parse(text) if name is not None}

    wrong = [text for (_, text), translation in translations(SOURCE).items() if fields(text) != fields(translation)]

    assert wrong == []


def test_the_compiled_file_says_what_the_source_says(qapp: QApplication) -> None:
    compiled = QTranslator(qapp)
    assert compiled.load(str(SOURCE.with_suffix(".qm")))

    for (context, text), translation in translations(SOURCE).items():
        assert compiled.translate(context, text) == translation


def test_the_sentences_of_failures_are_found_wherever_they_stand() -> None:
    texts = {text for _, text in texts_without_qt()}

    assert "The history {path} is damaged or is not a history of Sixpane." in texts  # an error that `app` defines
    assert PICKLE in texts  # a constant
    assert "Cancelled; nothing was kept." in texts  # a default


def test_a_failure_is_translated_before_its_values_are_filled_in(qapp: QApplication) -> None:
    translator = QTranslator(qapp)
    translator.load(str(SOURCE.with_suffix(".qm")))
    QCoreApplication.installTranslator(translator)
    error = ModelRunError(
        "Something went wrong inside Sixpane ({kind}); the log has the details.", kind="ZeroDivisionError"
    )

    sentence = sentence_of(error)
    QCoreApplication.removeTranslator(translator)

    assert "ZeroDivisionError" in sentence
    assert "Something" not in sentence
