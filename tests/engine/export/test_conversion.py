"""A whole conversion: a complete folder or none, whatever happens on the way."""

import json
import multiprocessing
import threading
from hashlib import sha256
from pathlib import Path

import numpy as np
import onnx
import pytest
from gguf import GGMLQuantizationType

from engine.cancellation import Cancellation
from engine.errors import CancelledError, ModelFileError, ModelFolderError
from engine.export import ConversionProgress, convert_gguf
from engine.forward.session import ForwardSession
from engine.models.manifest import Manifest, Precision
from engine.tokenization import Tokenizer
from tests.support.gguf_models import TEMPLATE, TinyModel

PRECISIONS: tuple[Precision, ...] = ("fp32", "int8", "int4")


@pytest.fixture
def tiny_gguf(tmp_path: Path) -> Path:
    """A small Llama whose file name ends in its quantisation."""
    return TinyModel("llama").write_gguf(tmp_path / "Tiny-Chat.Q8_0.gguf", GGMLQuantizationType.Q8_0)


def convert(source: Path, folder: Path, precision: Precision = "int8") -> Manifest:
    return convert_gguf(source, folder, precision, lambda _: None, Cancellation())


def test_the_folder_is_complete_and_the_manifest_true(tmp_path: Path, tiny_gguf: Path) -> None:
    folder = tmp_path / "models" / "tiny"

    manifest = convert_gguf(tiny_gguf, folder, "int8", lambda _: None, Cancellation(), origin="https://example.org/t")

    assert manifest == Manifest.read(folder)
    assert {path.name for path in folder.iterdir()} == {
        "sixpane.json",
        "model.onnx",
        "model.onnx.data",
        "tokenizer.json",
        "chat_template.jinja",
        "generation_config.json",
    }
    for name, record in manifest.files.items():
        assert sha256((folder / name).read_bytes()).hexdigest() == record.sha256
    assert manifest.source == {
        "file": tiny_gguf.name,
        "sha256": sha256(tiny_gguf.read_bytes()).hexdigest(),
        "address": "https://example.org/t",
    }
    assert (manifest.name, manifest.architecture, manifest.precision) == ("Tiny-Chat", "llama", "int8")
    assert (manifest.licence, manifest.languages, manifest.end_token_ids) == ("apache-2.0", ("en",), (2, 0))
    assert (folder / "chat_template.jinja").read_text(encoding="utf-8") == TEMPLATE
    assert json.loads((folder / "generation_config.json").read_text())["eos_token_id"] == [2, 0]
    assert [path.name for path in folder.parent.iterdir()] == ["tiny"]


@pytest.mark.slow
def test_the_quality_of_a_quantised_graph_is_in_the_manifest(tmp_path: Path, tiny_gguf: Path) -> None:
    qualities = {precision: convert(tiny_gguf, tmp_path / precision, precision).quality for precision in PRECISIONS}

    int8, int4 = qualities["int8"], qualities["int4"]
    assert qualities["fp32"] is None
    assert int8 is not None
    assert int4 is not None
    assert int8.positions == int4.positions == 255
    assert 0 < int8.mean_kl < int4.mean_kl
    assert int8.agreement > 0.9
    assert int8.perplexity == pytest.approx(int8.reference_perplexity, rel=0.05)


def test_the_manifest_of_a_mixture_says_what_a_weight_takes_and_which_matrices_have_8_bits(
    tmp_path: Path, tiny_gguf: Path
) -> None:
    manifest = convert(tiny_gguf, tmp_path / "tiny", "int4")

    graph = onnx.load(tmp_path / "tiny" / "model.onnx", load_external_data=False).graph
    products = [node for node in graph.node if node.op_type == "MatMulNBits" and node.name.startswith("layers")]
    bits = {node.name: onnx.helper.get_node_attr_value(node, "bits") for node in products}
    assert manifest == Manifest.read(tmp_path / "tiny")
    assert {name for name, number in bits.items() if number == 8} == set(manifest.eight_bit_matrices)
    assert manifest.bits_per_weight is not None
    assert 5.125 <= manifest.bits_per_weight <= 5.5


@pytest.mark.parametrize("precision", PRECISIONS)
def test_the_graph_answers_the_same_in_one_piece_and_token_by_token(
    tmp_path: Path, tiny_gguf: Path, precision: Precision
) -> None:
    session = ForwardSession.load(tmp_path / "tiny", convert(tiny_gguf, tmp_path / "tiny", precision))
    token_ids = Tokenizer.load(tmp_path / "tiny").fast.encode("One two three").ids

    together = session.forward(token_ids, len(token_ids)).copy()
    session.cache.rewind(0)
    single = np.concatenate([session.forward([token_id]).copy() for token_id in token_ids])

    assert np.abs(together - single).max() < 0.02 * np.ptp(together)


def test_progress_never_falls_and_ends_at_one(tmp_path: Path, tiny_gguf: Path) -> None:
    seen: list[ConversionProgress] = []

    convert_gguf(tiny_gguf, tmp_path / "tiny", "int8", seen.append, Cancellation())

    fractions = [progress.fraction for progress in seen]
    assert fractions == sorted(fractions)
    assert fractions[-1] == 1.0
    assert list(dict.fromkeys(progress.stage for progress in seen)) == ["checking", "writing", "measuring", "hashing"]


def test_it_works_from_another_thread(tmp_path: Path, tiny_gguf: Path) -> None:
    thread = threading.Thread(target=convert, args=(tiny_gguf, tmp_path / "tiny"))
    thread.start()
    thread.join()

    assert Manifest.read(tmp_path / "tiny").precision == "int8"


def test_cancelling_leaves_nothing(tmp_path: Path, tiny_gguf: Path) -> None:
    cancellation = Cancellation()

    with pytest.raises(CancelledError):
        convert_gguf(tiny_gguf, tmp_path / "models" / "tiny", "int8", lambda _: cancellation.cancel(), cancellation)

    assert not list((tmp_path / "models").iterdir())
    assert not multiprocessing.active_children()


def test_a_child_that_dies_is_a_sentence_and_leaves_nothing(tmp_path: Path, tiny_gguf: Path) -> None:
    def kill_child(_: ConversionProgress) -> None:
        for child in multiprocessing.active_children():
            child.kill()

    with pytest.raises(ModelFileError, match="ended unexpectedly"):
        convert_gguf(tiny_gguf, tmp_path / "models" / "tiny", "int8", kill_child, Cancellation())

    assert not list((tmp_path / "models").iterdir())


def test_what_the_caller_raises_while_it_reports_leaves_nothing(tmp_path: Path, tiny_gguf: Path) -> None:
    def fail(_: ConversionProgress) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        convert_gguf(tiny_gguf, tmp_path / "models" / "tiny", "int8", fail, Cancellation())

    assert not list((tmp_path / "models").iterdir())
    assert not multiprocessing.active_children()


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        (b"GGUF" + bytes(3), "is cut"),
        (b"\x80\x05N.", "pickle can run code"),
        (
            b"GGUF\3\0\0\0" + bytes(8) + b"\1" + bytes(7) + b"\1" + bytes(7) + b"a\t\0\0\0\4\0\0\0" + b"\xff" * 8,
            "array",
        ),
    ],
)
def test_a_hostile_file_is_a_sentence_and_leaves_nothing(tmp_path: Path, content: bytes, sentence: str) -> None:
    (tmp_path / "hostile.gguf").write_bytes(content)

    with pytest.raises(ModelFileError, match=sentence):
        convert(tmp_path / "hostile.gguf", tmp_path / "models" / "hostile")

    assert not list((tmp_path / "models").iterdir())


@pytest.mark.parametrize("key", ["tokenizer.ggml.tokens", "blk.2.attn_q.weight"])
def test_a_file_that_lacks_something_is_a_sentence_and_leaves_nothing(tmp_path: Path, key: str) -> None:
    source = TinyModel("qwen2").write_gguf(tmp_path / "part.gguf", without=key)

    with pytest.raises(ModelFileError, match=r"part\.gguf"):
        convert(source, tmp_path / "models" / "part")

    assert not list((tmp_path / "models").iterdir())


@pytest.mark.parametrize("precision", ["int8", "int4"])
def test_weights_that_are_no_numbers_are_refused(tmp_path: Path, tiny_gguf: Path, precision: Precision) -> None:
    content = tiny_gguf.read_bytes()
    tiny_gguf.write_bytes(content[: -len(content) // 8] + b"\xff" * (len(content) // 8))

    with pytest.raises(ModelFileError, match="no numbers"):
        convert(tiny_gguf, tmp_path / "tiny", precision)


def test_a_model_without_a_template_is_written_without_one(tmp_path: Path) -> None:
    source = TinyModel("qwen2").write_gguf(tmp_path / "base.gguf", without="tokenizer.chat_template")

    manifest = convert(source, tmp_path / "base")

    assert "chat_template.jinja" not in manifest.files
    assert not (tmp_path / "base" / "chat_template.jinja").exists()


def test_an_existing_folder_is_not_touched(tmp_path: Path, tiny_gguf: Path) -> None:
    (tmp_path / "tiny").mkdir()
    (tmp_path / "tiny" / "mine.txt").write_text("keep")

    with pytest.raises(ModelFolderError, match="already a model"):
        convert(tiny_gguf, tmp_path / "tiny")

    assert [path.name for path in (tmp_path / "tiny").iterdir()] == ["mine.txt"]


def test_a_file_that_is_not_there_is_a_sentence(tmp_path: Path) -> None:
    with pytest.raises(ModelFileError, match="no file"):
        convert(tmp_path / "absent.gguf", tmp_path / "models" / "absent")


def test_a_folder_that_cannot_be_written_is_a_sentence(tmp_path: Path, tiny_gguf: Path) -> None:
    (tmp_path / "models").write_text("a file where the folder should be")

    with pytest.raises(ModelFolderError, match="cannot be written"):
        convert(tiny_gguf, tmp_path / "models" / "tiny")
