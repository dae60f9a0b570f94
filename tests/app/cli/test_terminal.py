"""What reaches the terminal, whatever the terminal is and whatever the names say."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.support.model_folders import write_model_folder

ROOT = Path(__file__).parents[3]
COMMAND = [sys.executable, "-m", "app"]


def environment(home: Path, **changes: str) -> dict[str, str]:
    return {**os.environ, "SIXPANE_HOME": str(home), "PYTHONPATH": str(ROOT), **changes}


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """A home with one model, whose name would colour the terminal red."""
    write_model_folder(tmp_path / "home" / "models" / "tiny", "\x1b[31m红\x1b]0;title\x07", licence="许可")
    return tmp_path / "home"


@pytest.mark.parametrize(
    "arguments",
    [
        ["ask", "x", "--model", "\x1b[31mred"],
        ["models", "import", "/nowhere/\x1b[31mred.gguf"],
        ["models", "info", "tiny"],
        ["models", "list"],
        ["models", "remove", "tiny"],
    ],
)
def test_no_name_steers_the_terminal(home: Path, arguments: list[str]) -> None:
    result = subprocess.run([*COMMAND, *arguments], env=environment(home), capture_output=True, check=False)

    assert b"\x1b" not in result.stdout + result.stderr
    assert b"Traceback" not in result.stderr


def test_every_character_can_be_printed_in_every_encoding(home: Path) -> None:
    ascii_only = environment(home, PYTHONIOENCODING="ascii")
    listed = subprocess.run([*COMMAND, "models", "list", "--json"], env=ascii_only, capture_output=True, check=True)
    informed = subprocess.run([*COMMAND, "models", "info", "tiny"], env=ascii_only, capture_output=True, check=True)

    assert json.loads(listed.stdout)[0]["licence"] == "许可"
    assert b"\\u8bb8" in informed.stdout


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="only Linux has a device that is always full")
def test_a_full_disk_behind_standard_output_is_one_line(home: Path) -> None:
    with Path("/dev/full").open("wb") as full:
        result = subprocess.run(
            [*COMMAND, "models", "list"], env=environment(home), stdout=full, stderr=subprocess.PIPE, check=False
        )

    assert result.returncode == 1
    assert len(result.stderr.splitlines()) == 1
    assert b"cannot" in result.stderr or b"could not" in result.stderr


@pytest.mark.skipif(os.name == "nt", reason="a shell that closes streams is needed")
@pytest.mark.parametrize(
    ("command", "sentence"),
    [("models list >&-", b"no standard output"), ("ask - <&-", b"no standard input")],
)
def test_closed_streams_are_one_line(home: Path, command: str, sentence: bytes) -> None:
    line = f"{sys.executable} -m app {command}"
    result = subprocess.run(["sh", "-c", line], env=environment(home), capture_output=True, check=False)

    assert result.returncode == 1
    assert sentence in result.stderr
    assert len(result.stderr.splitlines()) == 1


@pytest.mark.skipif(os.name == "nt", reason="Windows has no SIGINT for one child")
def test_an_interrupt_while_the_program_starts_leaves_no_stack_trace(home: Path) -> None:
    program = (
        "import sys, builtins\nfrom app.__main__ import main\nprint('begun', flush=True)\nsys.exit(main(['doctor']))"
    )
    with subprocess.Popen(
        [sys.executable, "-c", program], env=environment(home), stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as process:
        assert process.stdout is not None
        process.stdout.readline()
        time.sleep(0.05)
        process.send_signal(signal.SIGINT)
        _, errors = process.communicate(timeout=30)

    assert b"Traceback" not in errors
    assert process.returncode == 130


def test_a_home_that_is_a_file_is_one_line(tmp_path: Path) -> None:
    (tmp_path / "home").write_text("a file")
    result = subprocess.run(
        [*COMMAND, "models", "list"], env=environment(tmp_path / "home"), capture_output=True, check=False
    )

    assert result.returncode == 1
    assert b"is a file" in result.stderr


@pytest.mark.parametrize("arguments", [["models", "import", ""], ["models", "remove", ""]])
def test_a_name_that_was_left_out_is_said_so(home: Path, arguments: list[str]) -> None:
    result = subprocess.run([*COMMAND, *arguments], env=environment(home), capture_output=True, check=False)

    assert result.returncode == 1
    assert b"left out" in result.stderr


@pytest.mark.skipif(os.name == "nt", reason="arguments of Windows are always text")
@pytest.mark.parametrize("option", [["--system"], ["--model"], ["--stop"]])
def test_an_argument_that_is_no_text_is_refused(home: Path, option: list[str]) -> None:
    command = [*(os.fsencode(part) for part in [*COMMAND, "ask", "x", *option]), b"\xff"]
    result = subprocess.run(command, env=environment(home), capture_output=True, check=False)

    assert result.returncode == 1
    assert result.stderr == b"sixpane: An argument is not valid text in the terminal's encoding.\n"


def test_of_a_single_damaged_model_it_is_said_what_is_wrong(home: Path) -> None:
    (home / "models" / "tiny" / "model.onnx").unlink()
    result = subprocess.run([*COMMAND, "ask", "x"], env=environment(home), capture_output=True, check=False)

    assert result.returncode == 1
    assert b"model.onnx is missing" in result.stderr
