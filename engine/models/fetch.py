"""Fetch a file of known size from its address; what came is kept, byte by byte, for the next attempt."""

import http.client
import io
import ssl
import time
import urllib.request
from collections.abc import Callable
from http import HTTPStatus
from pathlib import Path

from engine.cancellation import Cancellation
from engine.errors import DownloadError
from engine.models.pip import PipConfiguration

BLOCK_BYTES = 1 << 20
# The longest wait for the next bytes, and so for a cancellation while a connection hangs.
STALL_SECONDS = 15.0
ATTEMPTS = 5
PAUSE_SECONDS = 1.0


class AddressRefusedError(Exception):
    """The address cannot be opened from here with what pip's configuration says."""


class WrongFileError(Exception):
    """What came is not the expected file."""


class ConnectionBrokenError(Exception):
    """A connection could not be made, or ended early."""


def make_opener(configuration: PipConfiguration) -> urllib.request.OpenerDirector:
    """Make the client that honours pip's proxy and certificates, and the environment's where pip names none.

    Raises:
        AddressRefusedError: The certificates cannot be read.
    """
    try:
        context = ssl.create_default_context()
        for place in configuration.certificates:
            context.load_verify_locations(**{"capath" if Path(place).is_dir() else "cafile": place})
        if configuration.client_certificate:
            context.load_cert_chain(configuration.client_certificate)
    except OSError as error:
        raise AddressRefusedError from error
    proxies = dict.fromkeys(("http", "https"), configuration.proxy) if configuration.proxy else None
    return urllib.request.build_opener(
        urllib.request.ProxyHandler(proxies), urllib.request.HTTPSHandler(context=context)
    )


def fetch(
    address: str,
    path: Path,
    size: int,
    opener: urllib.request.OpenerDirector,
    report: Callable[[int], None],
    cancellation: Cancellation,
) -> None:
    """Append to a file what is missing of it; what came stays there, however this ends.

    Args:
        address: An ``http:`` or ``https:`` address.
        path: The file, perhaps begun earlier.
        size: Its size in bytes when it is complete.
        opener: The client.
        report: Is given the number of bytes on the disk.
        cancellation: Looked at between blocks.

    Raises:
        AddressRefusedError: The first answer was a refusal, or none came.
        WrongFileError: The file at the address has another size.
        DownloadError: The connection broke again and again.
        CancelledError: It was cancelled.
        OSError: The file cannot be written.
    """
    failures = 0
    answered = False
    while (have := size_of(path)) < size:
        cancellation.raise_if_requested()
        cause: ConnectionBrokenError | None = None
        try:
            with _open(opener, address, have) as response:
                answered = True
                _append(response, path, size, report, cancellation)
        except ConnectionBrokenError as error:
            if not answered:
                raise AddressRefusedError from error
            cause = error
        failures = 0 if size_of(path) > have else failures + 1
        if failures == ATTEMPTS:
            raise DownloadError(
                "The connection broke again and again; what came so far is kept, so try again later, or import a "
                "file that you already have with `sixpane models import FILE.gguf`."
            ) from cause
        time.sleep(PAUSE_SECONDS if failures else 0)
    if have > size:
        raise WrongFileError


def size_of(path: Path) -> int:
    """Size of a file in bytes; 0 where there is none."""
    return path.stat().st_size if path.exists() else 0


def _open(opener: urllib.request.OpenerDirector, address: str, have: int) -> http.client.HTTPResponse:
    request = urllib.request.Request(address, headers={"User-Agent": "sixpane", "Range": f"bytes={have}-"})
    try:
        response: http.client.HTTPResponse = opener.open(request, timeout=STALL_SECONDS)
    except (OSError, http.client.HTTPException) as error:
        raise ConnectionBrokenError from error
    return response


def _append(
    response: http.client.HTTPResponse, path: Path, size: int, report: Callable[[int], None], cancellation: Cancellation
) -> None:
    have = size_of(path)
    if response.status != HTTPStatus.PARTIAL_CONTENT:
        # This server knows no ranges and sends everything.
        have = 0
    elif not response.headers.get("Content-Range", "").startswith(f"bytes {have}-"):
        raise WrongFileError
    if response.length is not None and response.length != size - have:
        raise WrongFileError
    # Unbuffered, so that what came is on the disk even if this process is killed.
    with path.open("ab", buffering=0) as file:
        file.truncate(have)
        while block := _read(response):
            have += len(block)
            if have > size:
                raise WrongFileError
            _write(file, block)
            report(have)
            cancellation.raise_if_requested()


def _read(response: http.client.HTTPResponse) -> bytes:
    try:
        return response.read1(BLOCK_BYTES)
    except (OSError, http.client.HTTPException) as error:
        raise ConnectionBrokenError from error


def _write(file: io.FileIO, block: bytes) -> None:
    rest = memoryview(block)
    while rest:
        rest = rest[file.write(rest) :]
