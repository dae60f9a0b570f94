"""A growing answer: it ends for one reason, and never says what was not computed."""

import numpy as np
import pytest

from engine.cancellation import Cancellation
from engine.errors import ModelRunError
from engine.generation.answer import GrowingAnswer
from engine.generation.sampling import Sampler
from engine.settings import GenerationSettings

GREEDY = GenerationSettings(temperature=0)


def growing(limit: int = 10, settings: GenerationSettings = GREEDY) -> GrowingAnswer:
    return GrowingAnswer(Sampler(settings, 1, (), (2,)), (2,), limit, Cancellation())


@pytest.mark.parametrize("temperature", [0.0, 0.7])
def test_a_model_that_computes_no_numbers_is_said_to_be_damaged(temperature: float) -> None:
    answer = growing(settings=GenerationSettings(temperature=temperature))

    with pytest.raises(ModelRunError, match="damaged"):
        answer.choose(np.full(50, np.nan, np.float32))


def test_an_end_token_goes_before_the_limit_and_both_before_a_stop() -> None:
    logits = np.zeros(50, np.float32)
    logits[2] = 1
    answer = growing(limit=1)
    answer.cancellation.cancel()
    answer.choose(logits)
    assert answer.ended == "end"

    logits[7] = 2
    answer = growing(limit=1)
    answer.cancellation.cancel()
    answer.choose(logits)
    assert answer.ended == "length"
