"""The calibration: a text of its own, taken through the model in the order of the graph."""

from pathlib import Path

import pytest
from tokenizers import Tokenizer

from engine.export.architectures import ModelShape
from engine.export.calibration import Calibration, calibration_text
from engine.export.check import check_file
from engine.export.gguf_tensors import GgufTensors
from engine.export.mixture import body_sizes
from engine.export.quality import quality_text
from engine.export.weights import ModelWeights
from tests.support.gguf_models import TinyModel


@pytest.fixture
def parts(tmp_path: Path) -> tuple[ModelShape, ModelWeights, Tokenizer]:
    """A small model."""
    checked = check_file(TinyModel("qwen2").write_gguf(tmp_path / "tiny.gguf"))
    return checked.shape, ModelWeights(GgufTensors(checked.header), checked.shape), checked.tokenizer


def test_every_matrix_of_the_body_gets_its_inputs(parts: tuple[ModelShape, ModelWeights, Tokenizer]) -> None:
    shape, calibration = parts[0], Calibration(*parts, ("en",))

    widths = {name: calibration.states(name).shape for name in body_sizes(shape)}

    assert widths["layers.0.attention.packed"] == (shape.context, shape.hidden)
    assert widths["layers.2.feed_forward.down"] == (shape.context, shape.feed_forward)


def test_a_matrix_out_of_turn_is_refused(parts: tuple[ModelShape, ModelWeights, Tokenizer]) -> None:
    with pytest.raises(ValueError, match="feed_forward"):
        Calibration(*parts, ("en",)).states("layers.0.feed_forward.down")


@pytest.mark.parametrize("languages", [("en",), ("zh", "en")])
def test_no_line_is_in_the_text_of_the_quality_report(languages: tuple[str, ...]) -> None:
    lines = {line for line in calibration_text(languages).splitlines() if len(line) > 20}

    assert not lines & set(quality_text(languages).splitlines())
