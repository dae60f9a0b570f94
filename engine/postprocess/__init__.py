"""Stage 6: the text of the model becomes what the person sees, by a chain of views; the original is what is stored."""

from collections.abc import Callable
from functools import reduce

from engine.postprocess.control_characters import show_control_characters

View = Callable[[str], str]
"""A view works on each character by itself, so that it gives the same for a stream in pieces as for the whole text."""

VIEWS: tuple[View, ...] = (show_control_characters,)


def present(text: str) -> str:
    """What the person sees of a text that a model wrote."""
    return reduce(lambda shown, view: view(shown), VIEWS, text)
