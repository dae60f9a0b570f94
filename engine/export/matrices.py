"""How a graph stores and multiplies its matrices: the only thing in which the precisions differ."""

from collections.abc import Callable, Iterator
from typing import Protocol

import numpy as np
from numpy.typing import NDArray
from onnx import NodeProto, helper

from engine.export.compensation import Compensation
from engine.export.external_data import ExternalData
from engine.export.gguf_tensors import Rows
from engine.export.quantise import QuantisedRows, quantise
from engine.models.manifest import Precision

MICROSOFT = "com.microsoft"
BLOCK_SIZES = {"fp32": 0, "int8": 32, "int4": 32}
TABLE_BITS = 8
SMALLEST_BLOCK = 32


class Matrix(Protocol):
    """A matrix of ``[outputs, inputs]`` that stands in the file of weights."""

    def gather(self, indices: str, target: str) -> list[NodeProto]:
        """``indices`` int64 ``[batch, sequence]`` → ``target`` float32 ``[batch, sequence, inputs]``."""
        ...

    def multiply(self, source: str, target: str, bias: str = "") -> list[NodeProto]:
        """``source`` ``[..., inputs]`` → ``target`` ``[..., outputs]``, plus a bias where one is named."""
        ...


def store_matrix(
    data: ExternalData,
    precision: Precision,
    name: str,
    rows: Iterator[Rows],
    outputs: int,
    inputs: int,
    states: NDArray[np.float32] | None = None,
) -> Matrix:
    """Write a matrix of the body in the precision of the model.

    Args:
        data: The file of weights.
        precision: How the matrices are stored.
        name: What the initialisers are called.
        rows: float32 ``[outputs, inputs]``, in pieces.
        outputs: Number of rows.
        inputs: Numbers in a row.
        states: What the matrix is multiplied with in the text of the calibration, float32 ``[tokens, inputs]``; 4 bits
            are rounded to the nearest value without it.
    """
    if precision == "fp32":
        return PlainMatrix(data, name, rows, outputs, inputs)
    block_size = BLOCK_SIZES[precision]
    if precision == "int4" and states is not None:
        return BlockMatrix(
            data, name, rows, outputs, inputs, 4, block_size, Compensation(states, 4, block_size).quantise
        )
    return BlockMatrix(data, name, rows, outputs, inputs, 4 if precision == "int4" else 8, block_size)


def store_table(
    data: ExternalData, precision: Precision, name: str, rows: Iterator[Rows], outputs: int, inputs: int
) -> Matrix:
    """Write a matrix with a row a token, which `gather` may read too; 8 bits where the body has 4.

    Rows are cut into whole blocks, since the two operators fill up a last block in different ways.
    """
    if precision == "fp32":
        return PlainMatrix(data, name, rows, outputs, inputs)
    block_size = BLOCK_SIZES[precision]
    whole = block_size if inputs % block_size == 0 else SMALLEST_BLOCK
    return BlockMatrix(data, name, rows, outputs, inputs, TABLE_BITS, whole)


class PlainMatrix:
    """A float32 matrix."""

    def __init__(self, data: ExternalData, name: str, rows: Iterator[Rows], outputs: int, inputs: int) -> None:
        self._weights = f"{name}.weight"
        with data.writing(self._weights, (outputs, inputs), np.dtype(np.float32)) as write:
            for piece in rows:
                write(piece)

    def gather(self, indices: str, target: str) -> list[NodeProto]:
        """See `Matrix`."""
        return [helper.make_node("Gather", [self._weights, indices], [target], name=target, axis=0)]

    def multiply(self, source: str, target: str, bias: str = "") -> list[NodeProto]:
        """See `Matrix`."""
        product = f"{target}.product" if bias else target
        nodes = [
            helper.make_node(
                "FusedMatMul", [source, self._weights], [product], name=product, domain=MICROSOFT, transB=1
            )
        ]
        if bias:
            nodes.append(helper.make_node("Add", [product, bias], [target], name=target))
        return nodes


class BlockMatrix:
    """A matrix quantised in blocks, to the nearest value where no other rounding is given."""

    def __init__(
        self,
        data: ExternalData,
        name: str,
        rows: Iterator[Rows],
        outputs: int,
        inputs: int,
        bits: int,
        block_size: int,
        rounding: Callable[[Rows], QuantisedRows] | None = None,
    ) -> None:
        self._data = data
        self._outputs = outputs
        self._inputs = inputs
        self._bits = bits
        self._block_size = block_size
        blocks = -(-inputs // block_size)
        scales: list[NDArray[np.float32]] = []
        zero_points: list[NDArray[np.uint8]] = []
        shape = (outputs, blocks, block_size * bits // 8)
        with data.writing(f"{name}.weight", shape, np.dtype(np.uint8)) as write:
            for piece in rows:
                quantised = rounding(piece) if rounding else quantise(piece, bits, block_size)
                write(quantised.weights)
                scales.append(quantised.scales)
                zero_points.append(quantised.zero_points)
        self._weights = f"{name}.weight"
        self._scales = data.add(f"{name}.scales", np.concatenate(scales))
        self._zero_points = data.add(f"{name}.zero_points", np.concatenate(zero_points))

    def gather(self, indices: str, target: str) -> list[NodeProto]:
        """See `Matrix`."""
        table = self._data.add_view(f"{self._weights}.rows", self._weights, (self._outputs, self._inputs))
        return [
            helper.make_node(
                "GatherBlockQuantized",
                [table, indices, self._scales, self._zero_points],
                [target],
                name=target,
                domain=MICROSOFT,
                gather_axis=0,
                quantize_axis=1,
                bits=self._bits,
                block_size=self._block_size,
            )
        ]

    def multiply(self, source: str, target: str, bias: str = "") -> list[NodeProto]:
        """See `Matrix`."""
        optional = ["", bias] if bias else []
        return [
            helper.make_node(
                "MatMulNBits",
                [source, self._weights, self._scales, self._zero_points, *optional],
                [target],
                name=target,
                domain=MICROSOFT,
                K=self._inputs,
                N=self._outputs,
                bits=self._bits,
                block_size=self._block_size,
                accuracy_level=4,
            )
        ]
