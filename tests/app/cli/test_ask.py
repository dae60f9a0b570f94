"""`sixpane ask`, as a person or another program runs it."""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from app.paths import Paths

ROOT = Path(__file__).parents[3]
JAPAN = "What is the capital of Japan?"


def sixpane(home: Path, *arguments: str, stdin: bytes = b"") -> "subprocess.CompletedProcess[bytes]":
    command = [sys.executable, "-m", "app", *arguments]
    environment = {**os.environ, "SIXPANE_HOME": str(home), "PYTHONPATH": str(ROOT)}
    return subprocess.run(command, env=environment, input=stdin, capture_output=True, timeout=120, check=False)


@pytest.mark.slow
def test_the_answer_is_all_that_comes_on_standard_output(starter_home: Paths) -> None:
    result = sixpane(starter_home.home, "ask", JAPAN, "--temperature", "0")

    assert (result.returncode, result.stdout.decode()) == (0, "The capital of Japan is Tokyo.\n")
    assert result.stderr == b""


@pytest.mark.slow
def test_json_tells_everything_about_the_answer(starter_home: Paths) -> None:
    result = sixpane(starter_home.home, "ask", JAPAN, "--temperature", "0", "--seed", "5", "--json")

    told = json.loads(result.stdout)
    assert told["text"] == "The capital of Japan is Tokyo."
    assert (told["stop_reason"], told["seed"], told["settings"]["temperature"]) == ("end", 5, 0)
    assert told["model"] == "SmolLM2-135M-Instruct"
    assert len(told["prompt_token_ids"]) == told["statistics"]["prompt_tokens"] == 37
    assert len(told["token_ids"]) == told["statistics"]["generated_tokens"]
    assert told["statistics"]["decode_tokens_per_second"] > 0


@pytest.mark.slow
def test_json_tells_probabilities_on_request(starter_home: Paths) -> None:
    options = ["--temperature", "0", "--json", "--alternatives", "2", "--score-prompt"]
    told = json.loads(sixpane(starter_home.home, "ask", JAPAN, *options).stdout)

    assert [token["token_id"] for token in told["tokens"]] == told["token_ids"]
    assert [score["token_id"] for score in told["prompt_scores"]] == told["prompt_token_ids"]
    assert all(len(token["alternatives"]) == 2 for token in told["tokens"])


@pytest.mark.slow
def test_the_question_may_come_on_standard_input(starter_home: Paths) -> None:
    result = sixpane(starter_home.home, "ask", "-", "--temperature", "0", stdin=JAPAN.encode())

    assert result.stdout.decode() == "The capital of Japan is Tokyo.\n"


@pytest.mark.slow
def test_an_answer_that_is_cut_says_so_on_standard_error(starter_home: Paths) -> None:
    result = sixpane(starter_home.home, "ask", JAPAN, "--temperature", "0", "--max-new-tokens", "3")

    assert result.stdout.decode() == "The capital of\n"
    assert b"length limit" in result.stderr


@pytest.mark.slow
def test_several_answers_come_in_order_with_their_seeds(starter_home: Paths) -> None:
    options = ["--answers", "2", "--seed", "5", "--max-new-tokens", "8"]

    text = sixpane(starter_home.home, "ask", JAPAN, *options).stdout.decode()
    told = json.loads(sixpane(starter_home.home, "ask", JAPAN, *options, "--json").stdout)["answers"]

    assert text == "".join(f"[{number}, seed {one['seed']}]\n{one['text']}\n" for number, one in enumerate(told, 1))
    assert [one["seed"] for one in told] == [5, 6]


@pytest.mark.slow
def test_a_beam_search_answers_as_any_other_way_does(starter_home: Paths) -> None:
    result = sixpane(starter_home.home, "ask", JAPAN, "--beams", "3", "--length-penalty", "0.5")

    assert (result.returncode, result.stdout.decode()) == (0, "The capital of Japan is Tokyo.\n")


@pytest.mark.slow
def test_system_text_and_stop_strings_are_honoured(starter_home: Paths) -> None:
    options = ["--temperature", "0", "--system", "You know geography.", "--stop", "Tokyo", "--json"]
    told = json.loads(sixpane(starter_home.home, "ask", JAPAN, *options).stdout)

    assert told["stop_reason"] == "stop"
    assert "Tokyo" not in told["text"]


@pytest.mark.slow
def test_an_answer_keeps_to_a_schema_from_a_file(starter_home: Paths, tmp_path: Path) -> None:
    file = tmp_path / "颜色.json"
    file.write_text(
        '{"type": "object", "properties": {"colour": {"enum": ["红", "blue"]}}, "required": ["colour"]}', "utf-8"
    )

    result = sixpane(starter_home.home, "ask", "A colour?", "--json-schema", str(file), "--max-new-tokens", "20")

    assert result.returncode == 0
    assert json.loads(result.stdout)["colour"] in {"红", "blue"}


@pytest.mark.slow
@pytest.mark.parametrize("form", [[], ["--json"]])
def test_an_answer_that_could_not_be_closed_is_a_failure_that_is_said(starter_home: Paths, form: list[str]) -> None:
    options = ["--regex", "(a b c ){9000}", "--max-new-tokens", "2100"]

    result = sixpane(starter_home.home, "ask", "x", *options, *form)

    assert result.returncode == 1
    assert b"a b c a b c" in result.stdout
    assert b"does not keep to the constraint" in result.stderr


@pytest.mark.slow
@pytest.mark.parametrize(
    ("regex", "limit", "sentence"),
    [("[a", "20", "unclosed character class"), ("a{30}b{30}", "5", "allow more tokens")],
)
def test_a_constraint_that_cannot_be_kept_to_gives_one_clear_line(
    starter_home: Paths, regex: str, limit: str, sentence: str
) -> None:
    result = sixpane(starter_home.home, "ask", "x", "--regex", regex, "--max-new-tokens", limit)

    assert (result.returncode, result.stdout) == (2, b"")
    assert sentence in result.stderr.decode()
    assert len(result.stderr.decode().strip().splitlines()) == 1


@pytest.mark.slow
@pytest.mark.skipif(os.name == "nt", reason="Windows has no SIGINT for one child")
def test_an_interrupt_ends_with_130_and_no_stack_trace(starter_home: Paths) -> None:
    command = [sys.executable, "-m", "app", "ask", "Count from one to ten thousand, in words."]
    environment = {**os.environ, "SIXPANE_HOME": str(starter_home.home), "PYTHONPATH": str(ROOT)}
    with subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdout is not None
        process.stdout.read(1)
        process.send_signal(signal.SIGINT)
        _, errors = process.communicate(timeout=30)

    assert process.returncode == 130
    assert b"Traceback" not in errors


def test_without_a_model_and_without_a_network_one_line_says_what_to_do(tmp_path: Path) -> None:
    result = sixpane(tmp_path / "home", "ask", JAPAN, "--offline")

    assert (result.returncode, result.stdout) == (1, b"")
    assert len(result.stderr.decode().strip().splitlines()) == 1
    assert b"sixpane models import" in result.stderr
    assert not (tmp_path / "home").exists()


@pytest.mark.parametrize(
    ("arguments", "exit_code", "sentence"),
    [
        (["ask"], 2, "required"),
        (["ask", "x", "--temperature", "hot"], 2, "invalid float"),
        (["ask", "x", "--temperature", "-1"], 2, "must be from 0 to 5"),
        (["ask", "x", "--top-p", "0"], 2, "must be above 0"),
        (["ask", "x", "--seed", "-5"], 2, "seed"),
        (["ask", "x", "--beams", "99"], 2, "must be from 1 to 16"),
        (["ask", "x", "--answers", "0"], 2, "not from 1 to 64"),
        (["ask", "x", "--stop", ""], 2, "must not be empty"),
        (["ask", "x", "--regex", "a", "--json-schema", "b"], 2, "not allowed with"),
        (["ask", "x", "--alternatives", "3"], 2, "told with --json alone"),
        (["ask", "x", "--stop-token", "-3"], 2, "must be 0 or more"),
        (["ask", "x", "--regex", "a", "--beams", "2"], 2, "one of the two"),
        (["ask", "x", "--json-schema", "nowhere.json"], 1, "nowhere.json cannot be read (No such file or directory)"),
        (["ask", "x", "--grammar", "."], 1, "cannot be read"),
        (["ask", " "], 1, "no question"),
        (["ask", "x", "--model", "nothing"], 1, "no model called nothing"),
        (["bench"], 1, "no model to measure"),
        (["nonsense"], 2, "invalid choice"),
    ],
)
def test_wrong_usage_and_failures_give_one_clear_line(
    tmp_path: Path, arguments: list[str], exit_code: int, sentence: str
) -> None:
    result = sixpane(tmp_path / "home", *arguments)

    assert result.returncode == exit_code
    assert sentence in result.stderr.decode()
    assert b"Traceback" not in result.stderr


def test_standard_input_that_is_no_text_is_refused(tmp_path: Path) -> None:
    result = sixpane(tmp_path / "home", "ask", "-", stdin=b"\xff\xfe\xfa")

    assert (result.returncode, result.stderr) == (1, b"sixpane: Standard input is not UTF-8 text.\n")
