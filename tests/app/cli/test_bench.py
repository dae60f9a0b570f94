"""`sixpane bench` measures the real model through the real engine."""

import json
from argparse import Namespace
from pathlib import Path

import pytest

from app.cli import bench
from app.paths import Paths
from engine import ModelFolderError


@pytest.mark.slow
def test_every_promised_figure_is_measured(
    starter_home: Paths, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("engine.benchmark.ROUNDS", 1)

    assert bench.run(Namespace(model=None, json=True), starter_home) == 0

    figures = json.loads(capsys.readouterr().out)
    positive = (
        "prefill_tokens_per_second",
        "decode_tokens_per_second",
        "first_token_seconds",
        "load_seconds",
        "peak_memory_bytes",
    )
    assert all(figures[name] > 0 for name in positive)
    assert (figures["model"], figures["precision"]) == ("SmolLM2-135M-Instruct", "int8")
    assert "onnxruntime" in figures["runtime"]
    assert figures["machine"]


def test_where_every_model_is_damaged_the_damage_is_named(tmp_path: Path) -> None:
    (tmp_path / "models" / "broken").mkdir(parents=True)

    with pytest.raises(ModelFolderError, match=r"broken .* has no sixpane\.json"):
        bench.run(Namespace(model=None, json=False), Paths(tmp_path))
