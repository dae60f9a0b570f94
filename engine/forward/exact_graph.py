"""The graph of a model with exact products, for a processor whose fast ones were found to be wrong."""

from pathlib import Path

import onnx
from google.protobuf.message import DecodeError

from engine.errors import ModelFolderError
from engine.models.manifest import GRAPH_NAME

EXACT = 1
"""The accuracy level of products in fp32; at 4 the activations are rounded to 8 bits."""


def exact_graph(folder: Path) -> bytes:
    """The serialised graph of a model folder, without its weights, every quantised product set to fp32.

    Raises:
        ModelFolderError: The file is no graph.
    """
    try:
        model = onnx.load(folder / GRAPH_NAME, load_external_data=False)
    except (OSError, DecodeError) as error:
        raise ModelFolderError("The model {folder} cannot be loaded; import it again.", folder=folder.name) from error
    for node in model.graph.node:
        for attribute in node.attribute:
            if attribute.name == "accuracy_level":
                attribute.i = EXACT
    serialised: bytes = model.SerializeToString()
    return serialised
