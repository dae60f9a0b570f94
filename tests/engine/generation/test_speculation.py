"""Speculative decoding computes the same answers, by fewer runs, and stops where it loses."""

from collections.abc import Callable, Sequence

import numpy as np
import pytest

from engine.cancellation import Cancellation
from engine.forward.session import ForwardSession
from engine.generation.acceptance import Acceptance
from engine.generation.answer import GrowingAnswer
from engine.generation.drafters import Drafter, ModelDrafter, NgramDrafter
from engine.generation.loop import generate_tokens
from engine.generation.sampling import Sampler
from engine.generation.speculation import CREDIT_PER_TOKEN, FIRST_CREDIT, VERIFY_RATIO, Speculation
from engine.settings import GenerationSettings
from tests.support.gguf_models import TinyModel
from tests.support.sessions import fp32_session

LARGEST_DIFFERENCE = 1e-4
GREEDY = GenerationSettings(temperature=0)
SAMPLED = GenerationSettings(temperature=1, top_k=0, top_p=1, min_p=0)
HOT = GenerationSettings(temperature=4, top_k=0, top_p=1, min_p=0)
PROMPT = [int(token) for token in np.random.default_rng(5).integers(3, 300, 40)]

DrafterOf = Callable[[ForwardSession], Drafter]


@pytest.fixture(scope="module")
def session(tmp_path_factory: pytest.TempPathFactory) -> ForwardSession:
    """A small model in fp32."""
    return fp32_session(TinyModel("llama", context=1024), tmp_path_factory.mktemp("speculation"))


class Oracle:
    """Knows the answer; every so-many-th of its tokens is told wrong."""

    is_certain = False
    cost = 0.0

    def __init__(self, answer: Sequence[int], wrong_every: int = 0) -> None:
        self._guess = [
            token_id + 1 if wrong_every and place % wrong_every == 0 else token_id
            for place, token_id in enumerate(answer)
        ]
        self._said = 0

    def add(self, _: int) -> None:
        self._said += 1

    def draft(self, longest: int) -> Sequence[int]:
        return self._guess[self._said : self._said + min(longest, 7)]


def generate(
    session: ForwardSession,
    settings: GenerationSettings,
    drafters: Sequence[Drafter] = (),
    limit: int = 120,
    seed: int = 1,
) -> tuple[list[int], Acceptance]:
    acceptance = Acceptance()
    logits = session.read_prompt(PROMPT)
    answer = GrowingAnswer(Sampler(settings, seed, PROMPT), (), limit, Cancellation())
    speculation = Speculation(session, drafters, len(PROMPT) + limit, acceptance)
    return [token.token_id for token in generate_tokens(speculation, logits, answer)], acceptance


@pytest.mark.parametrize("settings", [GREEDY, SAMPLED, GenerationSettings(temperature=1, frequency_penalty=1)])
@pytest.mark.parametrize("wrong_every", [0, 1, 2, 5])
def test_guesses_right_or_wrong_leave_the_answer_as_it_is(
    session: ForwardSession, settings: GenerationSettings, wrong_every: int
) -> None:
    plain, _ = generate(session, settings)

    speculated, acceptance = generate(session, settings, [Oracle(plain, wrong_every)])

    assert speculated == plain
    assert acceptance.drafted > 0


@pytest.mark.parametrize(
    "drafter", [lambda _: NgramDrafter(PROMPT), lambda session: ModelDrafter(session, PROMPT, cost=0.2)]
)
def test_the_real_drafters_leave_the_answer_as_it_is(session: ForwardSession, drafter: DrafterOf) -> None:
    draft_model = ForwardSession(session._session, session._manifest)
    plain, _ = generate(session, GREEDY, limit=300)

    speculated, acceptance = generate(session, GREEDY, [drafter(draft_model)], limit=300)

    assert speculated == plain
    assert acceptance.accepted > 0


def test_the_logits_are_those_of_single_steps(session: ForwardSession) -> None:
    plain, _ = generate(session, GREEDY)
    session.read_prompt(PROMPT)
    stepped = [session.forward([token_id])[0].copy() for token_id in plain]
    session.read_prompt(PROMPT)
    speculation = Speculation(session, [Oracle(plain, wrong_every=5)], 1000, Acceptance())

    speculated = [speculation.logits_after(token_id).copy() for token_id in plain]

    np.testing.assert_allclose(speculated, stepped, atol=LARGEST_DIFFERENCE, rtol=0)


def test_right_guesses_are_all_accepted_and_save_runs(session: ForwardSession) -> None:
    plain, _ = generate(session, GREEDY)

    _, acceptance = generate(session, GREEDY, [Oracle(plain)])

    assert acceptance.accepted >= 0.8 * len(plain)
    assert acceptance.accepted == acceptance.drafted


def test_a_guess_is_accepted_as_often_as_the_model_would_say_it(session: ForwardSession) -> None:
    trials = 400
    (first,), _ = generate(session, GREEDY, limit=1)
    logits = session.forward([first])[0].astype(np.float64)
    guess = int(logits.argmax())
    weights = np.exp(logits / HOT.temperature)
    probability = weights[guess] / weights.sum()

    accepted = 0
    for seed in range(trials):
        session.read_prompt(PROMPT)
        acceptance = Acceptance()
        speculation = Speculation(session, [Oracle([first, guess])], 1000, acceptance)
        chosen = Sampler(HOT, seed, PROMPT).choose(speculation.logits_after(first))
        speculation.logits_after(chosen)
        accepted += acceptance.accepted

    deviation = (probability * (1 - probability) / trials) ** 0.5
    assert 0.02 < probability < 0.98
    assert accepted / trials == pytest.approx(probability, abs=4 * deviation)


def test_wrong_guesses_stop_after_their_credit(session: ForwardSession) -> None:
    plain, _ = generate(session, GREEDY, limit=200)

    _, acceptance = generate(session, GREEDY, [Oracle(plain, wrong_every=1)], limit=200)

    per_guess = (VERIFY_RATIO - 1) / 3
    assert acceptance.accepted == 0
    assert 0 < acceptance.drafted * per_guess <= FIRST_CREDIT + 200 * CREDIT_PER_TOKEN


@pytest.mark.parametrize("limit", range(1, 12))
def test_nothing_is_read_beyond_the_last_token(session: ForwardSession, limit: int) -> None:
    plain, _ = generate(session, GREEDY)

    speculated, _ = generate(session, GREEDY, [Oracle(plain)], limit=limit)

    assert speculated == plain[:limit]
    assert len(session.cache.token_ids) < len(PROMPT) + limit


def test_the_cache_serves_the_next_prompt_after_wrong_guesses(session: ForwardSession) -> None:
    plain, _ = generate(session, GREEDY)
    generate(session, GREEDY, [Oracle(plain, wrong_every=3)], limit=50)
    prompt = [*PROMPT, *plain[:50], 9, 8, 7]

    reused = session.read_prompt(prompt).copy()
    session.cache.rewind(0)

    np.testing.assert_allclose(reused, session.read_prompt(prompt), atol=LARGEST_DIFFERENCE, rtol=0)
