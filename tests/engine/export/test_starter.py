"""What the export promises of the small starter: quality, and the right end tokens."""

from pathlib import Path

import pytest

from engine.cancellation import Cancellation
from engine.export import convert_gguf
from engine.models.manifest import Manifest
from engine.tokenization import Tokenizer

pytestmark = pytest.mark.slow


def test_int8_is_near_to_fp32(starter_folder: Path) -> None:
    quality = Manifest.read(starter_folder).quality

    assert quality is not None
    assert quality.positions == 500
    assert quality.agreement >= 0.94
    assert quality.mean_kl <= 0.01


def test_both_ends_are_known_and_the_opening_token_is_none(starter_folder: Path) -> None:
    control_tokens = Tokenizer.load(starter_folder).control_tokens

    ends = Manifest.read(starter_folder).end_token_ids

    assert set(ends) == {control_tokens["<|im_end|>"], control_tokens["<|endoftext|>"]}


def test_int4_keeps_the_small_model_usable(tmp_path: Path, starter_gguf: Path) -> None:
    manifest = convert_gguf(
        starter_gguf, tmp_path / "starter", "int4", lambda _: None, Cancellation(), languages=("en",)
    )

    assert manifest.quality is not None
    assert manifest.quality.mean_kl <= 0.15
    assert manifest.bits_per_weight is not None
    assert manifest.bits_per_weight <= 5.5
