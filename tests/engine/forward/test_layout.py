"""A graph that is not what its manifest says is refused before it is fed."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from engine.errors import ModelFolderError
from engine.forward.session import ForwardSession
from engine.models.manifest import Manifest

pytestmark = pytest.mark.slow


@pytest.mark.parametrize(
    "change", [{"layers": 29}, {"layers": 31}, {"kv_heads": 9}, {"head_size": 7}, {"vocabulary_size": 3}]
)
def test_a_manifest_of_another_graph_is_refused(starter_folder: Path, change: dict[str, Any]) -> None:
    wrong = replace(Manifest.read(starter_folder), **change)

    with pytest.raises(ModelFolderError, match="its graph is not what its manifest says"):
        ForwardSession.load(starter_folder, wrong)
