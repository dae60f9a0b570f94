"""What this machine is like: measured once, in less than two seconds, and kept in a file."""

import json
import logging
import os
import platform
from dataclasses import asdict, dataclass
from pathlib import Path

import onnxruntime

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class MachineProfile:
    """What was measured.

    Attributes:
        key: The processor, its cores and the version of ONNX Runtime; another one is measured anew.
        threads: Threads for one product; 0 leaves the choice to the runtime, which binds them to cores.
        verify_ratio: How many times as long a step with four tokens takes as one with a single token.
        computes_quantised_products: Whether the fast 8-bit product agrees with numpy on this processor.
    """

    key: str
    threads: int
    verify_ratio: float
    computes_quantised_products: bool


def known_profile(path: Path) -> MachineProfile | None:
    """What was measured on this machine before; None where it was not, or its file cannot be understood."""
    try:
        profile = MachineProfile(**json.loads(path.read_text(encoding="utf-8")))
    except (OSError, ValueError, TypeError):
        log.info("no measurement of this machine in %s", path)
        return None
    return profile if profile.key == machine_key() else None


def machine_profile(path: Path) -> MachineProfile:
    """Read what was measured on this machine before, or measure it and keep it in this file.

    A file that cannot be read or written is no failure: the machine is measured again next time.
    """
    if known := known_profile(path):
        return known
    # What measures brings in the packages that write graphs; most starts need none of them.
    from engine.machine_measurement import measure_machine

    profile = measure_machine()
    scratch = path.with_suffix(".partial")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        scratch.write_text(json.dumps(asdict(profile), indent=2) + "\n", encoding="utf-8")
        scratch.replace(path)
    except OSError as error:
        log.warning("the measurement of this machine is not kept: %s", error)
    return profile


def machine_key() -> str:
    """What tells one machine from another, as far as its speed goes."""
    return f"{platform.machine()} {_processor()}, {os.cpu_count()} cores, onnxruntime {onnxruntime.__version__}"


def _processor() -> str:
    try:
        text = Path("/proc/cpuinfo").read_text(encoding="utf-8")
    except OSError:
        return platform.processor()
    names = (line.split(":", 1)[1].strip() for line in text.splitlines() if line.startswith("model name"))
    return next(names, platform.processor())
