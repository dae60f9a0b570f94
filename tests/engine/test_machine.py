"""What is measured of a machine, and that it is measured once."""

import json
from pathlib import Path

import numpy as np
import pytest

from engine import machine_measurement
from engine.machine import MachineProfile, known_profile, machine_profile
from engine.machine_measurement import agrees, measure_machine


def test_this_machine_computes_quantised_products_like_numpy() -> None:
    profile = measure_machine()

    assert profile.computes_quantised_products
    assert profile.threads >= 0
    assert profile.verify_ratio > 0


def test_a_kernel_that_saturates_is_noticed() -> None:
    expected = np.linspace(-100, 100, 64, dtype=np.float32)

    assert agrees(expected + np.float32(0.5), expected)
    assert not agrees(np.clip(expected, -80, 80), expected)


def test_a_machine_is_measured_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "home" / "machine.json"
    first = machine_profile(path)
    monkeypatch.setattr(machine_measurement, "measure_machine", lambda: pytest.fail("it was measured again"))

    assert machine_profile(path) == known_profile(path) == first
    assert list(path.parent.iterdir()) == [path]


@pytest.mark.parametrize("content", ["", "[]", '{"key": "x"}', "\x00\xff"])
def test_a_damaged_file_is_measured_anew(tmp_path: Path, content: str) -> None:
    path = tmp_path / "machine.json"
    path.write_text(content, encoding="utf-8")

    profile = machine_profile(path)

    assert MachineProfile(**json.loads(path.read_text(encoding="utf-8"))) == profile


def test_another_processor_or_runtime_is_measured_anew(tmp_path: Path) -> None:
    path = tmp_path / "machine.json"
    path.write_text(
        json.dumps(
            {
                "key": "another processor, onnxruntime 0.1",
                "threads": 64,
                "verify_ratio": 1.0,
                "computes_quantised_products": False,
            }
        ),
        encoding="utf-8",
    )

    assert machine_profile(path).computes_quantised_products


def test_a_folder_that_cannot_be_written_is_no_failure(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")

    assert machine_profile(tmp_path / "file" / "machine.json").computes_quantised_products
