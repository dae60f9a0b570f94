"""`sixpane models`: what it prints, where, and with which exit code."""

import io
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from app.__main__ import main
from app.cli.installing import ProgressLine
from engine import DownloadProgress, InstallProgress, Quality
from engine.models.manifest import WEIGHTS_NAME
from tests.support.model_folders import EMPTY_GGUF, convert_to_tiny_folder, write_model_folder
from tests.support.package_index import PackageIndex, make_starter

ROOT = Path(__file__).parents[3]


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of an installation of its own."""
    monkeypatch.setenv("SIXPANE_HOME", str(tmp_path / "home"))
    return tmp_path / "home"


def test_without_models_the_list_names_the_starters(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    exit_code = main(["models", "list"])

    lines = capsys.readouterr().out.splitlines()
    assert exit_code == 0
    assert [line.split(":")[0] for line in lines] == ["Not on this disk", "Not on this disk"]
    assert "SmolLM2-135M-Instruct, 94 MB" in lines[0]
    assert "Qwen2.5-Coder-0.5B-Instruct, 469 MB" in lines[1]
    assert not home.exists()


def test_the_list_as_json_tells_sound_from_damaged(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write_model_folder(home / "models" / "sound-int8", "Sound", languages=("en",), licence="Apache-2.0")
    write_model_folder(home / "models" / "wrong-int8", "Wrong")
    (home / "models" / "wrong-int8" / WEIGHTS_NAME).unlink()

    exit_code = main(["models", "list", "--json"])

    sound, wrong = json.loads(capsys.readouterr().out)
    assert exit_code == 0
    assert (sound["id"], sound["name"], sound["default"], sound["problem"]) == ("sound-int8", "Sound", True, None)
    assert (sound["languages"], sound["licence"], sound["precision"]) == (["en"], "Apache-2.0", "int8")
    assert "model.onnx.data is missing" in wrong["problem"]


def test_the_list_marks_the_default_and_says_what_is_damaged(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write_model_folder(home / "models" / "sound-int8")
    write_model_folder(home / "models" / "wrong-int8")
    (home / "models" / "wrong-int8" / WEIGHTS_NAME).unlink()

    main(["models", "list"])

    sound, wrong = capsys.readouterr().out.splitlines()[:2]
    assert sound.startswith("* sound-int8")
    assert "model.onnx.data is missing" in wrong


def test_info_as_json_is_the_manifest_and_more(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    manifest = write_model_folder(home / "models" / "tiny-int8")

    exit_code = main(["models", "info", "tiny", "--json"])

    details = json.loads(capsys.readouterr().out)
    assert exit_code == 0
    assert details["model_hash"] == manifest.model_hash
    assert details["context_length"] == 64
    assert details["path"] == str(home / "models" / "tiny-int8")


def test_info_shows_the_bits_of_a_weight_and_the_measured_quality(
    home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    quality = Quality(0.862, 0.08233325, 12.0271, 11.4362, 500)
    write_model_folder(home / "models" / "tiny-int4", bits_per_weight=5.40943, quality=quality)

    main(["models", "info", "tiny-int4"])

    lines = capsys.readouterr().out.splitlines()
    assert "bits per weight: 5.409" in lines
    assert (
        "quality: agreement 0.862, mean kl 0.08233, perplexity 12.03, reference perplexity 11.44, positions 500"
        in lines
    )


def test_a_name_in_a_model_cannot_steer_the_terminal(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write_model_folder(home / "models" / "tiny-int8", "Nice\x1b]0;title\x07\nname")

    main(["models", "info", "tiny-int8"])

    assert "name: Nice\N{REPLACEMENT CHARACTER}]0;title" in capsys.readouterr().out.splitlines()[1]


def test_a_removed_model_can_be_taken_back(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write_model_folder(home / "models" / "tiny-int8")

    assert main(["models", "remove", "tiny"]) == 0
    assert not (home / "models" / "tiny-int8").exists()
    assert main(["models", "restore"]) == 0

    assert (home / "models" / "tiny-int8").exists()
    assert "sixpane models restore" in capsys.readouterr().out


def test_verify_fails_with_one_line_that_names_the_file(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write_model_folder(home / "models" / "tiny-int8")
    assert main(["models", "verify", "tiny"]) == 0
    weights = home / "models" / "tiny-int8" / WEIGHTS_NAME
    weights.write_bytes(weights.read_bytes().swapcase())

    exit_code = main(["models", "verify", "tiny"])

    assert exit_code == 1
    (line,) = capsys.readouterr().err.splitlines()
    assert "model.onnx.data is not what was written" in line


@pytest.mark.usefixtures("home")
def test_a_pickle_is_refused_with_one_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "model.gguf").write_bytes(b"\x80\x04\x95")

    exit_code = main(["models", "import", str(tmp_path / "model.gguf")])

    assert exit_code == 1
    (line,) = capsys.readouterr().err.splitlines()
    assert "is a pickle" in line


@pytest.mark.usefixtures("home")
def test_an_unknown_starter_is_answered_with_the_names_there_are(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["models", "get", "gpt"]) == 1

    assert "SmolLM2-135M-Instruct" in capsys.readouterr().err


@pytest.mark.parametrize("arguments", [["models"], ["models", "get"], ["models", "import", "x", "--precision", "int3"]])
def test_wrong_usage_ends_with_2(arguments: list[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main(arguments)

    assert ended.value.code == 2


def test_get_says_first_what_comes_and_then_how_far_it_is(
    home: Path, wheels: Path, pip_settings: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    starter = make_starter(wheels, (len(EMPTY_GGUF),), EMPTY_GGUF)
    pip_settings.setenv("PIP_NO_INDEX", "1")
    pip_settings.setenv("PIP_FIND_LINKS", str(wheels))
    pip_settings.setattr("app.cli.models.find_starter", lambda _: starter)
    pip_settings.setattr("engine.export.convert_gguf", convert_to_tiny_folder)

    exit_code = main(["models", "get", "made-up"])

    printed = capsys.readouterr()
    lines = printed.err.splitlines()
    assert exit_code == 0
    assert printed.out == "made-up-int8 is ready.\n"
    assert lines[0].startswith("Fetching Made-Up (CC0-1.0) through pip from the places that pip is set up with: ")
    assert lines[-1].startswith("Converting  100% ")
    assert (home / "models" / "made-up-int8").is_dir()


@pytest.mark.network
@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no signal for Ctrl-C to one process")
def test_ctrl_c_ends_with_130_and_leaves_a_download_that_goes_on(home: Path, wheels: Path, index: PackageIndex) -> None:
    index.pause = 0.05
    make_starter(wheels, (2 << 20,))
    script = (
        "import sys; from pathlib import Path; import app.cli.models; from app.__main__ import main\n"
        "from tests.support.package_index import make_starter\n"
        "starter = make_starter(Path(sys.argv[1]), (2 << 20,))\n"
        "app.cli.models.find_starter = lambda _: starter\n"
        "sys.exit(main(['models', 'get', 'made-up']))\n"
    )
    process = subprocess.Popen(
        [sys.executable, "-c", script, str(home / "same-wheels")], cwd=ROOT, stderr=subprocess.PIPE, text=True
    )
    partial = home / "downloads" / "made-up" / "made-up-part1-1.0.whl.part"
    deadline = time.monotonic() + 30
    while not partial.exists() and process.poll() is None and time.monotonic() < deadline:
        time.sleep(0.02)

    os.kill(process.pid, signal.SIGINT)
    _, errors = process.communicate(timeout=30)

    assert process.returncode == 130
    assert errors.splitlines()[-1].startswith("Interrupted; what was fetched is kept")
    assert "Traceback" not in errors
    assert partial.exists()
    assert not (home / "models").exists()


class Terminal(io.StringIO):
    """A stream that says it is a terminal."""

    def isatty(self) -> bool:
        return True


def test_on_a_terminal_the_progress_is_one_line_that_renews_itself() -> None:
    stream = Terminal()

    with ProgressLine(stream) as line:
        for done in (0, 5 << 20, 10 << 20):
            line.show(InstallProgress("download", "", done / (10 << 20), DownloadProgress(done, 10 << 20)))
        line.show(InstallProgress("conversion", "writing", 0.5))

    first, second, rest = stream.getvalue().split("\n")
    assert first.count("\r") == 3
    assert first.rstrip().endswith("Downloading 100% (10 MB of 10 MB)")
    assert second.strip() == "Converting   50% (writing)"
    assert rest == ""


def test_elsewhere_the_progress_is_a_few_lines() -> None:
    stream = io.StringIO()

    with ProgressLine(stream) as line:
        for percent in range(101):
            line.show(InstallProgress("conversion", "writing", percent / 100))

    assert [text.split()[1] for text in stream.getvalue().splitlines()] == ["0%", "25%", "50%", "75%", "100%"]
