"""Several answers to one question, and beam search, through all six stages with the real starter model."""

import math
from collections import defaultdict
from pathlib import Path
from typing import Any

import pytest

from engine import (
    Cancellation,
    Event,
    Finished,
    GenerationSettings,
    Message,
    PromptPrepared,
    SettingsError,
    TextDelta,
    TokenGenerated,
)
from engine.pipeline import Pipeline

pytestmark = pytest.mark.slow

JAPAN = [Message("user", "What is the capital of Japan?")]
STORY = [Message("user", "Tell me a long story about a lighthouse.")]


@pytest.fixture(scope="module")
def pipeline(starter_folder: Path) -> Pipeline:
    return Pipeline.load(starter_folder)


def several(pipeline: Pipeline, count: int, cancel_after: int = 10_000, **changes: Any) -> list[list[Event]]:
    """The events of each answer to the question for a story."""
    settings = GenerationSettings(**{"temperature": 1, "seed": 5, "max_new_tokens": 24} | changes)
    events: dict[int, list[Event]] = defaultdict(list)
    cancellation = Cancellation()
    for number, one in enumerate(pipeline.generate_several(STORY, settings, count, cancellation)):
        events[one.index].append(one.event)
        if number == cancel_after:
            cancellation.cancel()
    return [events[index] for index in range(count)]


def finished(events: list[Event]) -> Finished:
    last = events[-1]
    assert isinstance(last, Finished)
    return last


def test_each_answer_has_its_seed_and_all_events_of_an_answer_alone(pipeline: Pipeline) -> None:
    answers = several(pipeline, 3)

    assert [next(e.seed for e in events if isinstance(e, PromptPrepared)) for events in answers] == [5, 6, 7]
    assert len({finished(events).text for events in answers}) == 3
    for events in answers:
        assert "".join(e.text for e in events if isinstance(e, TextDelta)) == finished(events).text
        assert tuple(e.token_id for e in events if isinstance(e, TokenGenerated)) == finished(events).token_ids


def test_stop_strings_end_each_answer_for_itself(pipeline: Pipeline) -> None:
    answers = several(pipeline, 4, stop=(",",), max_new_tokens=60)

    assert {finished(events).reason for events in answers} <= {"stop", "length", "end"}
    assert sum(finished(events).reason == "stop" for events in answers) >= 2
    assert not any("," in finished(events).text for events in answers)


def test_a_stop_ends_all_answers(pipeline: Pipeline) -> None:
    answers = several(pipeline, 3, cancel_after=30, max_new_tokens=400)

    assert {finished(events).reason for events in answers} == {"cancelled"}


def test_several_answers_and_beams_exclude_each_other(pipeline: Pipeline) -> None:
    with pytest.raises(SettingsError, match="one answer"):
        several(pipeline, 2, beams=2)


def test_beams_find_an_answer_that_is_at_least_as_probable_as_the_greedy_one(pipeline: Pipeline) -> None:
    def log_probability(**changes: Any) -> float:
        settings = GenerationSettings(temperature=0, max_new_tokens=12, length_penalty=0, **changes)
        tokens = [e for e in pipeline.generate(STORY, settings, Cancellation()) if isinstance(e, TokenGenerated)]
        return sum(math.log(token.probability) for token in tokens)

    assert log_probability(beams=4) >= log_probability()


def test_the_text_of_a_beam_search_streams_and_only_grows(pipeline: Pipeline) -> None:
    settings = GenerationSettings(beams=3, max_new_tokens=60)

    events = list(pipeline.generate(STORY, settings, Cancellation()))

    deltas = [event.text for event in events if isinstance(event, TextDelta)]
    assert "".join(deltas) == finished(events).text
    assert len(deltas) > 3


def test_beams_know_the_capital_of_japan(pipeline: Pipeline) -> None:
    events = list(pipeline.generate(JAPAN, GenerationSettings(beams=4), Cancellation()))

    assert (finished(events).text, finished(events).reason) == ("The capital of Japan is Tokyo.", "end")
