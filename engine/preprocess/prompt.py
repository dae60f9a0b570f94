"""The text of a prompt, in segments that say who wrote them: the chat template or a person."""

import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace

from engine.conversation import Message
from engine.preprocess.chat_template import ChatTemplate

_PRIVATE_USE = range(0xF0000, 0xFFFFE)


@dataclass(frozen=True, slots=True)
class Segment:
    """A piece of the prompt.

    Attributes:
        text: The characters; for a control token, its name such as ``<|im_end|>``.
        is_control: Whether the chat template wrote this as a control token.
    """

    text: str
    is_control: bool


def render_prompt(
    messages: Sequence[Message], template: ChatTemplate, control_tokens: Collection[str]
) -> tuple[Segment, ...]:
    """Render the messages so that what a person typed can never become a control token.

    Control tokens inside a message are broken by a mark, a private-use character that occurs nowhere in the messages.
    Whatever control token stands in the rendered text was therefore written by the template; the marks are taken out
    again from the ordinary text between them.

    Args:
        messages: The conversation, oldest first.
        template: The model's chat template.
        control_tokens: The names of the model's special tokens.

    Raises:
        TemplateError: The template fails on these messages.
    """
    pattern = _any_of(control_tokens)
    mark = _unused_character(messages)
    marked = [
        replace(message, text=pattern.sub(lambda match: _broken(match, mark), message.text)) for message in messages
    ]
    return tuple(_segments(template.render(marked), pattern, mark))


def _any_of(control_tokens: Collection[str]) -> re.Pattern[str]:
    longest_first = sorted(control_tokens, key=len, reverse=True)
    return re.compile("|".join(map(re.escape, longest_first)) or r"(?!)")


def _unused_character(messages: Sequence[Message]) -> str:
    used = {character for message in messages for character in message.text if ord(character) in _PRIVATE_USE}
    return next(chr(code) for code in _PRIVATE_USE if chr(code) not in used)


def _broken(match: re.Match[str], mark: str) -> str:
    return match[0][0] + mark + match[0][1:]


def _segments(rendered: str, pattern: re.Pattern[str], mark: str) -> Iterator[Segment]:
    position = 0
    for match in pattern.finditer(rendered):
        if match.start() > position:
            yield Segment(rendered[position : match.start()].replace(mark, ""), is_control=False)
        yield Segment(match[0], is_control=True)
        position = match.end()
    if position < len(rendered):
        yield Segment(rendered[position:].replace(mark, ""), is_control=False)
