"""The machine's own pip as a child process: it knows the index and the proxy, and runs no code of a package."""

import ast
import importlib.util
import os
import re
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urldefrag, urlsplit

from engine.cancellation import Cancellation
from engine.errors import DownloadError
from engine.models.starters import StarterPart

DEFAULT_INDEX = "https://pypi.org/simple"
LOG_NAME = "pip.log"
POLL_SECONDS = 0.05

# The first whose words stand in what pip complains about says what is wrong; the words differ between its versions.
FAILURES = (
    (
        r"ProxyError|proxy connection error|Tunnel connection failed|SOCKS",
        "The proxy that pip is set up to use refused to connect to the package index; mend it (`pip config list` shows "
        "it), or import a file that you already have with `sixpane models import FILE.gguf`.",
    ),
    (
        r"CERTIFICATE_VERIFY_FAILED|SSLError|confirming the ssl certificate|CA certificate bundle",
        "The certificate of the package index is not trusted on this machine; set pip's option `cert`, or import a "
        "file that you already have with `sixpane models import FILE.gguf`.",
    ),
    (
        r"No space left on device|Errno 28|WinError 112",
        "The disk is full; free some space and try again, or import a file that you already have with "
        "`sixpane models import FILE.gguf`.",
    ),
    (
        r"connection (error|broken)|Max retries|\bConnectionError|timed out|IncompleteRead|[Ii]ncomplete",
        "The package index cannot be reached; check the network and try again, or import a file that you already have "
        "with `sixpane models import FILE.gguf`.",
    ),
    (
        r"40[13] Client Error|HTTP error 40[13]",
        "The package index refuses access; check the account in pip's settings (`pip config list` shows them), or "
        "import a file that you already have with `sixpane models import FILE.gguf`.",
    ),
    (
        r"No matching distribution|404 Client Error|HTTP error 404",
        "The package index that pip is set up to use does not have {package} {version}; use another index, or import a "
        "file that you already have with `sixpane models import FILE.gguf`.",
    ),
    (
        "",
        "Pip could not fetch {package} {version} ({detail}); mend that, or import a file that you already have with "
        "`sixpane models import FILE.gguf`.",
    ),
)


@dataclass(frozen=True, slots=True)
class PipConfiguration:
    """What pip's files and environment say about connections; empty where they say nothing.

    Attributes:
        index: Address of the main index; empty where pip may use none.
        proxy: Address of a proxy.
        certificates: Files or folders of certificates that are trusted too.
        client_certificate: A file with a client's key and certificate.
    """

    index: str
    proxy: str
    certificates: tuple[str, ...]
    client_certificate: str


class PipFailedError(Exception):
    """Pip ended with an error; the text is its log."""


def read_configuration(folder: Path, cancellation: Cancellation) -> PipConfiguration:
    """Ask pip for its configuration; opens no connection.

    Args:
        folder: Where pip's log goes.
        cancellation: Kills pip.

    Raises:
        DownloadError: There is no pip, or its configuration is broken.
        CancelledError: It was cancelled.
    """
    try:
        listing = run_pip(["config", "list"], folder, cancellation)
    except PipFailedError as failure:
        raise DownloadError(
            "Pip cannot read its configuration ({detail}); mend that, or import a file that you already have with "
            "`sixpane models import FILE.gguf`.",
            detail=_last_line(failure),
        ) from failure
    values = dict(re.findall(r"^([\w:-]+\.[\w-]+)=('.*'|\".*\")$", listing, re.MULTILINE))
    # Pip's HTTP library looks at these two variables as well.
    certificates = [_setting(values, "cert"), *map(os.environ.get, ("REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE"))]
    no_index = _setting(values, "no-index").lower() in ("1", "true", "yes", "on")
    return PipConfiguration(
        index="" if no_index else _setting(values, "index-url") or DEFAULT_INDEX,
        proxy=_setting(values, "proxy"),
        certificates=tuple(filter(None, certificates)),
        client_certificate=_setting(values, "client-cert"),
    )


def find_wheel(part: StarterPart, folder: Path, cancellation: Cancellation) -> str:
    """Ask pip where the wheel of a part is; only pages of the index are fetched.

    Returns:
        An address that begins with ``file:``, ``https:`` or ``http:``.

    Raises:
        DownloadError: There is no pip, no index can be reached, or it does not have the wheel.
        CancelledError: It was cancelled.
    """
    # The documented way is `pip install --dry-run --report`, but up to pip 25.0 that fetches the whole wheel. The log
    # of this command names every link, in words that are the same from pip 23.2 to 26.3.
    arguments = ["index", "versions", part.package, "--only-binary", ":all:"]
    try:
        log = run_pip(arguments, folder, cancellation)
    except PipFailedError as failure:
        raise explained(failure, part) from failure
    found = re.findall(r"Found link (\S+?)(?: \(from .*\))?, version: (\S+)$", log, re.MULTILINE)
    links: list[str] = [urldefrag(link).url for link, version in found if version == part.version]
    wheels = [link for link in links if urlsplit(link).path.endswith(".whl")]
    if not wheels:
        raise explained(PipFailedError("ERROR: No matching distribution"), part)
    return min(wheels, key=lambda link: not link.startswith("file:"))


def download_wheel(part: StarterPart, folder: Path, report: Callable[[int], None], cancellation: Cancellation) -> Path:
    """Let pip fetch the wheel of a part, for addresses that only pip can open; this cannot be resumed.

    Args:
        part: What to fetch.
        folder: An empty folder; pip's temporary files go there too.
        report: Is given the number of bytes on the disk.
        cancellation: Kills pip.

    Raises:
        DownloadError: Pip failed.
        CancelledError: It was cancelled.
    """
    requirement = f"{part.package}=={part.version}"
    arguments = [
        "download",
        "--no-deps",
        "--only-binary",
        ":all:",
        "--no-cache-dir",
        "--dest",
        str(folder),
        requirement,
    ]
    try:
        run_pip(arguments, folder, cancellation, lambda: report(_wheel_bytes(folder)))
    except PipFailedError as failure:
        raise explained(failure, part) from failure
    return next(folder.glob("*.whl"))


def run_pip(
    arguments: list[str], folder: Path, cancellation: Cancellation, watch: Callable[[], None] = lambda: None
) -> str:
    """Run pip to its end.

    Args:
        arguments: The command and its options.
        folder: Where its log and its temporary files go.
        cancellation: Kills it.
        watch: Called again and again while it runs.

    Returns:
        Everything it printed and logged.

    Raises:
        PipFailedError: It ended with an error.
        DownloadError: This Python has no pip.
        CancelledError: It was cancelled.
    """
    # In a packaged application sys.executable is the application itself.
    if getattr(sys, "frozen", False) or importlib.util.find_spec("pip") is None:
        raise DownloadError(
            "This installation has no pip to download with; fetch a GGUF file by other means and import it with "
            "`sixpane models import FILE.gguf`."
        )
    log = folder / LOG_NAME
    log.unlink(missing_ok=True)
    # -P keeps a file called pip.py in the current folder from being run.
    command = [sys.executable, "-P", "-m", "pip", *arguments, "--log", str(log)]
    places = dict.fromkeys(("TMPDIR", "TEMP", "TMP"), str(folder))
    # Data in a folder of our own is no installation, so a ban on installing outside of environments is not meant.
    manners = {"PIP_NO_INPUT": "1", "PIP_DISABLE_PIP_VERSION_CHECK": "1", "PIP_REQUIRE_VIRTUALENV": "0"}
    # Pip appends its log to the file that takes its output, so that one file tells everything.
    with log.open("ab") as output:
        process = subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=output,
            env={**os.environ, **places, **manners, "PYTHONUTF8": "1"},
            creationflags=getattr(subprocess, "CREATE_NO_WINDOW", 0),
        )
        try:
            while process.poll() is None:
                cancellation.raise_if_requested()
                watch()
                time.sleep(POLL_SECONDS)
        finally:
            process.kill()
            process.wait()
    text = log.read_text(encoding="utf-8", errors="replace")
    if process.returncode:
        raise PipFailedError(text)
    return text


def explained(failure: PipFailedError, part: StarterPart) -> DownloadError:
    """Say in one sentence why pip failed and what a person can do."""
    # The log also holds lines of pip's own source, where words such as ConnectionError mean nothing.
    complaints = "\n".join(re.findall(r"(?:WARNING: |ERROR: |\w+Error: |Could not fetch URL ).*", str(failure)))
    template = next(template for words, template in FAILURES if re.search(words, complaints))
    return DownloadError(template, package=part.package, version=part.version, detail=_last_line(failure))


def _setting(values: dict[str, str], key: str) -> str:
    """A value of `pip config list`, where the environment goes before a command's section, and that before all."""
    found = next(
        (values[f"{section}.{key}"] for section in (":env:", "download", "global") if f"{section}.{key}" in values),
        "''",
    )
    return str(ast.literal_eval(found))


def _last_line(failure: PipFailedError) -> str:
    lines = re.findall(r"(?:ERROR|Error): (.*)", str(failure)) or str(failure).strip().splitlines()
    return lines[-1].strip() if lines else "no message"


def _wheel_bytes(folder: Path) -> int:
    """The largest wheel under a folder: pip writes it below its temporary folder and copies it when it is complete."""
    sizes = [0]
    for path in folder.rglob("*.whl"):
        try:
            sizes.append(path.stat().st_size)
        except FileNotFoundError:
            continue
    return max(sizes)
