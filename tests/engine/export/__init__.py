"""Tests of the export: GGUF file → model folder."""
