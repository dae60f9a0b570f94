"""Quantisation in blocks: its error is bounded, and its layout is the one that ONNX Runtime computes with."""

from pathlib import Path

import numpy as np
import onnxruntime
import pytest
from numpy.typing import NDArray
from onnx import TensorProto, helper

from engine.export.external_data import ExternalData
from engine.export.matrices import MICROSOFT, BlockMatrix
from engine.export.quantise import dequantise, quantise


def random_rows(rows: int, inputs: int, seed: int = 0) -> NDArray[np.float32]:
    return np.random.default_rng(seed).normal(0, 1, (rows, inputs)).astype(np.float32)


@pytest.mark.parametrize("bits", [4, 8])
@pytest.mark.parametrize("block_size", [32, 64, 128])
@pytest.mark.parametrize("inputs", [128, 96, 33])
def test_no_weight_is_further_away_than_half_a_step(bits: int, block_size: int, inputs: int) -> None:
    rows = random_rows(7, inputs)

    quantised = quantise(rows, bits, block_size)

    steps = np.repeat(quantised.scales, block_size, axis=1)[:, :inputs]
    error = np.abs(dequantise(quantised, bits, inputs) - rows)
    # Rounding the zero point shifts the range by up to half a step, which can clip the outermost weight.
    assert (error <= steps * 1.001).all()
    assert np.mean(error <= steps * 0.501) > 0.9


@pytest.mark.parametrize("value", [0.0, 3.0, -3.0])
def test_a_constant_row_is_exact(value: float) -> None:
    rows = np.full((2, 64), value, np.float32)

    assert np.allclose(dequantise(quantise(rows, 8, 32), 8, 64), rows, rtol=1e-6)


def test_an_outlier_costs_only_its_own_block() -> None:
    rows = random_rows(1, 128)
    rows[0, 5] = 1000

    error = np.abs(dequantise(quantise(rows, 8, 32), 8, 128) - rows)

    assert error[0, 32:].max() < 0.02


@pytest.mark.parametrize("bits", [4, 8])
@pytest.mark.parametrize("block_size", [32, 64])
def test_onnx_runtime_multiplies_with_the_quantised_rows(tmp_path: Path, bits: int, block_size: int) -> None:
    outputs, inputs = 48, 192
    rows, states = random_rows(outputs, inputs), random_rows(5, inputs, seed=1)[None]

    result = run_matrix(tmp_path, rows, bits, block_size, states)

    expected = states @ dequantise(quantise(rows, bits, block_size), bits, inputs).T
    # The operator quantises the states to 8 bits.
    assert np.abs(result - expected).max() < 0.02 * np.abs(expected).max()


@pytest.mark.parametrize("block_size", [32, 64])
def test_one_table_serves_look_up_and_product(tmp_path: Path, block_size: int) -> None:
    rows, ids = random_rows(40, 128), np.array([[0, 39, 7]], np.int64)

    result = run_matrix(tmp_path, rows, 8, block_size, ids)

    assert np.array_equal(result[0], dequantise(quantise(rows, 8, block_size), 8, 128)[ids[0]])
    assert (tmp_path / "weights.data").stat().st_size < 40 * 128 + 3 * 4096 + 40 * 128 // block_size * 5


def run_matrix(
    folder: Path, rows: NDArray[np.float32], bits: int, block_size: int, states: NDArray[np.float32 | np.int64]
) -> NDArray[np.float32]:
    """Run a graph of one matrix: integers are looked up, numbers are multiplied."""
    pieces, (outputs, inputs) = iter([rows[:16], rows[16:]]), rows.shape
    look_up = states.dtype == np.int64
    with ExternalData(folder / "weights.data") as data:
        matrix = BlockMatrix(data, "matrix", pieces, outputs, inputs, bits, block_size)
        nodes = matrix.gather("states", "result") if look_up else matrix.multiply("states", "result")
        kind = TensorProto.INT64 if look_up else TensorProto.FLOAT
        graph = helper.make_graph(
            nodes,
            "matrix",
            [helper.make_tensor_value_info("states", kind, list(states.shape))],
            [helper.make_tensor_value_info("result", TensorProto.FLOAT, None)],
            data.initialisers,
        )
    opsets = [helper.make_opsetid("", 18), helper.make_opsetid(MICROSOFT, 1)]
    model = helper.make_model(graph, opset_imports=opsets, ir_version=10)
    (folder / "model.onnx").write_bytes(model.SerializeToString())
    session = onnxruntime.InferenceSession(str(folder / "model.onnx"), providers=["CPUExecutionProvider"])
    result: NDArray[np.float32] = session.run(None, {"states": states})[0]
    return result
