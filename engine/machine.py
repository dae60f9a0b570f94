"""What this machine is like: measured once, in less than two seconds, and kept in a file.

Decoding is bound by products of one row with large 8-bit matrices. Such a product is computed here with different
numbers of threads, with one row and with four, and its result is compared with numpy: there were processors on which
a kernel of the runtime computed wrongly.
"""

import json
import logging
import os
import platform
from dataclasses import asdict, dataclass
from pathlib import Path
from statistics import median
from time import perf_counter

import numpy as np
import onnxruntime
from numpy.typing import NDArray
from onnx import TensorProto, helper, numpy_helper

from engine.export.quantise import dequantise, quantise

INPUTS = 1024
OUTPUTS = 8192
BLOCK_SIZE = 32
BITS = 8

LARGEST_ERROR = 0.02
"""Of the largest result: the rounding of the activations to 8 bits stays well below it."""

VERIFIED_TOKENS = 4
REPEATS = 15
WORTH_CHANGING = 0.95
"""The runtime's own number of threads stays unless another one takes less than this share of its time."""

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


def machine_profile(path: Path) -> MachineProfile:
    """Read what was measured on this machine before, or measure it and keep it in this file.

    A file that cannot be read or written is no failure: the machine is measured again next time.
    """
    try:
        profile = MachineProfile(**json.loads(path.read_text(encoding="utf-8")))
        if profile.key == _key():
            return profile
    except (OSError, ValueError, TypeError):
        log.info("no measurement of this machine in %s", path)
    profile = measure_machine()
    scratch = path.with_suffix(".partial")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        scratch.write_text(json.dumps(asdict(profile), indent=2) + "\n", encoding="utf-8")
        scratch.replace(path)
    except OSError as error:
        log.warning("the measurement of this machine is not kept: %s", error)
    return profile


def measure_machine() -> MachineProfile:
    """Measure this machine."""
    random = np.random.default_rng(0)
    weights = random.standard_normal((OUTPUTS, INPUTS), np.float32)
    rows = random.standard_normal((VERIFIED_TOKENS, INPUTS), np.float32)
    quantised = quantise(weights, BITS, BLOCK_SIZE)
    graph = _product_graph(quantised.weights, quantised.scales, quantised.zero_points)

    sessions = {threads: _session(graph, threads) for threads in _candidates()}
    expected = rows @ dequantise(quantised, BITS, INPUTS).T
    single = {threads: _seconds(session, rows[:1]) for threads, session in sessions.items()}
    fastest = min(single, key=lambda threads: single[threads])
    threads = fastest if single[fastest] < WORTH_CHANGING * single[0] else 0
    return MachineProfile(
        key=_key(),
        threads=threads,
        verify_ratio=_seconds(sessions[threads], rows) / single[threads],
        computes_quantised_products=agrees(_run(sessions[threads], rows), expected),
    )


def agrees(computed: NDArray[np.float32], expected: NDArray[np.float32]) -> bool:
    """Whether a product with rounded activations is as near to the exact one as it must be."""
    return bool(np.abs(computed - expected).max() <= LARGEST_ERROR * np.abs(expected).max())


def _candidates() -> list[int]:
    cores = os.cpu_count() or 1
    return sorted({0, max(cores // 2, 1), cores})


def _session(graph: bytes, threads: int) -> onnxruntime.InferenceSession:
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    options.log_severity_level = 3
    return onnxruntime.InferenceSession(graph, options, providers=["CPUExecutionProvider"])


def _run(session: onnxruntime.InferenceSession, rows: NDArray[np.float32]) -> NDArray[np.float32]:
    result: NDArray[np.float32] = session.run(None, {"rows": rows})[0]
    return result


def _seconds(session: onnxruntime.InferenceSession, rows: NDArray[np.float32]) -> float:
    """Median time of one product."""
    _run(session, rows)
    times = []
    for _ in range(REPEATS):
        started = perf_counter()
        _run(session, rows)
        times.append(perf_counter() - started)
    return median(times)


def _product_graph(weights: NDArray[np.uint8], scales: NDArray[np.float32], zero_points: NDArray[np.uint8]) -> bytes:
    arrays = {"weights": weights, "scales": scales, "zero_points": zero_points}
    product = helper.make_node(
        "MatMulNBits",
        ["rows", *arrays],
        ["product"],
        domain="com.microsoft",
        K=INPUTS,
        N=OUTPUTS,
        bits=BITS,
        block_size=BLOCK_SIZE,
        accuracy_level=4,
    )
    graph = helper.make_graph(
        [product],
        "product",
        [helper.make_tensor_value_info("rows", TensorProto.FLOAT, ["count", INPUTS])],
        [helper.make_tensor_value_info("product", TensorProto.FLOAT, ["count", OUTPUTS])],
        [numpy_helper.from_array(array, name) for name, array in arrays.items()],
    )
    opsets = [helper.make_opsetid("", 18), helper.make_opsetid("com.microsoft", 1)]
    serialised: bytes = helper.make_model(graph, opset_imports=opsets, ir_version=10).SerializeToString()
    return serialised


def _key() -> str:
    return f"{platform.machine()} {_processor()}, {os.cpu_count()} cores, onnxruntime {onnxruntime.__version__}"


def _processor() -> str:
    try:
        text = Path("/proc/cpuinfo").read_text(encoding="utf-8")
    except OSError:
        return platform.processor()
    names = (line.split(":", 1)[1].strip() for line in text.splitlines() if line.startswith("model name"))
    return next(names, platform.processor())
