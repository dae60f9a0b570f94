"""Scoring: every token has the probability that the model gives it, whatever is read in one run."""

from pathlib import Path

import numpy as np
import pytest

from engine.errors import InputError, PromptTooLongError, SettingsError
from engine.events import TextScore, TokenScore
from engine.forward.session import ForwardSession
from engine.generation.candidates import log_sum_exp
from engine.pipeline import Pipeline
from engine.scoring import CHUNK, score_tokens
from tests.support.gguf_models import TinyModel
from tests.support.sessions import fp32_session

TOKENS = [int(token) for token in np.random.default_rng(2).integers(3, 300, 2 * CHUNK + 9)]


@pytest.fixture(scope="module")
def session(tmp_path_factory: pytest.TempPathFactory) -> ForwardSession:
    """A small model in fp32."""
    return fp32_session(TinyModel("qwen2", context=512), tmp_path_factory.mktemp("scoring"))


def test_the_scores_are_those_of_a_model_that_reads_one_token_after_another(session: ForwardSession) -> None:
    expected = []
    session.read_prompt(TOKENS[:1])
    logits = session.read_prompt(TOKENS[:1])
    for token_id in TOKENS[1:]:
        expected.append(float(logits[token_id]) - log_sum_exp(logits))
        logits = session.forward([token_id])[0]

    runs = list(score_tokens(session, TOKENS, 0))

    scores = [score for run in runs for score in run]
    assert [score.token_id for score in scores] == TOKENS
    assert scores[0].log_probability is None
    assert [score.log_probability for score in scores[1:]] == pytest.approx(expected, abs=1e-3)


def test_after_scoring_the_answer_goes_on_as_after_reading(session: ForwardSession) -> None:
    read = session.read_prompt(TOKENS).copy()
    scoring = score_tokens(session, TOKENS, 0)
    while True:
        try:
            next(scoring)
        except StopIteration as end:
            np.testing.assert_allclose(end.value, read, atol=1e-3)
            break
    assert session.cache.token_ids == TOKENS


def test_the_alternatives_are_the_most_probable_tokens(session: ForwardSession) -> None:
    (first, *rest), *_ = score_tokens(session, TOKENS[:20], 3)

    assert first.alternatives == ()
    for score in rest:
        assert score.log_probability is not None
        values = [one.log_probability for one in score.alternatives]
        assert len(values) == 3
        assert values == sorted(values, reverse=True)
        assert score.log_probability <= values[0]


def test_the_perplexity_of_even_chances_is_their_number() -> None:
    scores = (TokenScore(1, None, ()), *(TokenScore(token, float(np.log(1 / 8)), ()) for token in range(5)))

    assert TextScore(scores).perplexity == pytest.approx(8)


@pytest.mark.slow
def test_a_sentence_is_more_probable_than_its_words_in_disorder(starter_folder: Path) -> None:
    pipeline = Pipeline.load(starter_folder)

    sentence = pipeline.score("The capital of Japan is Tokyo.")
    disorder = pipeline.score("Tokyo. is of capital Japan The")

    assert sentence.perplexity * 10 < disorder.perplexity
    with pytest.raises(InputError, match="too short"):
        pipeline.score("a")
    with pytest.raises(SettingsError, match="from 0 to 100"):
        pipeline.score("a b c", 101)
    with pytest.raises(PromptTooLongError, match="tokens longer"):
        pipeline.score("word " * 9000)
