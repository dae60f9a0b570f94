"""Beam search: the rules, by hand, and the whole against transformers."""

from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from engine.cancellation import Cancellation
from engine.forward import Logits
from engine.forward.session import ForwardSession
from engine.generation.beam import BeamSearch, generate_by_beams
from tests.support.gguf_models import TinyModel
from tests.support.sessions import fp32_session

END = 3


def log_probabilities(*rows: tuple[float, ...]) -> NDArray[np.float32]:
    return np.log(np.array(rows, np.float32))


def test_the_most_probable_whole_answer_wins_over_the_most_probable_first_token() -> None:
    search = BeamSearch(beams=2, length_penalty=1.0, end_token_ids={END}, limit=2)

    search.advance(log_probabilities((0.5, 0.4, 0.09, 0.01)))
    search.advance(log_probabilities((0.4, 0.3, 0.29, 0.01), (0.9, 0.05, 0.04, 0.01)))

    assert search.best.token_ids == (1, 0)
    assert search.best.probabilities == pytest.approx((0.4, 0.9))
    assert search.best.score(1.0) == pytest.approx(np.log(0.36) / 2)


@pytest.mark.parametrize(("length_penalty", "length"), [(0.0, 1), (2.0, 3)])
def test_a_length_penalty_favours_long_answers(length_penalty: float, length: int) -> None:
    search = BeamSearch(beams=2, length_penalty=length_penalty, end_token_ids={END}, limit=3)

    search.advance(log_probabilities((0.4, 0.1, 0.1, 0.4)))
    while not search.is_over:
        search.advance(log_probabilities(*[(0.7, 0.1, 0.1, 0.1)] * len(search.live)))

    assert len(search.best.token_ids) == length


def test_an_extension_stays_in_the_place_of_what_it_extends() -> None:
    search = BeamSearch(beams=3, length_penalty=1.0, end_token_ids={END}, limit=9)
    search.advance(log_probabilities((0.4, 0.3, 0.2, 0.1)))

    parents = search.advance(log_probabilities((0.3, 0.3, 0.3, 0.1), (0.3, 0.3, 0.3, 0.1), (0.49, 0.48, 0.02, 0.01)))

    assert all(parent == place for place, parent in enumerate(parents) if place in parents)


def test_tokens_are_certain_when_all_that_can_win_agree() -> None:
    search = BeamSearch(beams=2, length_penalty=1.0, end_token_ids={END}, limit=9)

    search.advance(log_probabilities((0.6, 0.3, 0.05, 0.05)))
    assert search.stable == 0

    search.advance(log_probabilities((0.5, 0.49, 0.005, 0.005), (0.25, 0.25, 0.25, 0.25)))
    assert (search.stable, search.best.token_ids[0]) == (1, 0)


@pytest.fixture(scope="module")
def tiny_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("beam")


@pytest.fixture(scope="module")
def session(tiny_folder: Path) -> ForwardSession:
    return fp32_session(TinyModel("llama"), tiny_folder)


def search_for(session: ForwardSession, prompt: list[int], search: BeamSearch) -> list[int]:
    session.cache.rewind(0)
    logits = session.forward(prompt)[0]
    return [token.token_id for token in generate_by_beams(session, prompt, logits, search, Cancellation())]


def test_one_beam_is_greedy_decoding(session: ForwardSession) -> None:
    prompt = list(range(5, 40))

    found = search_for(session, prompt, BeamSearch(1, 1.0, {END}, 12))

    session.cache.rewind(0)
    step, greedy = prompt, []
    for _ in range(12):
        step = [int(session.forward(step)[0].argmax())]
        greedy += step
    assert found == greedy


def test_the_probabilities_are_those_of_the_answer_read_alone(session: ForwardSession) -> None:
    prompt = list(range(50, 80))
    search = BeamSearch(4, 1.0, {END}, 20)

    tokens = search_for(session, prompt, search)

    session.cache.rewind(0)
    logits = session.forward([*prompt, *tokens], len(tokens) + 1)[:-1].astype(np.float64)
    chances = np.exp(logits - logits.max(axis=1, keepdims=True))
    chances /= chances.sum(axis=1, keepdims=True)
    expected = [row[token] for row, token in zip(chances, tokens, strict=True)]
    assert search.best.probabilities == pytest.approx(expected, rel=1e-4)


def test_a_stop_ends_the_search(session: ForwardSession) -> None:
    cancellation = Cancellation()
    cancellation.cancel()
    session.cache.rewind(0)
    logits = session.forward([5, 6, 7])[0]

    with pytest.raises(StopIteration) as end:
        next(generate_by_beams(session, [5, 6, 7], logits, BeamSearch(3, 1.0, {END}, 20), cancellation))

    assert end.value.value == "cancelled"


def test_the_next_turn_goes_on_from_the_winner(session: ForwardSession) -> None:
    prompt = list(range(90, 120))

    tokens = search_for(session, prompt, BeamSearch(4, 1.0, {END}, 16))

    assert session.reusable([*prompt, *tokens, 5]) > len(prompt)


@pytest.mark.export
@pytest.mark.slow
@pytest.mark.parametrize("length_penalty", [0.0, 1.0, 2.0, -1.0])
@pytest.mark.parametrize("beams", [2, 4])
def test_sequences_and_scores_are_those_of_transformers(
    session: ForwardSession, beams: int, length_penalty: float
) -> None:
    torch = pytest.importorskip("torch")
    from tests.engine.export.test_against_transformers import torch_model

    theirs = torch_model(TinyModel("llama"))
    for seed in range(4):
        prompt = [int(token) for token in np.random.default_rng(seed).integers(3, 300, 5 + 9 * seed)]
        # End tokens that the model likes, so that hypotheses end at different lengths.
        ends = {int(token) for token in np.argsort(session_logits(session, prompt))[-3 - seed :][:2]}
        search = BeamSearch(beams, length_penalty, ends, 24)

        tokens = search_for(session, prompt, search)

        with torch.inference_mode():
            expected = theirs.generate(
                torch.tensor([prompt]),
                num_beams=beams,
                length_penalty=length_penalty,
                max_new_tokens=24,
                do_sample=False,
                eos_token_id=sorted(ends),
                pad_token_id=0,
                return_dict_in_generate=True,
                output_scores=True,
            )
        generated = expected.sequences[0, len(prompt) :].tolist()
        assert tokens == generated
        assert search.best.score(length_penalty) == pytest.approx(float(expected.sequences_scores[0]), abs=1e-4)


def session_logits(session: ForwardSession, prompt: list[int]) -> Logits:
    session.cache.rewind(0)
    logits: Logits = session.forward(prompt)[0]
    return logits
