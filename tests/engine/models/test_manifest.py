"""A manifest is read as it was written, and one that says impossible things is refused."""

import json
from pathlib import Path
from typing import Any

import pytest

from engine.errors import ModelFolderError
from engine.models.manifest import MANIFEST_NAME, Manifest
from tests.support.model_folders import write_model_folder


def test_a_manifest_is_read_as_it_was_written(tmp_path: Path) -> None:
    written = write_model_folder(tmp_path / "model", languages=("zh", "en"), licence="Apache-2.0")

    assert Manifest.read(tmp_path / "model") == written


@pytest.mark.parametrize(
    ("name", "value"),
    [
        *[("layers", value) for value in (0, -1, 10**6, "x", 1.5, True, None)],
        *[("kv_heads", value) for value in (0, 10**7)],
        *[("head_size", value) for value in (-3, 10**6)],
        *[("context_length", value) for value in (0, -5, "a", 2**40)],
        *[("vocabulary_size", value) for value in (0, 2**31)],
        ("bits_per_weight", "many"),
        *[("name", 5), ("licence", ["x"]), ("precision", "int1"), ("files", []), ("end_token_ids", "x"), ("format", 9)],
    ],
)
def test_what_no_model_can_be_is_refused(tmp_path: Path, name: str, value: Any) -> None:
    folder = tmp_path / "model"
    write_model_folder(folder)
    values = json.loads((folder / MANIFEST_NAME).read_text(encoding="utf-8"))
    (folder / MANIFEST_NAME).write_text(json.dumps(values | {name: value}), encoding="utf-8")

    with pytest.raises(ModelFolderError, match=r"unreadable sixpane\.json"):
        Manifest.read(folder)
