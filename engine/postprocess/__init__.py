"""Stage 6: the text of the model becomes what the person sees, by a chain of views; the original is what is stored."""

from engine.postprocess.control_characters import show_control_characters
from engine.postprocess.presenter import Presenter
from engine.postprocess.settings import Chinese, ViewSettings

PLAIN = ViewSettings()


def present(text: str, settings: ViewSettings = PLAIN) -> str:
    """What the person sees of a whole text that a model wrote."""
    presenter = Presenter(settings)
    return presenter.feed(text) + presenter.flush()


__all__ = ["Chinese", "Presenter", "ViewSettings", "present", "show_control_characters"]
