"""Several answers at once: each as if it were alone."""

from collections import defaultdict
from collections.abc import Iterable, Sequence

import numpy as np
import pytest

from engine.cancellation import Cancellation
from engine.events import PrefillProgress, StopReason, TokenGenerated
from engine.forward.batch_cache import BatchCache
from engine.forward.session import PREFILL_CHUNK, ForwardSession
from engine.generation.acceptance import Acceptance
from engine.generation.answer import GrowingAnswer
from engine.generation.batch import Batch, BatchedAnswer
from engine.generation.loop import generate_tokens
from engine.generation.sampling import Sampler
from engine.generation.speculation import Speculation
from engine.settings import GenerationSettings
from tests.support.gguf_models import TinyModel
from tests.support.sessions import fp32_session

LARGEST_DIFFERENCE = 1e-4
SAMPLED = GenerationSettings(temperature=1.0)
GREEDY = GenerationSettings(temperature=0)
END = 319


@pytest.fixture(scope="module")
def session(tmp_path_factory: pytest.TempPathFactory) -> ForwardSession:
    """A small model in fp32."""
    return fp32_session(TinyModel("llama", context=1024), tmp_path_factory.mktemp("batch"))


def prompt(length: int, seed: int = 0) -> list[int]:
    return [int(token) for token in np.random.default_rng(seed).integers(3, 300, length)]


def asked(
    token_ids: Sequence[int], seed: int = 0, limit: int = 20, settings: GenerationSettings = SAMPLED
) -> BatchedAnswer:
    return BatchedAnswer(token_ids, GrowingAnswer(Sampler(settings, seed, token_ids), {END}, limit, Cancellation()))


def alone(session: ForwardSession, asked: BatchedAnswer) -> list[int]:
    """The tokens of the same answer without a batch."""
    session.cache.rewind(0)
    logits = session.forward(asked.token_ids)[0]
    speculation = Speculation(session, (), session.context_length, Acceptance())
    return [token.token_id for token in generate_tokens(speculation, logits, asked.answer)]


def run(batch: Batch, answers: Iterable[BatchedAnswer]) -> tuple[list[list[int]], list[StopReason]]:
    """The tokens and the reasons, in the order of the answers."""
    answers = list(answers)
    for answer in answers:
        batch.add(answer)
    tokens: dict[int, list[int]] = defaultdict(list)
    reasons: dict[int, StopReason] = {}
    for answer, event in batch.run():
        if isinstance(event, TokenGenerated):
            tokens[id(answer)].append(event.token_id)
        elif isinstance(event, str):
            reasons[id(answer)] = event
    return [tokens[id(answer)] for answer in answers], [reasons[id(answer)] for answer in answers]


def test_rows_of_different_lengths_have_the_logits_they_have_alone(session: ForwardSession) -> None:
    prompts = [prompt(length, seed=length) for length in (5, 90, 1, 40)]
    batch = BatchCache(session.layout, places=4)
    for token_ids in prompts:
        session.cache.rewind(0)
        session.forward(token_ids)
        batch.join(session.cache)

    together = np.stack([session.step(batch, [7, 8, 9, 10]).copy() for _ in range(3)])

    for row, token_ids in enumerate(prompts):
        session.cache.rewind(0)
        session.forward(token_ids)
        single = np.stack([session.forward([7 + row])[0].copy() for _ in range(3)])
        assert np.abs(together[:, row] - single).max() <= LARGEST_DIFFERENCE


@pytest.mark.parametrize("settings", [SAMPLED, GREEDY])
def test_answers_that_join_and_leave_are_those_they_would_be_alone(
    session: ForwardSession, settings: GenerationSettings
) -> None:
    orders = [(prompt(3 + 17 * seed, seed), seed, 5 + 7 * (seed % 4), settings) for seed in range(7)]

    tokens, _ = run(Batch(session, rows=3), [asked(*order) for order in orders])

    assert tokens == [alone(session, asked(*order)) for order in orders]


def test_several_answers_to_one_prompt_read_it_once(session: ForwardSession) -> None:
    token_ids = prompt(2 * PREFILL_CHUNK, seed=99)
    batch = Batch(session)
    for seed in range(3):
        batch.add(asked(token_ids, seed, limit=2))

    read = [event.done for _, event in batch.run() if isinstance(event, PrefillProgress)]

    assert read == [PREFILL_CHUNK, 2 * PREFILL_CHUNK, 2 * PREFILL_CHUNK, 2 * PREFILL_CHUNK]


def test_answers_grow_while_a_long_prompt_is_read(session: ForwardSession) -> None:
    short, long = asked(prompt(5)), asked(prompt(3 * PREFILL_CHUNK, seed=1))
    batch = Batch(session)
    batch.add(short)
    batch.add(long)

    events = list(batch.run())

    last_chunk = max(index for index, (answer, event) in enumerate(events) if isinstance(event, PrefillProgress))
    assert sum(answer is short and isinstance(event, TokenGenerated) for answer, event in events[:last_chunk]) >= 3


def test_an_answer_may_be_added_while_others_grow(session: ForwardSession) -> None:
    first, second = asked(prompt(5)), asked(prompt(9), seed=4)
    batch = Batch(session)
    batch.add(first)
    tokens: list[int] = []
    for answer, event in batch.run():
        if (
            answer is first
            and first.answer.generated == 10
            and second.answer.generated == 0
            and isinstance(event, TokenGenerated)
        ):
            batch.add(second)
        if answer is second and isinstance(event, TokenGenerated):
            tokens.append(event.token_id)

    assert tokens == alone(session, asked(prompt(9), seed=4))


def test_a_stop_ends_one_answer_and_leaves_the_others(session: ForwardSession) -> None:
    answers = [asked(prompt(5), seed) for seed in range(3)]
    batch = Batch(session)
    for answer in answers:
        batch.add(answer)
    reasons = {}
    for answer, event in batch.run():
        if answer is answers[1] and answer.answer.generated == 4:
            answer.answer.cancellation.cancel()
        if isinstance(event, str):
            reasons[answers.index(answer)] = (event, answer.answer.generated)

    assert reasons == {0: ("length", 20), 1: ("cancelled", 4), 2: ("length", 20)}


def test_an_answer_that_was_stopped_before_it_began_is_not_read(session: ForwardSession) -> None:
    answer = asked(prompt(5))
    answer.answer.cancellation.cancel()

    assert run(Batch(session), [answer]) == ([[]], ["cancelled"])


def test_the_next_turn_of_an_answer_need_not_be_read_again(session: ForwardSession) -> None:
    token_ids = prompt(30, seed=8)
    (tokens,), _ = run(Batch(session), [asked(token_ids)])

    assert session.reusable([*token_ids, *tokens, 5]) == 30 + len(tokens) - 1
