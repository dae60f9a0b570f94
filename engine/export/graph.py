"""One decoder graph for every architecture of the table, fused for ONNX Runtime.

Inputs: ``input_ids`` int64 ``[batch, sequence]``; ``seqlens_k`` int32 ``[batch]``, the total length of each row minus
one; ``total_sequence_length`` int32 scalar; ``logits_to_keep`` int64 scalar, how many last positions get logits; and
for each layer i ``past_key_values.i.key`` and ``.value``, float32 ``[batch, kv_heads, buffer, head_size]``.
Outputs: ``logits`` float32 ``[batch, kept, vocabulary]``, and ``present.i.key`` and ``.value`` in the shape of the
past; one buffer bound as past and as present makes the KV cache grow in place.
"""

from collections.abc import Callable, Collection, Iterator

import numpy as np
from onnx import ModelProto, NodeProto, TensorProto, ValueInfoProto, helper

from engine.export.architectures import ModelShape
from engine.export.calibration import Calibration
from engine.export.external_data import ExternalData
from engine.export.gguf_tensors import Rows
from engine.export.matrices import MICROSOFT, Matrix, store_matrix, store_table
from engine.export.weights import ModelWeights
from engine.models.manifest import Precision

OPSET = 18
IR_VERSION = 10
END_OF_AXIS = np.iinfo(np.int64).max


def write_graph(
    shape: ModelShape,
    weights: ModelWeights,
    precision: Precision,
    calibration: Calibration | None,
    eight_bit: Collection[str],
    data: ExternalData,
    report: Callable[[float], None],
) -> ModelProto:
    """Write the weights of a model and build the graph that reads them.

    Args:
        shape: The measures of the model.
        weights: Where the numbers come from.
        precision: How the matrices are stored.
        calibration: What the matrices get to read, where the precision needs to know.
        eight_bit: Names of matrices that have 8 bits where the others have 4.
        data: The file of weights, open and empty.
        report: Told the share of the weights that is written, from 0 to 1.
    """
    builder = _GraphBuilder(shape, weights, precision, calibration, eight_bit, data)
    pieces = shape.layers + 2
    report(0.0)
    head = builder.embedding()
    for layer in range(shape.layers):
        report((layer + 1) / pieces)
        builder.attention(layer)
        builder.feed_forward(layer)
    report((pieces - 1) / pieces)
    builder.head(head)
    report(1.0)
    return builder.model()


class _GraphBuilder:
    """Nodes in the order in which a token passes them.

    ``skip`` names the residual stream before the last sum, ``branch`` what is to be added to it; the next norm adds
    and normalises in one operator.
    """

    def __init__(
        self,
        shape: ModelShape,
        weights: ModelWeights,
        precision: Precision,
        calibration: Calibration | None,
        eight_bit: Collection[str],
        data: ExternalData,
    ) -> None:
        self._shape = shape
        self._weights = weights
        self._precision: Precision = precision
        self._calibration = calibration
        self._eight_bit = eight_bit
        self._data = data
        self._nodes: list[NodeProto] = []
        self._skip = ""
        self._branch = ""

    def embedding(self) -> Matrix:
        """Token ids become the residual stream; returns the table for a tied head."""
        shape, data = self._shape, self._data
        table = store_table(
            data, self._precision, "embedding", self._weights.embedding(), shape.vocabulary, shape.hidden
        )
        self._nodes += table.gather("input_ids", "embedding")
        self._branch = "embedding"
        cosines, sines = self._weights.rotations(shape.context)
        data.add("rotary.cosines", cosines)
        data.add("rotary.sines", sines)
        return table

    def attention(self, layer: int) -> None:
        """The attention part of a layer: norm, packed projection, grouped-query attention with rotation, output."""
        shape, weights, name = self._shape, self._weights, f"layers.{layer}.attention"
        query_width = shape.heads * shape.head_size
        packed_width = query_width + 2 * shape.kv_heads * shape.head_size
        bias = ""
        if shape.attention_bias:
            bias = self._data.add(f"{name}.packed.bias", weights.queries_keys_values_bias(layer))
        self._norm(f"{name}.norm", weights.attention_norm(layer))
        self._multiply(
            f"{name}.packed", weights.queries_keys_values(layer), packed_width, shape.hidden, f"{name}.norm", bias
        )
        past, present = (_cache_names(layer, kind) for kind in ("past_key_values", "present"))
        self._node(
            "GroupQueryAttention",
            [f"{name}.packed", "", "", *past, "seqlens_k", "total_sequence_length", "rotary.cosines", "rotary.sines"],
            [f"{name}.heads", *present],
            MICROSOFT,
            num_heads=shape.heads,
            kv_num_heads=shape.kv_heads,
            scale=shape.head_size**-0.5,
            do_rotary=1,
            rotary_interleaved=0,
        )
        self._multiply(f"{name}.output", weights.attention_output(layer), shape.hidden, query_width, f"{name}.heads")
        self._branch = f"{name}.output"

    def feed_forward(self, layer: int) -> None:
        """The feed-forward part of a layer: norm, gate and up in one product, SiLU, down."""
        shape, weights, name = self._shape, self._weights, f"layers.{layer}.feed_forward"
        self._norm(f"{name}.norm", weights.feed_forward_norm(layer))
        self._multiply(
            f"{name}.packed", weights.gate_and_up(layer), 2 * shape.feed_forward, shape.hidden, f"{name}.norm"
        )
        self._node("Split", [f"{name}.packed"], [f"{name}.gate", f"{name}.up"], axis=-1, num_outputs=2)
        # QuickGelu is x * sigmoid(alpha * x), which is SiLU for alpha 1, in one pass.
        self._node("QuickGelu", [f"{name}.gate"], [f"{name}.active"], MICROSOFT, alpha=1.0)
        self._node("Mul", [f"{name}.active", f"{name}.up"], [f"{name}.gated"])
        self._multiply(f"{name}.down", weights.down(layer), shape.hidden, shape.feed_forward, f"{name}.gated")
        self._branch = f"{name}.down"

    def head(self, table: Matrix) -> None:
        """The last positions become logits, by the table of the embedding where they are tied."""
        shape = self._shape
        self._norm("final_norm", self._weights.final_norm())
        self._constant("slice.shape", [-1])
        self._constant("slice.end", [END_OF_AXIS])
        self._constant("slice.axis", [1])
        self._node("Neg", ["logits_to_keep"], ["slice.start.scalar"])
        self._node("Reshape", ["slice.start.scalar", "slice.shape"], ["slice.start"])
        self._node("Slice", ["final_norm", "slice.start", "slice.end", "slice.axis"], ["kept"])
        if not shape.tied:
            table = store_table(
                self._data, self._precision, "head", self._weights.head(), shape.vocabulary, shape.hidden
            )
        self._nodes += table.multiply("kept", "logits")

    def model(self) -> ModelProto:
        """The finished graph."""
        shape = self._shape
        cache: list[str | int] = ["batch", shape.kv_heads, "buffer", shape.head_size]
        inputs = [
            helper.make_tensor_value_info("input_ids", TensorProto.INT64, ["batch", "sequence"]),
            helper.make_tensor_value_info("seqlens_k", TensorProto.INT32, ["batch"]),
            helper.make_tensor_value_info("total_sequence_length", TensorProto.INT32, []),
            helper.make_tensor_value_info("logits_to_keep", TensorProto.INT64, []),
            *self._cache_values("past_key_values", cache),
        ]
        outputs = [
            helper.make_tensor_value_info("logits", TensorProto.FLOAT, ["batch", "kept", shape.vocabulary]),
            *self._cache_values("present", cache),
        ]
        graph = helper.make_graph(self._nodes, shape.architecture, inputs, outputs, self._data.initialisers)
        opsets = [helper.make_opsetid("", OPSET), helper.make_opsetid(MICROSOFT, 1)]
        return helper.make_model(graph, opset_imports=opsets, ir_version=IR_VERSION, producer_name="sixpane")

    def _cache_values(self, kind: str, dimensions: list[str | int]) -> list[ValueInfoProto]:
        return [
            helper.make_tensor_value_info(name, TensorProto.FLOAT, dimensions)
            for layer in range(self._shape.layers)
            for name in _cache_names(layer, kind)
        ]

    def _norm(self, name: str, scale: Rows) -> None:
        weight = self._data.add(f"{name}.weight", scale)
        if not self._skip:
            self._node(
                "SimplifiedLayerNormalization", [self._branch, weight], [name], axis=-1, epsilon=self._shape.epsilon
            )
            self._skip = self._branch
            return
        stream = f"{name}.stream"
        self._node(
            "SkipSimplifiedLayerNormalization",
            [self._skip, self._branch, weight],
            [name, "", "", stream],
            MICROSOFT,
            epsilon=self._shape.epsilon,
        )
        self._skip = stream

    def _multiply(
        self, name: str, rows: Iterator[Rows], outputs: int, inputs: int, source: str, bias: str = ""
    ) -> None:
        states = self._calibration.states(name) if self._calibration else None
        precision = "int8" if name in self._eight_bit else self._precision
        matrix = store_matrix(self._data, precision, name, rows, outputs, inputs, states)
        self._nodes += matrix.multiply(source, name, bias)

    def _constant(self, name: str, values: list[int]) -> None:
        self._data.initialisers.append(helper.make_tensor(name, TensorProto.INT64, [len(values)], values))

    def _node(
        self, operator: str, inputs: list[str], outputs: list[str], domain: str = "", **attributes: object
    ) -> None:
        self._nodes.append(helper.make_node(operator, inputs, outputs, name=outputs[0], domain=domain, **attributes))


def _cache_names(layer: int, kind: str) -> tuple[str, str]:
    return f"{kind}.{layer}.key", f"{kind}.{layer}.value"
