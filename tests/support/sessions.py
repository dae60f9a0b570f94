"""Sessions of small models with random weights."""

from pathlib import Path

from engine.cancellation import Cancellation
from engine.export import convert_gguf
from engine.forward.session import ForwardSession
from tests.support.gguf_models import TinyModel


def fp32_session(model: TinyModel, folder: Path) -> ForwardSession:
    """Convert a small model in an empty folder to fp32, and load it."""
    source = model.write_gguf(folder / "tiny.gguf")
    manifest = convert_gguf(source, folder / "tiny", "fp32", lambda _: None, Cancellation())
    return ForwardSession.load(folder / "tiny", manifest)
