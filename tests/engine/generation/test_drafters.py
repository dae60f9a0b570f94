"""Guesses from what was said before, and from a smaller model."""

from collections.abc import Iterable
from pathlib import Path

import pytest

from engine.cancellation import Cancellation
from engine.errors import ModelFolderError
from engine.export import convert_gguf
from engine.forward.session import PREFILL_CHUNK, ForwardSession
from engine.generation.draft_model import DraftModel
from engine.generation.drafters import LONGEST_GUESS, LONGEST_MODEL_GUESS, ModelDrafter, NgramDrafter
from engine.models.manifest import Manifest
from engine.tokenization import Tokenizer
from tests.support.gguf_models import TinyModel

LONG = list(range(100, 160))


def after(prompt: Iterable[int], said: Iterable[int]) -> NgramDrafter:
    drafter = NgramDrafter(list(prompt))
    for token_id in said:
        drafter.add(token_id)
    return drafter


@pytest.fixture(scope="module")
def tiny(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A small model in fp32."""
    folder = tmp_path_factory.mktemp("draft")
    source = TinyModel("llama", context=512).write_gguf(folder / "tiny.gguf")
    convert_gguf(source, folder / "tiny", "fp32", lambda _: None, Cancellation())
    return folder / "tiny"


@pytest.fixture
def draft_model(tiny: Path) -> ForwardSession:
    return ForwardSession.load(tiny, Manifest.read(tiny))


def greedy(session: ForwardSession, token_ids: list[int], count: int) -> list[int]:
    said = [int(session.read_prompt(token_ids).argmax())]
    while len(said) < count:
        said.append(int(session.forward(said[-1:])[0].argmax()))
    return said


class TestGuessesFromWhatWasSaid:
    """The n-gram look-up."""

    def test_three_tokens_that_came_before_promise_what_followed_them(self) -> None:
        assert list(after(LONG, [110, 111, 112]).draft(15)) == [113, 114, 115]

    def test_two_tokens_are_too_few(self) -> None:
        assert list(after(LONG, [110, 111]).draft(15)) == []

    def test_the_longer_the_agreement_the_longer_the_guess(self) -> None:
        said = LONG[10:30]

        lengths = [len(after(LONG, said[:count]).draft(100)) for count in (3, 7, 15, 20)]

        assert lengths == [3, 7, 15, LONGEST_GUESS]

    def test_a_token_that_breaks_the_agreement_ends_the_guesses(self) -> None:
        assert list(after(LONG, [110, 111, 112, 7]).draft(15)) == []

    def test_the_newest_of_several_sources_is_taken(self) -> None:
        prompt = [1, 2, 3, 4, 4, 4, 0, 1, 2, 3, 5, 5, 5]

        assert list(after(prompt, [9, 1, 2, 3]).draft(15))[:3] == [5, 5, 5]

    def test_what_the_answer_itself_said_is_a_source(self) -> None:
        assert list(after([0], [1, 2, 3, 4, 5, 6, 1, 2, 3]).draft(3)) == [4, 5, 6]

    def test_no_guess_is_longer_than_allowed(self) -> None:
        assert [len(after(LONG, LONG[:20]).draft(longest)) for longest in (1, 2, 3)] == [1, 1, 3]

    def test_no_guess_goes_beyond_what_is_known(self) -> None:
        assert list(after([1, 2, 3], [1, 2, 3]).draft(15)) == [1, 2, 3]


class TestGuessesOfASmallerModel:
    """The draft model."""

    def test_the_guess_is_what_it_would_say(self, draft_model: ForwardSession) -> None:
        drafter = ModelDrafter(draft_model, [5, 6, 7], cost=0.3)
        drafter.add(8)

        guess = list(drafter.draft(3))

        assert guess == greedy(draft_model, [5, 6, 7, 8], 3)

    def test_right_guesses_grow_longer_and_wrong_ones_shorter(self, draft_model: ForwardSession) -> None:
        drafter = ModelDrafter(draft_model, [5, 6, 7], cost=0.3)
        right, wrong = [], []
        for _ in range(6):
            guess = list(drafter.draft(100))
            right.append(len(guess))
            for token_id in guess:
                drafter.add(token_id)
        for _ in range(10):
            guess = list(drafter.draft(100))
            wrong.append(len(guess))
            drafter.add(guess[0] + 1)

        assert right == sorted(right)
        assert right[-1] == LONGEST_MODEL_GUESS
        assert wrong[-1] == 1

    def test_it_catches_up_with_a_long_prompt_chunk_by_chunk(self, draft_model: ForwardSession) -> None:
        prompt = [10 + place % 200 for place in range(PREFILL_CHUNK + 40)]
        drafter = ModelDrafter(draft_model, prompt, cost=0.3)

        guesses = [list(drafter.draft(2)) for _ in range(2)]

        assert guesses == [[], greedy(draft_model, prompt, 2)]

    def test_it_is_silent_where_its_own_context_ends(self, draft_model: ForwardSession) -> None:
        drafter = ModelDrafter(draft_model, [7] * draft_model.context_length, cost=0.3)

        assert list(drafter.draft(4)) == []

    def test_a_model_with_other_tokens_is_refused(self, tiny: Path) -> None:
        other = Tokenizer.load(tiny)
        other.fast.add_tokens(["another"])

        with pytest.raises(ModelFolderError, match="their tokens are not the same"):
            DraftModel.load(tiny, Manifest.read(tiny), other)

    def test_a_model_with_the_same_tokens_guesses(self, tiny: Path) -> None:
        model = DraftModel.load(tiny, Manifest.read(tiny), Tokenizer.load(tiny))

        drafter = model.drafter([5, 6, 7])

        assert drafter.cost == 1
        assert len(drafter.draft(3)) == 3
