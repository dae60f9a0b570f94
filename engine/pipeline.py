"""The six stages of one reply, in order; read this file first."""

import secrets
from collections.abc import Generator, Iterator, Sequence
from functools import cached_property, partial
from pathlib import Path
from typing import Self

from engine.answers import SeveralAnswers
from engine.cancellation import Cancellation
from engine.conversation import Message
from engine.errors import SettingsError
from engine.events import (
    AnswerEvent,
    Event,
    PrefillProgress,
    PromptPrepared,
    PromptScored,
    StopReason,
    TextScore,
    TokenGenerated,
    TokenScore,
)
from engine.forward import Logits
from engine.forward.session import ForwardSession
from engine.generation.acceptance import Acceptance
from engine.generation.answer import GrowingAnswer
from engine.generation.beam import BeamSearch, generate_by_beams
from engine.generation.constraint import ConstrainedText, ConstraintCompiler, ForcedDrafter
from engine.generation.draft_model import DraftModel
from engine.generation.drafters import Drafter, NgramDrafter
from engine.generation.loop import generate_tokens
from engine.generation.sampling import Sampler
from engine.generation.speculation import VERIFY_RATIO, Speculation
from engine.machine import MachineProfile, machine_profile
from engine.models.manifest import Manifest
from engine.preprocess.chat_template import ChatTemplate, load_chat_template
from engine.preprocess.context_window import fit_window
from engine.preprocess.prompt import Segment, render_prompt
from engine.reply import Reply
from engine.scoring import score_text, score_tokens
from engine.settings import GenerationSettings
from engine.speech import Speech
from engine.tokenization import Tokenizer

DRAWN_SEEDS = 2**32
"""Seeds that are drawn are below this, short enough to be read out."""

LARGEST_RESERVE = 0.25
"""At most this share of the context is kept free for the answer."""


class Pipeline:
    """A loaded model that answers, through all six stages.

    One thread at a time may use it. The KV cache stays between answers, so that a conversation that goes on is not
    read again from its beginning.
    """

    device = "CPU"

    def __init__(
        self,
        manifest: Manifest,
        template: ChatTemplate,
        tokenizer: Tokenizer,
        session: ForwardSession,
        draft_model: DraftModel | None = None,
        machine: MachineProfile | None = None,
    ) -> None:
        self.manifest = manifest
        self._template = template
        self._tokenizer = tokenizer
        self.session = session
        self._draft_model = draft_model
        self._verify_ratio = machine.verify_ratio if machine else VERIFY_RATIO

    @classmethod
    def load(cls, folder: Path, draft_folder: Path | None = None, machine_file: Path | None = None) -> Self:
        """Load a model folder.

        Args:
            folder: The model that answers.
            draft_folder: A smaller model with the same tokens, which guesses what comes next.
            machine_file: Where it is kept what was measured of this machine; it is measured if the file is not there.

        Raises:
            ModelFolderError: A folder is incomplete, damaged or of an unknown kind, or the two have different tokens.
            TemplateError: The model has no valid chat template.
        """
        manifest = Manifest.read(folder)
        tokenizer = Tokenizer.load(folder)
        template = load_chat_template(folder, tokenizer.fast.id_to_token)
        machine = machine_profile(machine_file) if machine_file else None
        draft_model = DraftModel.load(draft_folder, manifest, tokenizer, machine) if draft_folder else None
        session = ForwardSession.load(folder, manifest, machine=machine)
        return cls(manifest, template, tokenizer, session, draft_model, machine)

    def generate(
        self, conversation: Sequence[Message], settings: GenerationSettings, cancellation: Cancellation
    ) -> Iterator[Event]:
        """Answer the last message of the conversation.

        Raises:
            SettingsError: The constraint cannot be used.
            PromptTooLongError: The question does not fit into the context.
            TemplateError: The chat template cannot write this conversation.
            ModelRunError: The runtime failed while it computed.
        """
        reply = Reply()

        # 1 preprocess: the conversation becomes a prompt that fits.
        # 2 tokenise: the prompt becomes token ids.
        prepared = self._prepare(conversation, settings)
        token_ids = prepared.prompt_token_ids
        constraint = self._constrain(settings, self._limit(prepared, settings))
        reply.prompt_prepared(len(token_ids), prepared.reused_tokens)
        yield prepared

        # 3 forward: the model reads them and gives logits.
        logits = yield from self._read(token_ids, settings, reply, cancellation)
        if logits is None:
            yield reply.finish("cancelled", not constraint)
            return

        # 4 generate: logits become tokens, until a stop condition holds.
        tokens = self._choose_tokens(prepared, logits, settings, constraint, reply.acceptance, cancellation)

        # 5 decode and 6 postprocess: tokens become text, and text becomes what the person sees.
        reason = yield from self._speak(tokens, Speech(self._tokenizer, settings, reply))
        yield reply.finish(reason, not constraint or constraint.is_satisfied)

    def generate_several(
        self, conversation: Sequence[Message], settings: GenerationSettings, count: int, cancellation: Cancellation
    ) -> Iterator[AnswerEvent]:
        """Answer the last message of the conversation several times at once, with different seeds.

        Raises:
            SettingsError: Beam search, too, is asked for, or the constraint cannot be used.
            PromptTooLongError: The question does not fit into the context.
            TemplateError: The chat template cannot write this conversation.
            ModelRunError: The runtime failed while it computed.
        """
        if settings.beams > 1:
            raise SettingsError("Beam search gives one answer; ask for several answers without it.")
        if settings.score_prompt:
            raise SettingsError("The prompt is scored for one answer alone; ask for several answers without it.")
        prepared = self._prepare(conversation, settings)
        limit = self._limit(prepared, settings)
        answers = SeveralAnswers(
            self.session,
            self._tokenizer,
            self.manifest.end_token_ids,
            prepared,
            settings,
            limit,
            partial(self._constrain, settings, limit),
        )
        yield from answers.generate(count, cancellation)

    def score(self, text: str, alternatives: int = 0) -> TextScore:
        """How probable the model finds a text that stands for itself, outside any conversation.

        Args:
            text: Ordinary text: names of control tokens in it are characters like any others.
            alternatives: How many of the most probable tokens are told at each place.

        Raises:
            SettingsError: The number of alternatives is outside its range.
            InputError: The text is too short to be scored.
            PromptTooLongError: The text does not fit into the context.
            ModelRunError: The runtime failed while it computed.
        """
        return score_text(self.session, self._tokenizer, text, alternatives)

    def _prepare(self, conversation: Sequence[Message], settings: GenerationSettings) -> PromptPrepared:
        window = fit_window(conversation, self._count_tokens, self._prompt_budget(settings))
        token_ids = self._tokenizer.encode(self._write(window.messages))
        seed = secrets.randbelow(DRAWN_SEEDS) if settings.seed is None else settings.seed
        reused = 0 if settings.score_prompt else self.session.reusable(token_ids)
        return PromptPrepared(tuple(token_ids), reused, window.dropped, seed)

    def _choose_tokens(
        self,
        prepared: PromptPrepared,
        logits: Logits,
        settings: GenerationSettings,
        constraint: ConstrainedText | None,
        acceptance: Acceptance,
        cancellation: Cancellation,
    ) -> Generator[TokenGenerated, None, StopReason]:
        token_ids, ends = prepared.prompt_token_ids, self.manifest.end_token_ids
        limit = self._limit(prepared, settings)
        if settings.beams > 1:
            search = BeamSearch(settings.beams, settings.length_penalty, ends, limit)
            return generate_by_beams(self.session, token_ids, logits, search, cancellation)
        sampler = Sampler(settings, prepared.seed, token_ids, ends, constraint)
        answer = GrowingAnswer(sampler, ends, limit, cancellation, settings.alternatives)
        drafters = self._drafters(token_ids, settings, constraint)
        speculation = Speculation(self.session, drafters, len(token_ids) + limit, acceptance, self._verify_ratio)
        return generate_tokens(speculation, logits, answer)

    def _drafters(
        self, prompt: Sequence[int], settings: GenerationSettings, constraint: ConstrainedText | None
    ) -> Iterator[Drafter]:
        if constraint:
            yield ForcedDrafter(constraint)
        if settings.speculate:
            yield NgramDrafter(prompt)
            if self._draft_model:
                yield self._draft_model.drafter(prompt)

    @cached_property
    def _constraints(self) -> ConstraintCompiler:
        return ConstraintCompiler(self._tokenizer.fast, self.manifest.end_token_ids)

    def _constrain(self, settings: GenerationSettings, limit: int) -> ConstrainedText | None:
        return self._constraints.start(settings.constraint, limit) if settings.constraint else None

    def _limit(self, prepared: PromptPrepared, settings: GenerationSettings) -> int:
        return min(settings.max_new_tokens, self.manifest.context_length - len(prepared.prompt_token_ids))

    def _write(self, messages: Sequence[Message]) -> tuple[Segment, ...]:
        return render_prompt(messages, self._template, self._tokenizer.control_tokens)

    def _count_tokens(self, messages: Sequence[Message]) -> int:
        return len(self._tokenizer.encode(self._write(messages)))

    def _prompt_budget(self, settings: GenerationSettings) -> int:
        context = self.manifest.context_length
        return context - min(settings.max_new_tokens, int(context * LARGEST_RESERVE))

    def _read(
        self, token_ids: Sequence[int], settings: GenerationSettings, reply: Reply, cancellation: Cancellation
    ) -> Generator[Event, None, Logits | None]:
        reading: Generator[int | tuple[TokenScore, ...], None, Logits] = (
            score_tokens(self.session, token_ids, settings.alternatives)
            if settings.score_prompt
            else self.session.prefill(token_ids)
        )
        done = 0
        while not cancellation.requested:
            try:
                step = next(reading)
            except StopIteration as end:
                logits: Logits = end.value
                return logits
            reply.prefill_progressed()
            if isinstance(step, tuple):
                yield PromptScored(step)
            done = done + len(step) if isinstance(step, tuple) else step
            yield PrefillProgress(done, len(token_ids))
        return None

    def _speak(
        self, tokens: Generator[TokenGenerated, None, StopReason], speech: Speech
    ) -> Generator[Event, None, StopReason]:
        reason: StopReason | None = None
        while reason is None:
            try:
                token = next(tokens)
            except StopIteration as end:
                reason = end.value
            else:
                yield from speech.feed(token)
                reason = speech.ended
        yield from speech.flush()
        return speech.ended or reason
