"""The house: what may import what, checked in a fresh interpreter and in the sources."""

import ast
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


def modules_after(statement: str) -> set[str]:
    """Top-level modules in a fresh interpreter after a statement."""
    script = f"import sys; {statement}; print(*{{name.partition('.')[0] for name in sys.modules}})"
    result = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, cwd=ROOT, check=True)
    return set(result.stdout.split())


def imports_of(folder: str) -> Iterator[tuple[Path, str]]:
    """Every module that a source file of the folder imports, wherever in the file."""
    for path in (ROOT / folder).rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Import):
                yield from ((path, alias.name) for alias in node.names)
            elif isinstance(node, ast.ImportFrom):
                yield path, node.module or ""


def test_importing_the_engine_needs_neither_qt_nor_torch_nor_numpy() -> None:
    heavy = {"PySide6", "torch", "transformers", "numpy", "onnxruntime", "onnx", "tokenizers", "jinja2", "gguf"}

    assert not modules_after("import engine") & heavy


def test_the_command_starts_without_qt_numpy_or_sqlite() -> None:
    heavy = {"PySide6", "numpy", "onnxruntime", "onnx", "tokenizers", "jinja2", "gguf", "sqlite_utils", "markdown_it"}

    assert not modules_after("import app.__main__") & heavy


def test_loading_the_pipeline_needs_neither_qt_nor_torch() -> None:
    assert not modules_after("import engine.pipeline") & {"PySide6", "torch", "transformers", "onnx", "gguf"}


@pytest.mark.parametrize("forbidden", ["PySide6", "app"])
def test_the_engine_imports_nothing_of_the_application(forbidden: str) -> None:
    assert not [(path, name) for path, name in imports_of("engine") if name.partition(".")[0] == forbidden]


def test_torch_and_transformers_stay_in_the_export() -> None:
    heavy = {"torch", "transformers", "optimum"}
    users = {path.relative_to(ROOT) for path, name in imports_of("engine") if name.partition(".")[0] in heavy}

    assert all(path.parts[:2] == ("engine", "export") for path in users)


def test_the_application_talks_to_the_engine_through_its_front_door() -> None:
    inner = {(path.relative_to(ROOT), name) for path, name in imports_of("app") if name.startswith("engine.")}

    assert not inner
