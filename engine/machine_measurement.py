"""Measures this machine: the products that decoding is bound by, with different numbers of threads.

Decoding is bound by products of one row with large 8-bit matrices. Such a product is computed here with different
numbers of threads, with one row and with four, and its result is compared with numpy: there were processors on which
a kernel of the runtime computed wrongly.
"""

import os
from time import perf_counter

import numpy as np
import onnxruntime
from numpy.typing import NDArray
from onnx import TensorProto, helper, numpy_helper

from engine.export.quantise import dequantise, quantise
from engine.machine import MachineProfile, machine_key

INPUTS = 1024
OUTPUTS = 8192
BLOCK_SIZE = 32
BITS = 8

LARGEST_ERROR = 0.02
"""Of the largest result: the rounding of the activations to 8 bits stays well below it."""

VERIFIED_TOKENS = 4
REPEATS = 25
WORTH_CHANGING = 0.95
"""The runtime's own number of threads stays unless another one takes less than this share of its time."""


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
        key=machine_key(),
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
    """The shortest time of one product: whatever else runs on the machine only adds to it."""
    _run(session, rows)
    shortest = float("inf")
    for _ in range(REPEATS):
        started = perf_counter()
        _run(session, rows)
        shortest = min(shortest, perf_counter() - started)
    return shortest


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
