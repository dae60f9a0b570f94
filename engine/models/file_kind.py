"""Tell by its content, never by its name, whether a file may be imported, and say why not."""

from pathlib import Path

from engine.errors import ModelFileError

GGUF_MAGIC = b"GGUF"
HEAD_BYTES = 512

PICKLE = (
    "The file {name} is a pickle, or an archive that may hold one; a pickle can run any code when it is opened, so "
    "Sixpane never reads one: look for a GGUF file of the same model."
)
ARCHIVE = "The file {name} is a compressed archive; unpack it and import the GGUF file in it."
SAFETENSORS = (
    "The file {name} holds safetensors, which this version cannot import; look for a GGUF file of the same model."
)
WEB_PAGE = "The file {name} is a web page, not a model; the download got a page instead of the file, so fetch it again."
LFS_POINTER = "The file {name} is only the Git LFS pointer to a model; fetch the file itself with `git lfs pull`."
EMPTY = "The file {name} is empty; fetch it again."
UNKNOWN = "The file {name} is not a GGUF file; Sixpane imports models as GGUF."


def check_is_gguf(path: Path) -> None:
    """Look at the first bytes of a file.

    Raises:
        ModelFileError: It is no GGUF file, or cannot be read.
    """
    if path == Path():
        raise ModelFileError("The name of the file to import was left out.")
    if path.is_dir():
        raise ModelFileError("{name} is a folder; Sixpane imports models as one GGUF file.", name=path.name)
    try:
        with path.open("rb") as file:
            head = file.read(HEAD_BYTES)
    except FileNotFoundError as error:
        raise ModelFileError("There is no file {path}.", path=path) from error
    except OSError as error:
        raise ModelFileError(
            "The file {name} cannot be read ({reason}).", name=path.name, reason=error.strerror or error
        ) from error
    if not head.startswith(GGUF_MAGIC):
        raise ModelFileError(_refusal(head), name=path.name)


def _refusal(head: bytes) -> str:
    text = head.lstrip().lower()
    if not head:
        return EMPTY
    # PyTorch writes a zip archive that holds a pickle; before, it wrote the pickle itself.
    if head.startswith(b"PK\x03\x04") or (head[0] == 0x80 and 2 <= head[1:2][0] <= 5):
        return PICKLE
    if head.startswith((b"\x1f\x8b", b"BZh", b"\xfd7zXZ", b"7z\xbc\xaf", b"\x28\xb5\x2f\xfd", b"Rar!")):
        return ARCHIVE
    if head[8:10] == b'{"':
        return SAFETENSORS
    if text.startswith((b"<!doctype", b"<html", b"<?xml")):
        return WEB_PAGE
    if head.startswith(b"version https://git-lfs"):
        return LFS_POINTER
    return UNKNOWN
