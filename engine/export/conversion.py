"""A conversion from outside: a child process does it, so that a window stays awake and a hostile file does no harm."""

import multiprocessing
import shutil
import tempfile
from collections.abc import Callable
from multiprocessing.connection import Connection, wait
from pathlib import Path
from time import monotonic

from engine.cancellation import Cancellation
from engine.errors import ModelFileError, ModelFolderError, SixpaneError
from engine.export.request import ConversionProgress, ConversionRequest
from engine.export.worker import UnexpectedFailure, run_conversion
from engine.models.manifest import Manifest, Precision

SECONDS_BETWEEN_LOOKS = 0.1
LONGEST_CHECK_SECONDS = 30.0


def convert_gguf(
    source: Path,
    folder: Path,
    precision: Precision,
    report: Callable[[ConversionProgress], None],
    cancellation: Cancellation,
    *,
    name: str | None = None,
    licence: str = "",
    languages: tuple[str, ...] = (),
    origin: str = "",
) -> Manifest:
    """Turn a GGUF file into a model folder, which appears complete or not at all. May be called from any thread.

    Args:
        source: The GGUF file.
        folder: The folder to make; it must not exist.
        precision: How the matrices are stored.
        report: Called in the calling thread as the conversion goes on.
        cancellation: Ends it within a moment.
        name: The name that a person reads; by default that of the file without its quantisation.
        licence: SPDX name of the licence; by default what the file says.
        languages: ISO 639-1 codes; by default what the file says. They choose the text of the quality report.
        origin: Address that the file came from, where known.

    Returns:
        The manifest of the new folder.

    Raises:
        ModelFileError: The file cannot be read, lies about itself, or holds what is not supported.
        ModelFolderError: The folder exists already or cannot be written.
        CancelledError: The person cancelled it.
    """
    if folder.exists():
        raise ModelFolderError("There is already a model in the folder {folder}; remove it first.", folder=folder.name)
    if not source.is_file():
        raise ModelFileError("There is no file {name}.", name=str(source))
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        partial = Path(tempfile.mkdtemp(prefix=f".{folder.name}-", suffix=".partial", dir=folder.parent))
    except OSError as error:
        raise _unwritable(folder, error) from error
    request = ConversionRequest(source.resolve(), partial, precision, name, licence, languages, origin)
    try:
        manifest = _in_child(request, report, cancellation)
        cancellation.raise_if_requested()
        partial.rename(folder)
    except OSError as error:
        raise _unwritable(folder, error) from error
    finally:
        shutil.rmtree(partial, ignore_errors=True)
    return manifest


def _in_child(
    request: ConversionRequest, report: Callable[[ConversionProgress], None], cancellation: Cancellation
) -> Manifest:
    # A fork would copy the threads' locks of a window in whatever state they are.
    context = multiprocessing.get_context("spawn")
    receiver, sender = context.Pipe(duplex=False)
    process = context.Process(target=run_conversion, args=(sender, request), name="sixpane-conversion", daemon=True)
    process.start()
    # The child has its own; with this one closed too, the child's death ends the pipe.
    sender.close()
    try:
        return _listen(receiver, request, report, cancellation)
    finally:
        process.kill()
        process.join()
        process.close()
        receiver.close()


def _listen(
    receiver: Connection,
    request: ConversionRequest,
    report: Callable[[ConversionProgress], None],
    cancellation: Cancellation,
) -> Manifest:
    deadline = monotonic() + LONGEST_CHECK_SECONDS
    while True:
        cancellation.raise_if_requested()
        if not wait([receiver], SECONDS_BETWEEN_LOOKS):
            if monotonic() > deadline:
                raise ModelFileError("The file {name} takes too long to check.", name=request.source.name)
            continue
        try:
            message = receiver.recv()
        except EOFError as error:
            raise ModelFileError(
                "The conversion of {name} ended unexpectedly; perhaps the memory of this machine is too small for it.",
                name=request.source.name,
            ) from error
        match message:
            case ConversionProgress():
                if message.stage != "checking":
                    deadline = float("inf")
                report(message)
            case Manifest():
                return message
            case SixpaneError():
                raise message
            case UnexpectedFailure():
                raise ModelFileError(
                    "The conversion of {name} failed because of a fault in Sixpane: {reason}.",
                    name=request.source.name,
                    reason=message.reason,
                ) from RuntimeError(message.trace)


def _unwritable(folder: Path, error: OSError) -> ModelFolderError:
    return ModelFolderError(
        "The model folder {folder} cannot be written: {reason}.",
        folder=folder.name,
        reason=error.strerror or str(error),
    )
