"""A package index on this machine, with wheels that carry made-up starters and faults that can be switched on."""

import base64
import hashlib
import random
import re
import threading
import time
import zipfile
from dataclasses import replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from types import TracebackType
from typing import Self

from engine.models.starters import Starter, StarterPart

CHUNK_BYTES = 16 << 10
ACCOUNT = "reader:secret"


def make_starter(folder: Path, sizes: tuple[int, ...], content: bytes | None = None) -> Starter:
    """Write wheels whose members, joined, are a file of noise; describe them as a starter.

    Args:
        folder: Where the wheels go.
        sizes: Bytes of each member.
        content: The whole file, if it is not to be noise.
    """
    folder.mkdir(parents=True, exist_ok=True)
    content = content or random.Random(7).randbytes(sum(sizes))
    parts = []
    start = 0
    for number, size in enumerate(sizes, start=1):
        wheel = folder / f"made_up_part{number}-1.0-py3-none-any.whl"
        with zipfile.ZipFile(wheel, "w") as archive:
            archive.writestr(f"made_up_part{number}/data.bin", content[start : start + size])
            # What would run if anything of the wheel was ever imported.
            archive.writestr(f"made_up_part{number}/__init__.py", "raise SystemExit('the wheel was imported')\n")
            information = f"made_up_part{number}-1.0.dist-info"
            archive.writestr(
                f"{information}/METADATA", f"Metadata-Version: 2.1\nName: made-up-part{number}\nVersion: 1.0\n"
            )
            archive.writestr(f"{information}/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
            archive.writestr(f"{information}/RECORD", "")
        parts.append(StarterPart(f"made-up-part{number}", "1.0", wheel.stat().st_size, r"data\.bin$", size))
        start += size
    return Starter(
        id="made-up",
        name="Made-Up",
        description="Noise.",
        languages=("en",),
        licence="CC0-1.0",
        file="Made-Up.gguf",
        bytes=len(content),
        sha256=hashlib.sha256(content).hexdigest(),
        parts=tuple(parts),
    )


def with_wrong_hash(starter: Starter) -> Starter:
    """The same starter, expecting another file of the same size."""
    return replace(starter, sha256="0" * 64)


class PackageIndex:
    """Serves the wheels of a folder over HTTP on the loopback interface.

    Attributes:
        requests: The ranges of the wheels that were asked for, as ``(name, first byte)``.
        cut_after: Bytes after which the next answer with a wheel breaks off, once; None for no cut.
        pause: Seconds to wait after each chunk of a wheel.
        ranges: Whether `Range` is honoured.
        wheels: Whether the wheels are there, beside the pages that name them.
        account: Whether name and password are asked for.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.requests: list[tuple[str, int]] = []
        self.cut_after: int | None = None
        self.pause = 0.0
        self.ranges = True
        self.wheels = True
        self.account = False
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), type("Handler", (_Handler,), {"index": self}))
        self._thread = threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.05})

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    @property
    def address(self) -> str:
        """The address for pip's option `index-url`."""
        account = f"{ACCOUNT}@" if self.account else ""
        return f"http://{account}127.0.0.1:{self._server.server_port}/simple"


class _Handler(BaseHTTPRequestHandler):
    index: PackageIndex

    def do_GET(self) -> None:
        expected = "Basic " + base64.b64encode(ACCOUNT.encode()).decode()
        if self.index.account and self.headers["Authorization"] != expected:
            self.send_response(401)
            self.send_header("WWW-Authenticate", "Basic realm=index")
            self.send_header("Content-Length", "0")
            self.end_headers()
        elif self.path.startswith("/simple/"):
            self._send_page(self.path.split("/")[2])
        else:
            self._send_wheel(self.path.rsplit("/", 1)[-1])

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002
        """Keep the tests' output free of this."""

    def _send_page(self, package: str) -> None:
        names = [path.name for path in self.index.folder.glob(f"{package.replace('-', '_')}-*.whl")]
        page = "".join(f'<a href="/files/{name}">{name}</a>' for name in names).encode()
        self.send_response(200 if names else 404)
        self.send_header("Content-Type", "text/html")
        self.send_header("Content-Length", str(len(page)))
        self.end_headers()
        self.wfile.write(page)

    def _send_wheel(self, name: str) -> None:
        if not self.index.wheels:
            self.send_error(404)
            return
        data = (self.index.folder / name).read_bytes()
        asked = re.fullmatch(r"bytes=(\d+)-", self.headers["Range"] or "")
        first = int(asked[1]) if asked and self.index.ranges else 0
        self.index.requests.append((name, int(asked[1]) if asked else 0))
        if asked and self.index.ranges:
            self.send_response(206)
            self.send_header("Content-Range", f"bytes {first}-{len(data) - 1}/{len(data)}")
        else:
            self.send_response(200)
        self.send_header("Content-Length", str(len(data) - first))
        self.end_headers()
        end = len(data)
        if self.index.cut_after is not None:
            end = min(end, first + self.index.cut_after)
            self.index.cut_after = None
        try:
            for start in range(first, end, CHUNK_BYTES):
                self.wfile.write(data[start : min(start + CHUNK_BYTES, end)])
                time.sleep(self.index.pause)
        except ConnectionError:
            # The client stopped, which is what some tests are about.
            self.close_connection = True
