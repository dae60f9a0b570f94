"""Measures a model on this machine: reading, answering, loading and memory."""

import os
import platform
import sys
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from time import perf_counter

import numpy as np
import onnxruntime

from engine.cancellation import Cancellation
from engine.conversation import Message
from engine.events import TokenGenerated
from engine.machine import machine_profile
from engine.pipeline import Pipeline
from engine.settings import GenerationSettings

PROMPT_TOKENS = 512
NEW_TOKENS = 96
ROUNDS = 5


@dataclass(frozen=True, slots=True)
class Round:
    """One round of measuring.

    Attributes:
        prefill_tokens_per_second: Reading 512 tokens into an empty KV cache.
        decode_tokens_per_second: 96 tokens one by one after those 512, chosen greedily.
        first_token_seconds: From a short question to the first token of its answer, through all stages.
    """

    prefill_tokens_per_second: float
    decode_tokens_per_second: float
    first_token_seconds: float


@dataclass(frozen=True, slots=True)
class Measurement(Round):
    """Medians of some rounds on one machine.

    Attributes:
        load_seconds: From the folder to a loaded model.
        peak_memory_bytes: The largest resident memory of the whole process.
        model: Name of the model.
        precision: Its precision.
        rounds: How many rounds the medians are of.
        machine: Processor and number of logical cores.
        runtime: Version of ONNX Runtime.
    """

    load_seconds: float
    peak_memory_bytes: int
    model: str
    precision: str
    rounds: int
    machine: str
    runtime: str


def measure(folder: Path, machine_file: Path | None = None) -> Measurement:
    """Load a model folder and measure it; takes about half a minute for a small model.

    Args:
        folder: The model.
        machine_file: Where it is kept what was measured of this machine; that is not part of the load that is timed.

    Raises:
        ModelFolderError: The folder is incomplete, damaged or of an unknown kind.
    """
    if machine_file:
        machine_profile(machine_file)
    started = perf_counter()
    pipeline = Pipeline.load(folder, machine_file=machine_file)
    load_seconds = perf_counter() - started
    rounds = [measure_round(pipeline) for _ in range(ROUNDS)]
    return Measurement(
        prefill_tokens_per_second=median(one.prefill_tokens_per_second for one in rounds),
        decode_tokens_per_second=median(one.decode_tokens_per_second for one in rounds),
        first_token_seconds=median(one.first_token_seconds for one in rounds),
        load_seconds=load_seconds,
        peak_memory_bytes=peak_memory_bytes(),
        model=pipeline.manifest.name,
        precision=pipeline.manifest.precision,
        rounds=ROUNDS,
        machine=f"{platform.processor() or platform.machine()}, {os.cpu_count()} cores",
        runtime=f"onnxruntime {onnxruntime.__version__}",
    )


def measure_round(pipeline: Pipeline) -> Round:
    """Measure a loaded model once; its KV cache is empty afterwards."""
    session = pipeline.session
    # The same tokens each time, so that rounds and models can be compared; ordinary ids, none of them special.
    prompt = np.random.default_rng(0).integers(1000, 10000, PROMPT_TOKENS).tolist()
    session.cache.rewind(0)
    started = perf_counter()
    for _ in session.prefill(prompt):
        pass
    read = perf_counter()
    token_id = prompt[0]
    for _ in range(NEW_TOKENS):
        token_id = int(session.forward([token_id])[0].argmax())
    answered = perf_counter()
    session.cache.rewind(0)
    first_token_seconds = _first_token_seconds(pipeline)
    session.cache.rewind(0)
    return Round(PROMPT_TOKENS / (read - started), NEW_TOKENS / (answered - read), first_token_seconds)


def peak_memory_bytes() -> int:
    """The largest resident memory that this process has had."""
    if sys.platform == "linux":
        # Not getrusage: its maximum begins with that of the process that started this one.
        status = Path("/proc/self/status").read_text(encoding="utf-8")
        return int(next(line.split()[1] for line in status.splitlines() if line.startswith("VmHWM"))) * 1024
    if sys.platform == "win32":
        import psutil

        return int(psutil.Process().memory_info().peak_wset)
    import resource

    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss


def _first_token_seconds(pipeline: Pipeline) -> float:
    started = perf_counter()
    settings = GenerationSettings(temperature=0, max_new_tokens=1)
    for event in pipeline.generate([Message("user", "What is the capital of Japan?")], settings, Cancellation()):
        if isinstance(event, TokenGenerated):
            break
    return perf_counter() - started
