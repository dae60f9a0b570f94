"""The model's own chat template: how a conversation is written for this model."""

import json
from collections.abc import Callable, Sequence
from pathlib import Path

from jinja2 import TemplateError as JinjaError

from engine.conversation import Message
from engine.errors import ModelFolderError, TemplateError
from engine.models.manifest import GENERATION_CONFIG_NAME, TEMPLATE_NAME
from engine.preprocess.sandbox import BoundedSandbox


class ChatTemplate:
    """A chat template in the sandbox.

    Args:
        source: The Jinja source, as Hugging Face defines chat templates.
        begin_token: Name of the beginning-of-sequence token, empty where the model has none.
        end_token: Name of the end-of-sequence token, empty where the model has none.

    Raises:
        TemplateError: The source is no valid template.
    """

    def __init__(self, source: str, begin_token: str = "", end_token: str = "") -> None:
        self._sandbox = BoundedSandbox()
        self._tokens = {"bos_token": begin_token, "eos_token": end_token}
        try:
            self._template = self._sandbox.prepare(source)
        except (JinjaError, RecursionError) as error:
            raise TemplateError(
                "The model's chat template is not valid ({reason}); import the model again.", reason=_reason(error)
            ) from error

    def render(self, messages: Sequence[Message]) -> str:
        """Write the conversation, up to the point where the assistant speaks.

        Raises:
            TemplateError: The template refuses this conversation or does what the sandbox forbids.
        """
        variables = {
            "messages": [{"role": message.role, "content": message.text} for message in messages],
            "add_generation_prompt": True,
            "tools": None,
            **self._tokens,
        }
        try:
            return self._sandbox.render(self._template, variables)
        except (JinjaError, TypeError, ValueError, ArithmeticError, LookupError, RecursionError, MemoryError) as error:
            raise TemplateError(
                "The model's chat template cannot write this conversation: {reason}.", reason=_reason(error)
            ) from error


def load_chat_template(folder: Path, token_of: Callable[[int], str | None]) -> ChatTemplate:
    """Read the chat template of a model folder.

    Args:
        folder: The model folder.
        token_of: Gives the name of a token id.

    Raises:
        TemplateError: The model has none, or it is not valid.
        ModelFolderError: The generation config, which names the tokens at both ends, is unreadable.
    """
    try:
        config = json.loads((folder / GENERATION_CONFIG_NAME).read_text(encoding="utf-8"))
        begin_token, end_token = (_first_token(config.get(key), token_of) for key in ("bos_token_id", "eos_token_id"))
    except (OSError, ValueError, AttributeError, TypeError, OverflowError) as error:
        raise ModelFolderError(
            "The model {folder} has an unreadable {file}; import the model again.",
            folder=folder.name,
            file=GENERATION_CONFIG_NAME,
        ) from error
    try:
        source = (folder / TEMPLATE_NAME).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise TemplateError(
            "The model {folder} has no chat template, so it cannot hold a conversation.", folder=folder.name
        ) from error
    return ChatTemplate(source, begin_token, end_token)


def _first_token(ids: object, token_of: Callable[[int], str | None]) -> str:
    first = ids[0] if isinstance(ids, list) and ids else ids
    return token_of(first) or "" if isinstance(first, int) else ""


def _reason(error: BaseException) -> str:
    if isinstance(error, RecursionError):
        return "it is nested too deeply"
    return (str(error) or type(error).__name__).rstrip(".")
