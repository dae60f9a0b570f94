"""The ONNX Runtime session of a model: feeds tokens, gives logits, keeps the KV cache in place."""

import os
from collections.abc import Generator, Sequence
from pathlib import Path
from typing import Self

# Read by ONNX Runtime when it is imported: nothing of it may call home.
os.environ.setdefault("ORT_DISABLE_TELEMETRY", "1")

import numpy as np
from onnxruntime import InferenceSession, OrtValue, SessionIOBinding, SessionOptions
from onnxruntime.capi.onnxruntime_pybind11_state import (
    Fail,
    InvalidGraph,
    InvalidProtobuf,
    NoSuchFile,
    RuntimeException,
)

from engine.errors import ModelFolderError, ModelRunError
from engine.forward import Logits
from engine.forward.kv_cache import KVCache
from engine.forward.layout import matches
from engine.models.manifest import GRAPH_NAME, Manifest

PREFILL_CHUNK = 256
"""Tokens of a prompt that are read at once: bounds memory, and a stop is noticed between two chunks."""

SPIN_MICROSECONDS = 1500
"""How long worker threads wait actively for the next step: longer than the Python code between two steps."""

_RUN_ERRORS = (Fail, InvalidGraph, InvalidProtobuf, NoSuchFile, RuntimeException)


class ForwardSession:
    """A loaded graph with the cache of one sequence.

    Args:
        session: The session of the graph.
        manifest: What the graph is.

    Attributes:
        cache: What the model has read.
    """

    def __init__(self, session: InferenceSession, manifest: Manifest) -> None:
        self._session = session
        self._manifest = manifest
        self._single = self._new_run(1, 1)
        self.cache = KVCache(manifest.layers, manifest.kv_heads, manifest.head_size)

    @classmethod
    def load(cls, folder: Path, manifest: Manifest) -> Self:
        """Load the graph of a model folder on the processor.

        Raises:
            ModelFolderError: ONNX Runtime cannot load the graph, or it is not the one of the manifest.
        """
        options = SessionOptions()
        options.log_severity_level = 3
        options.add_session_config_entry("session.intra_op.spin_duration_us", str(SPIN_MICROSECONDS))
        try:
            session = InferenceSession(str(folder / GRAPH_NAME), options, providers=["CPUExecutionProvider"])
        except _RUN_ERRORS as error:
            raise ModelFolderError(
                "The model {folder} cannot be loaded; import it again.", folder=folder.name
            ) from error
        if not matches(session, manifest):
            raise ModelFolderError(
                "The model {folder} is damaged: its graph is not what its manifest says; import it again.",
                folder=folder.name,
            )
        return cls(session, manifest)

    def reusable(self, token_ids: Sequence[int]) -> int:
        """How many tokens of a prompt need not be read again; never all, since the cache holds no logits."""
        return min(self.cache.common_prefix(token_ids), len(token_ids) - 1)

    def prefill(self, token_ids: Sequence[int]) -> Generator[int, None, Logits]:
        """Read a prompt in chunks, reusing what the cache holds of it.

        Yields:
            How many tokens of the prompt have been read, after each chunk.

        Returns:
            Logits after the last token, float32 of shape (vocabulary,); valid until the next call.
        """
        self.cache.rewind(self.reusable(token_ids))
        logits: Logits
        for start in range(len(self.cache.token_ids), len(token_ids), PREFILL_CHUNK):
            logits = self.forward(token_ids[start : start + PREFILL_CHUNK])[-1]
            yield len(self.cache.token_ids)
        return logits

    def forward(self, token_ids: Sequence[int], positions: int = 1) -> Logits:
        """Read tokens after those in the cache.

        Args:
            token_ids: One token or more.
            positions: For how many of the last of them logits are wanted.

        Returns:
            Logits, float32 of shape (positions, vocabulary); valid until the next call.

        Raises:
            ModelRunError: ONNX Runtime failed; the cache is as it was before.
        """
        total = len(self.cache.token_ids) + len(token_ids)
        self.cache.reserve(total)
        # The shape of decoding is bound once; a binding costs more than the Python of a whole step.
        run = self._single if len(token_ids) == positions == 1 else self._new_run(len(token_ids), positions)
        run.bind(self.cache.buffers)
        run.set(token_ids, total)
        try:
            self._session.run_with_iobinding(run.binding)
        except _RUN_ERRORS as error:
            raise ModelRunError("The model failed while it computed; try again or choose another model.") from error
        self.cache.token_ids.extend(token_ids)
        return run.logits

    def _new_run(self, tokens: int, positions: int) -> "_Run":
        return _Run(self._session.io_binding(), tokens, positions, self._manifest)


class _Run:
    """The inputs and outputs of runs of one shape, which ONNX Runtime reads and writes in place."""

    def __init__(self, binding: SessionIOBinding, tokens: int, positions: int, manifest: Manifest) -> None:
        self.binding = binding
        self._ids = np.zeros((1, tokens), np.int64)
        self._last = np.zeros(1, np.int32)
        self._total = np.zeros((), np.int32)
        self._keep = np.array(positions, np.int64)
        self._logits = np.empty((1, positions, manifest.vocabulary_size), np.float32)
        self._cache_names = [f"{layer}.{part}" for layer in range(manifest.layers) for part in ("key", "value")]
        self._bound_to: Sequence[OrtValue] | None = None
        binding.bind_ortvalue_input("input_ids", OrtValue.ortvalue_from_numpy(self._ids))
        binding.bind_ortvalue_input("seqlens_k", OrtValue.ortvalue_from_numpy(self._last))
        binding.bind_ortvalue_input("total_sequence_length", OrtValue.ortvalue_from_numpy(self._total))
        binding.bind_ortvalue_input("logits_to_keep", OrtValue.ortvalue_from_numpy(self._keep))
        binding.bind_ortvalue_output("logits", OrtValue.ortvalue_from_numpy(self._logits))

    @property
    def logits(self) -> Logits:
        """Logits of the last run, shape (positions, vocabulary)."""
        logits: Logits = self._logits[0]
        return logits

    def bind(self, buffers: Sequence[OrtValue]) -> None:
        """Bind the buffers of the cache, unless they are bound already."""
        if self._bound_to is buffers:
            return
        for name, buffer in zip(self._cache_names, buffers, strict=True):
            self.binding.bind_ortvalue_input(f"past_key_values.{name}", buffer)
            self.binding.bind_ortvalue_output(f"present.{name}", buffer)
        self._bound_to = buffers

    def set(self, token_ids: Sequence[int], total: int) -> None:
        """Write the inputs of the next run; `total` counts the tokens in the cache and these."""
        self._ids[0] = token_ids
        self._last[0] = total - 1
        self._total[()] = total
