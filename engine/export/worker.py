"""The inside of the child process that converts: bounds its memory, does the work, and tells how it goes."""

import shutil
import signal
import sys
import traceback
from dataclasses import dataclass
from multiprocessing.connection import Connection

from engine.errors import ModelFileError, ModelFolderError, SixpaneError
from engine.export.request import ConversionProgress, ConversionRequest

MEMORY_BASE = 4 * 2**30
MEMORY_PER_SOURCE_BYTE = 8


@dataclass(frozen=True, slots=True)
class UnexpectedFailure:
    """A fault of ours: its last line for the person, its trace for the log."""

    reason: str
    trace: str


def run_conversion(connection: Connection, request: ConversionRequest) -> None:
    """Convert, and send `ConversionProgress`, at last a `Manifest`, a `SixpaneError` or an `UnexpectedFailure`."""
    # Ctrl-C in a terminal reaches the whole group; it is the parent that decides.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        connection.send(_outcome(connection, request))
    except BrokenPipeError:
        # The parent is gone and nobody else will clean up.
        shutil.rmtree(request.folder, ignore_errors=True)


def _outcome(connection: Connection, request: ConversionRequest) -> object:
    try:
        # Not at the top of the module, which the parent imports too: a window must not load tokenizers for this.
        from engine.export.check import check_file

        _limit_memory(request.source.stat().st_size)
        connection.send(ConversionProgress("checking", 0.0))
        checked = check_file(request.source)
        # Only now: these imports take about a second, and a file that is refused is refused before them.
        from engine.export.model_folder import write_model_folder

        return write_model_folder(checked, request, connection.send)
    except BrokenPipeError:
        raise
    except SixpaneError as error:
        return error
    except MemoryError:
        return ModelFileError("The memory is too small to convert {name}.", name=request.source.name)
    except OSError as error:
        return ModelFolderError("The model cannot be written: {reason}.", reason=error.strerror or str(error))
    # The border of the process: a fault of ours must reach the log of the parent with its trace.
    except Exception as error:
        return UnexpectedFailure(f"{type(error).__name__}: {error}", traceback.format_exc())


def _limit_memory(source_bytes: int) -> None:
    """Let the kernel refuse what no honest file of this size needs; there is no such limit on Windows."""
    if sys.platform == "win32":
        return
    import resource

    limit = MEMORY_BASE + MEMORY_PER_SOURCE_BYTE * source_bytes
    _, hard = resource.getrlimit(resource.RLIMIT_AS)
    if hard == resource.RLIM_INFINITY or limit < hard:
        resource.setrlimit(resource.RLIMIT_AS, (limit, hard))
