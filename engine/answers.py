"""Several answers to one prompt, which grow in one batch: the prompt is read once."""

from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass

from engine.cancellation import Cancellation
from engine.events import AnswerEvent, Event, PrefillProgress, PromptPrepared, StopReason, TokenGenerated
from engine.forward.session import ForwardSession
from engine.generation.answer import GrowingAnswer
from engine.generation.batch import Batch, BatchedAnswer
from engine.generation.constraint import ConstrainedText
from engine.generation.sampling import Sampler
from engine.reply import Reply
from engine.settings import LARGEST_SEED, GenerationSettings
from engine.speech import Speech
from engine.tokenization import Tokenizer


class SeveralAnswers:
    """Answers to one prompt that differ in their seeds alone: the first has the seed given, the next one more.

    Args:
        session: The model.
        tokenizer: That of the model.
        end_token_ids: Tokens that end an answer.
        prepared: The prompt; its seed is that of the first answer.
        settings: The settings of every answer.
        limit: The most tokens of an answer.
        constrain: Begins what the text of an answer must keep to, if anything.
    """

    def __init__(
        self,
        session: ForwardSession,
        tokenizer: Tokenizer,
        end_token_ids: Collection[int],
        prepared: PromptPrepared,
        settings: GenerationSettings,
        limit: int,
        constrain: Callable[[], ConstrainedText | None],
    ) -> None:
        self._tokenizer = tokenizer
        self._end_token_ids = end_token_ids
        self._prepared = prepared
        self._settings = settings
        self._limit = limit
        self._constrain = constrain
        self._batch = Batch(session)
        self._answers: list[_Answer] = []

    def generate(self, count: int, cancellation: Cancellation) -> Iterator[AnswerEvent]:
        """Let the answers grow until the last one has ended.

        Args:
            count: How many answers.
            cancellation: Ends all of them.

        Raises:
            SettingsError: The constraint cannot be used.
            ModelRunError: The runtime failed while it computed.
        """
        for index in range(count):
            answer = self._new_answer(index)
            self._answers.append(answer)
            self._batch.add(answer.batched)
            yield AnswerEvent(index, answer.prepared)
        for batched, event in self._batch.run():
            if cancellation.requested:
                self._stop_all()
            index = next(index for index, answer in enumerate(self._answers) if answer.batched is batched)
            for each in self._answers[index].take(event):
                yield AnswerEvent(index, each)

    def _new_answer(self, index: int) -> "_Answer":
        prepared, seed = self._prepared, (self._prepared.seed + index) % (LARGEST_SEED + 1)
        token_ids = prepared.prompt_token_ids
        # Those after the first find in the cache what the first has read; only the last token is read again.
        reused = prepared.reused_tokens if index == 0 else len(token_ids) - 1
        constraint = self._constrain()
        sampler = Sampler(self._settings, seed, token_ids, self._end_token_ids, constraint)
        growing = GrowingAnswer(sampler, self._end_token_ids, self._limit, Cancellation(), self._settings.alternatives)
        reply = Reply()
        reply.prompt_prepared(len(token_ids), reused)
        return _Answer(
            PromptPrepared(token_ids, reused, prepared.dropped_messages, seed),
            BatchedAnswer(token_ids, growing),
            reply,
            Speech(self._tokenizer, self._settings, reply),
            constraint,
        )

    def _stop_all(self) -> None:
        for answer in self._answers:
            answer.batched.answer.cancellation.cancel()


@dataclass(frozen=True, slots=True)
class _Answer:
    prepared: PromptPrepared
    batched: BatchedAnswer
    reply: Reply
    speech: Speech
    constraint: ConstrainedText | None

    def take(self, event: PrefillProgress | TokenGenerated | StopReason) -> Iterator[Event]:
        """What an event of the batch means for the person."""
        if isinstance(event, PrefillProgress):
            self.reply.prefill_progressed()
            yield event
        elif isinstance(event, TokenGenerated):
            yield from self.speech.feed(event)
            if self.speech.ended:
                self.batched.answer.cancellation.cancel()
        else:
            yield from self.speech.flush()
            keeps_constraint = not self.constraint or self.constraint.is_satisfied
            yield self.reply.finish(self.speech.ended or event, keeps_constraint)
