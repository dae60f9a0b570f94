"""Weights become a model folder: GGUF file → fused ONNX graph → INT8."""
