"""The starters: the catalogue is complete and consistent, and the language decides which one is recommended."""

import re

import pytest

from engine.errors import ModelFileError
from engine.models.starters import Starter, find_starter, recommended_starter, starters


@pytest.mark.parametrize("starter", starters(), ids=lambda starter: starter.id)
def test_the_parts_of_a_starter_add_up_to_its_file(starter: Starter) -> None:
    assert sum(part.bytes for part in starter.parts) == starter.bytes
    assert re.fullmatch("[0-9a-f]{64}", starter.sha256)
    assert starter.licence == "Apache-2.0"


@pytest.mark.parametrize("language", ["zh", "zh_CN", "zh-Hans", "ZH"])
def test_a_chinese_reader_is_recommended_the_starter_that_speaks_chinese(language: str) -> None:
    assert recommended_starter(language).name == "Qwen2.5-Coder-0.5B-Instruct"


@pytest.mark.parametrize("language", ["en", "en_GB", "de", "C", ""])
def test_everybody_else_is_recommended_the_small_starter(language: str) -> None:
    assert recommended_starter(language).name == "SmolLM2-135M-Instruct"


@pytest.mark.parametrize("typed", ["smollm2", "SmolLM2-135M-Instruct", "135m"])
def test_a_starter_is_found_by_a_part_of_its_name(typed: str) -> None:
    assert find_starter(typed).name == "SmolLM2-135M-Instruct"


@pytest.mark.parametrize("typed", ["gpt", "instruct", ""])
def test_an_unknown_or_ambiguous_name_is_answered_with_the_names_there_are(typed: str) -> None:
    with pytest.raises(ModelFileError, match=r"SmolLM2-135M-Instruct, Qwen2\.5-Coder-0\.5B-Instruct"):
        find_starter(typed)
