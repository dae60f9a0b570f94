"""The six stages of one reply, in order; read this file first."""

import secrets
from collections.abc import Generator, Iterator, Sequence
from pathlib import Path
from typing import Self

from engine.cancellation import Cancellation
from engine.conversation import Message
from engine.decoding import StopMatcher, StreamingDecoder
from engine.events import Event, PrefillProgress, PromptPrepared, StopReason, TextDelta, TokenGenerated
from engine.forward import Logits
from engine.forward.session import ForwardSession
from engine.generation.loop import generate_tokens
from engine.generation.sampling import Sampler
from engine.models.manifest import Manifest
from engine.postprocess import present
from engine.preprocess.chat_template import ChatTemplate, load_chat_template
from engine.preprocess.context_window import fit_window
from engine.preprocess.prompt import Segment, render_prompt
from engine.reply import Reply
from engine.settings import GenerationSettings
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
        self, manifest: Manifest, template: ChatTemplate, tokenizer: Tokenizer, session: ForwardSession
    ) -> None:
        self.manifest = manifest
        self._template = template
        self._tokenizer = tokenizer
        self.session = session

    @classmethod
    def load(cls, folder: Path) -> Self:
        """Load a model folder.

        Raises:
            ModelFolderError: The folder is incomplete, damaged or of an unknown kind.
            TemplateError: The model has no valid chat template.
        """
        manifest = Manifest.read(folder)
        tokenizer = Tokenizer.load(folder)
        template = load_chat_template(folder, tokenizer.fast.id_to_token)
        return cls(manifest, template, tokenizer, ForwardSession.load(folder, manifest))

    def generate(
        self, conversation: Sequence[Message], settings: GenerationSettings, cancellation: Cancellation
    ) -> Iterator[Event]:
        """Answer the last message of the conversation.

        Raises:
            PromptTooLongError: The question does not fit into the context.
            TemplateError: The chat template cannot write this conversation.
            ModelRunError: The runtime failed while it computed.
        """
        reply = Reply()

        # 1 preprocess: the conversation becomes a prompt that fits.
        window = fit_window(conversation, self._count_tokens, self._prompt_budget(settings))
        prompt = self._write(window.messages)

        # 2 tokenise: the prompt becomes token ids.
        token_ids = self._tokenizer.encode(prompt)
        seed = secrets.randbelow(DRAWN_SEEDS) if settings.seed is None else settings.seed
        reused = self.session.reusable(token_ids)
        reply.prompt_prepared(len(token_ids), reused)
        yield PromptPrepared(tuple(token_ids), reused, window.dropped, seed)

        # 3 forward: the model reads them and gives logits.
        logits = yield from self._read(token_ids, reply, cancellation)
        if logits is None:
            yield reply.finish("cancelled")
            return

        # 4 generate: logits become tokens, until a stop condition holds.
        tokens = generate_tokens(
            self.session,
            logits,
            Sampler(settings, seed, token_ids),
            self.manifest.end_token_ids,
            min(settings.max_new_tokens, self.manifest.context_length - len(token_ids)),
            cancellation,
        )

        # 5 decode and 6 postprocess: tokens become text, and text becomes what the person sees.
        reason = yield from self._speak(tokens, reply, StopMatcher(settings.stop))
        yield reply.finish(reason)

    def _write(self, messages: Sequence[Message]) -> tuple[Segment, ...]:
        return render_prompt(messages, self._template, self._tokenizer.control_tokens)

    def _count_tokens(self, messages: Sequence[Message]) -> int:
        return len(self._tokenizer.encode(self._write(messages)))

    def _prompt_budget(self, settings: GenerationSettings) -> int:
        context = self.manifest.context_length
        return context - min(settings.max_new_tokens, int(context * LARGEST_RESERVE))

    def _read(
        self, token_ids: Sequence[int], reply: Reply, cancellation: Cancellation
    ) -> Generator[Event, None, Logits | None]:
        reading = self.session.prefill(token_ids)
        while not cancellation.requested:
            try:
                done = next(reading)
            except StopIteration as end:
                logits: Logits = end.value
                return logits
            reply.prefill_progressed()
            yield PrefillProgress(done, len(token_ids))
        return None

    def _speak(
        self, tokens: Generator[TokenGenerated, None, StopReason], reply: Reply, stop: StopMatcher
    ) -> Generator[Event, None, StopReason]:
        decoder = StreamingDecoder(self._tokenizer.fast, self._tokenizer.control_tokens.values())
        while True:
            try:
                token = next(tokens)
            except StopIteration as end:
                reason: StopReason = end.value
                yield from _delta(stop.flush(), reply)
                return "stop" if stop.matched else reason
            reply.add_token(token.token_id)
            yield token
            yield from _delta(stop.feed(decoder.feed(token.token_id)), reply)
            if stop.matched:
                return "stop"


def _delta(text: str, reply: Reply) -> Iterator[TextDelta]:
    if text:
        reply.add_text(text)
        yield TextDelta(text, shown=present(text))
