"""Weights become a model folder: GGUF file → fused ONNX graph → INT8."""

from engine.export.conversion import convert_gguf
from engine.export.request import ConversionProgress, ConversionStage

__all__ = ["ConversionProgress", "ConversionStage", "convert_gguf"]
