"""`sixpane score`, as a person or another program runs it."""

import json
from pathlib import Path

import pytest

from app.paths import Paths
from tests.app.cli.test_ask import sixpane


@pytest.mark.slow
def test_a_text_gets_a_perplexity_and_on_request_all_of_its_tokens(starter_home: Paths) -> None:
    plain = sixpane(starter_home.home, "score", "The sky is blue.").stdout.decode()
    told = json.loads(
        sixpane(starter_home.home, "score", "-", "--json", "--alternatives", "2", stdin=b"Hi, all.").stdout
    )

    assert plain.startswith("5 tokens, perplexity ")
    assert told["perplexity"] > 1
    assert told["tokens"][0]["log_probability"] is None
    assert [len(token["alternatives"]) for token in told["tokens"][1:]] == [2] * (len(told["tokens"]) - 1)


@pytest.mark.parametrize(("arguments", "exit_code"), [(["score"], 2), (["score", "some text"], 1)])
def test_wrong_usage_and_a_missing_model_give_one_clear_line(
    tmp_path: Path, arguments: list[str], exit_code: int
) -> None:
    result = sixpane(tmp_path / "home", *arguments)

    assert result.returncode == exit_code
    assert b"Traceback" not in result.stderr
