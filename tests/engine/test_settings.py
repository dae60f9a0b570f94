"""Settings: what is out of range is refused in a sentence, and what JSON kept comes back."""

import json
from dataclasses import asdict
from typing import Any

import pytest

from engine.errors import SettingsError
from engine.settings import Constraint, GenerationSettings


@pytest.mark.parametrize(
    "settings",
    [
        GenerationSettings(),
        GenerationSettings(stop=("one", "two"), stop_token_ids=(3, 4), logit_bias=((5, -1.5),), seed=7),
        GenerationSettings(constraint=Constraint("regex", "[a-z]+")),
    ],
)
def test_settings_come_back_from_json(settings: GenerationSettings) -> None:
    assert GenerationSettings.from_json(json.loads(json.dumps(asdict(settings)))) == settings


@pytest.mark.parametrize(
    ("values", "sentence"),
    [
        ({"temperature": 5.1}, "The setting temperature must be from 0 to 5, not 5.1."),
        ({"temperature": float("nan")}, "The setting temperature must be from 0 to 5, not nan."),
        ({"top_p": 0.0}, "The setting top-p must be above 0 and at most 1, not 0.0."),
        ({"top_k": -1}, "The setting top-k must be 0 or more, not -1."),
        ({"max_new_tokens": 0}, "The setting max-new-tokens must be 1 or more, not 0."),
        ({"logit_bias": ((-1, 1.0),)}, "The setting token id of a logit bias must be 0 or more, not -1."),
        ({"stop": ("",)}, "A text that ends the answer must not be empty."),
        (
            {"constraint": Constraint("regex", "a"), "beams": 2},
            "Beam search follows no constraint; ask for one of the two.",
        ),
        (
            {"constraint": Constraint("regex", "a"), "stop": ("a",)},
            "A constraint ends the answer by itself; leave out what else would end it.",
        ),
        ({"alternatives": 3, "beams": 2}, "Beam search tells no alternatives; ask for one of the two."),
        ({"stop_token_ids": (-3,)}, "The setting stop token must be 0 or more, not -3."),
    ],
)
def test_what_cannot_be_is_refused_in_a_sentence(values: dict[str, Any], sentence: str) -> None:
    with pytest.raises(SettingsError) as caught:
        GenerationSettings(**values)
    assert str(caught.value) == sentence


def test_an_unknown_kind_of_constraint_is_refused() -> None:
    with pytest.raises(SettingsError, match="the kind of constraint xml"):
        GenerationSettings.from_json({"constraint": {"kind": "xml", "text": ""}})
