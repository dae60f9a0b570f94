"""`sixpane doctor` says what is wrong and what to do about it."""

import json
import os
from argparse import Namespace
from dataclasses import asdict
from pathlib import Path

import pytest

from app.cli import doctor
from app.history import History
from app.paths import Paths
from engine.machine import MachineProfile, machine_key


def findings(paths: Paths) -> dict[str, doctor.Finding]:
    return {finding.subject: finding for finding in doctor.examine(paths)}


def test_a_fresh_home_lacks_only_a_model(tmp_path: Path) -> None:
    found = findings(Paths(tmp_path / "home"))

    assert "sixpane models get" in found["models"].remedy
    assert not found["history"].remedy
    assert not found["folder"].remedy
    assert "CPU" in found["ONNX Runtime"].result
    assert not (tmp_path / "home").exists()


def test_a_damaged_history_is_named(tmp_path: Path) -> None:
    paths = Paths(tmp_path)
    paths.database.write_bytes(b"no database" * 100)

    assert "damaged" in findings(paths)["history"].remedy


def test_a_file_in_place_of_the_home_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("no folder")

    found = findings(Paths(tmp_path / "file"))
    assert found["folder"].remedy.startswith("set SIXPANE_HOME")
    assert "is a file" in found["models"].remedy
    assert findings(Paths(tmp_path / "file" / "below"))["folder"].remedy.startswith("set SIXPANE_HOME")


def test_conversations_are_counted(tmp_path: Path) -> None:
    paths = Paths(tmp_path)
    history = History.open(paths.database)
    history.create_conversation("one")
    history.close()

    assert findings(paths)["history"].result == "conversations: 1"


def test_a_damaged_model_is_named(tmp_path: Path) -> None:
    paths = Paths(tmp_path)
    (paths.models / "broken").mkdir(parents=True)

    assert "sixpane.json" in findings(paths)["model"].remedy


@pytest.mark.skipif(os.name == "nt", reason="input methods of X11 and Wayland")
def test_an_input_method_without_a_plugin_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("QT_IM_MODULE", "fcitx5")

    assert "ibus" in findings(Paths(tmp_path))["input method"].remedy


def test_something_to_do_makes_the_exit_code_one(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert doctor.run(Namespace(), Paths(tmp_path)) == 1

    assert "→ get one: sixpane models get" in capsys.readouterr().out


def test_no_name_of_a_folder_steers_the_terminal(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "models" / "\x1b[31mred").mkdir(parents=True)

    doctor.run(Namespace(), Paths(tmp_path))

    assert "\x1b" not in capsys.readouterr().out


@pytest.mark.parametrize(("is_right", "word"), [(True, "rightly"), (False, "wrongly")])
def test_what_was_measured_of_the_processor_is_told(tmp_path: Path, is_right: bool, word: str) -> None:
    paths = Paths(tmp_path)
    assert "not measured yet" in findings(paths)["processor"].result

    paths.machine.write_text(json.dumps(asdict(MachineProfile(machine_key(), 0, 1.5, is_right))), encoding="utf-8")

    assert word in findings(paths)["processor"].result
    assert bool(findings(paths)["processor"].remedy) is not is_right
