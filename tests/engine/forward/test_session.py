"""The session over several conversations: what it reuses gives the logits of reading everything."""

import shutil
from pathlib import Path

import numpy as np
import pytest

from engine.cancellation import Cancellation
from engine.errors import ModelFolderError
from engine.export import convert_gguf
from engine.forward import Logits
from engine.forward.cache_pool import CachePool
from engine.forward.session import ForwardSession
from engine.machine import MachineProfile
from engine.models.manifest import GRAPH_NAME, Manifest
from tests.support.gguf_models import TinyModel
from tests.support.sessions import fp32_session

LARGEST_DIFFERENCE = 1e-4


@pytest.fixture(scope="module")
def session(tmp_path_factory: pytest.TempPathFactory) -> ForwardSession:
    """A small model in fp32."""
    return fp32_session(TinyModel("qwen2", context=2048), tmp_path_factory.mktemp("session"))


@pytest.fixture(scope="module")
def quantised(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Manifest]:
    """A small model in INT8."""
    folder = tmp_path_factory.mktemp("quantised")
    source = TinyModel("llama").write_gguf(folder / "tiny.gguf")
    return folder / "tiny", convert_gguf(source, folder / "tiny", "int8", lambda _: None, Cancellation())


def machine(computes_quantised_products: bool, threads: int = 0) -> MachineProfile:
    return MachineProfile("this", threads, 1.5, computes_quantised_products)


def prompt(length: int, seed: int) -> list[int]:
    return [int(token) for token in np.random.default_rng(seed).integers(3, 300, length)]


def read(session: ForwardSession, token_ids: list[int]) -> Logits:
    """Logits after a prompt, read as the pipeline does."""
    reading = session.prefill(token_ids)
    while True:
        try:
            next(reading)
        except StopIteration as end:
            logits: Logits = end.value.copy()
            return logits


def read_from_the_beginning(session: ForwardSession, token_ids: list[int]) -> Logits:
    session.cache.rewind(0)
    logits: Logits = session.forward(token_ids)[0].copy()
    return logits


def test_switches_edits_and_forks_give_the_logits_of_reading_everything(session: ForwardSession) -> None:
    first, second = prompt(300, 1), prompt(200, 2)
    asked = [first, second, [*first, 5, 6], [*second[:150], 7], [*first[:40], 9, 9], [*first, 5, 8], first]

    found = [read(session, token_ids) for token_ids in asked]

    for logits, token_ids in zip(found, asked, strict=True):
        assert np.abs(logits - read_from_the_beginning(session, token_ids)).max() <= LARGEST_DIFFERENCE


def test_a_conversation_that_was_kept_on_the_disk_is_not_read_again(session: ForwardSession, tmp_path: Path) -> None:
    token_ids = prompt(400, 3)
    expected = read(session, [*token_ids, 5])
    session.save_cache(tmp_path / "chat.cache")
    session.caches = CachePool(session.layout)

    loaded = session.load_cache(tmp_path / "chat.cache")

    assert (loaded, session.reusable([*token_ids, 5])) == (401, 400)
    assert np.abs(read(session, [*token_ids, 5]) - expected).max() <= LARGEST_DIFFERENCE


def test_a_file_that_is_no_cache_changes_nothing(session: ForwardSession, tmp_path: Path) -> None:
    (tmp_path / "chat.cache").write_bytes(b"no cache")
    held = session.caches.caches.copy()

    assert session.load_cache(tmp_path / "chat.cache") == 0
    assert session.caches.caches == held


def test_a_processor_with_wrong_fast_products_gets_exact_ones_and_a_warning(
    quantised: tuple[Path, Manifest], caplog: pytest.LogCaptureFixture
) -> None:
    fast = ForwardSession.load(*quantised, machine=machine(computes_quantised_products=True))
    assert not caplog.records
    exact = ForwardSession.load(*quantised, machine=machine(computes_quantised_products=False))
    assert "exact ones" in caplog.text

    token_ids = prompt(40, 3)
    difference = np.abs(read(fast, token_ids) - read(exact, token_ids)).max()

    scale = np.abs(read(exact, token_ids)).max()
    assert 0 < difference < 0.05 * scale


def test_a_damaged_graph_is_said_to_be_so_with_exact_products_too(
    quantised: tuple[Path, Manifest], tmp_path: Path
) -> None:
    folder = shutil.copytree(quantised[0], tmp_path / "damaged")
    (folder / GRAPH_NAME).write_bytes(b"no graph")

    for is_right in (True, False):
        with pytest.raises(ModelFolderError, match="cannot be loaded"):
            ForwardSession.load(folder, quantised[1], machine=machine(computes_quantised_products=is_right))


def test_the_measured_number_of_threads_is_used(quantised: tuple[Path, Manifest]) -> None:
    session = ForwardSession.load(*quantised, machine=machine(computes_quantised_products=True, threads=1))

    assert session._session.get_session_options().intra_op_num_threads == 1
