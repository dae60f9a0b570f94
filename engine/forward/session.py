"""The ONNX Runtime session of a model: feeds tokens, gives logits, keeps the KV cache in place."""

import logging
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
from engine.forward.batch_cache import BatchCache
from engine.forward.cache_file import load_cache, save_cache
from engine.forward.cache_pool import CACHE_BUDGET, CachePool
from engine.forward.kv_cache import CacheLayout, KVCache
from engine.forward.layout import matches
from engine.machine import MachineProfile
from engine.models.manifest import GRAPH_NAME, Manifest

PREFILL_CHUNK = 256
"""Tokens of a prompt that are read at once: bounds memory, and a stop is noticed between two chunks."""

SPIN_MICROSECONDS = 1500
"""How long worker threads wait actively for the next step: longer than the Python code between two steps."""

log = logging.getLogger(__name__)

_RUN_ERRORS = (Fail, InvalidGraph, InvalidProtobuf, NoSuchFile, RuntimeException)


class ForwardSession:
    """A loaded graph with the caches of the conversations that it has read.

    Args:
        session: The session of the graph.
        manifest: What the graph is.
        cache_budget: The most bytes that the caches of all conversations take together.

    Attributes:
        caches: What the model has read.
    """

    def __init__(self, session: InferenceSession, manifest: Manifest, cache_budget: int = CACHE_BUDGET) -> None:
        self._session = session
        self._manifest = manifest
        self._single = self._new_run(1, 1, 1)
        self._rows: _Run | None = None
        self.layout = CacheLayout.of(manifest)
        self.caches = CachePool(self.layout, cache_budget)

    @property
    def context_length(self) -> int:
        """The most tokens of prompt and answer together."""
        return self._manifest.context_length

    @property
    def cache(self) -> KVCache:
        """What the model has read of the conversation in use."""
        return self.caches.current

    @classmethod
    def load(
        cls,
        folder: Path,
        manifest: Manifest,
        cache_budget: int = CACHE_BUDGET,
        machine: MachineProfile | None = None,
    ) -> Self:
        """Load the graph of a model folder on the processor.

        Args:
            folder: The model folder.
            manifest: Its manifest.
            cache_budget: The most bytes that the caches of all conversations take together.
            machine: What was measured of this machine; without it the runtime's own choices hold.

        Raises:
            ModelFolderError: ONNX Runtime cannot load the graph, or it is not the one of the manifest.
        """
        options = SessionOptions()
        options.log_severity_level = 3
        options.add_session_config_entry("session.intra_op.spin_duration_us", str(SPIN_MICROSECONDS))
        options.intra_op_num_threads = machine.threads if machine else 0
        try:
            graph: str | bytes = str(folder / GRAPH_NAME)
            if machine and not machine.computes_quantised_products:
                graph = _exact_graph(folder, options)
            session = InferenceSession(graph, options, providers=["CPUExecutionProvider"])
        except _RUN_ERRORS as error:
            raise ModelFolderError(
                "The model {folder} cannot be loaded; import it again.", folder=folder.name
            ) from error
        if not matches(session, manifest):
            raise ModelFolderError(
                "The model {folder} is damaged: its graph is not what its manifest says; import it again.",
                folder=folder.name,
            )
        return cls(session, manifest, cache_budget)

    def reusable(self, token_ids: Sequence[int]) -> int:
        """How many tokens of a prompt need not be read again; never all, since no cache holds logits."""
        return min(self.caches.common_prefix(token_ids), len(token_ids) - 1)

    def prefill(self, token_ids: Sequence[int]) -> Generator[int, None, Logits]:
        """Read a prompt in chunks, reusing what the caches hold of it.

        Yields:
            How many tokens of the prompt have been read, after each chunk.

        Returns:
            Logits after the last token, float32 of shape (vocabulary,); valid until the next call.
        """
        cache = self.caches.use(token_ids, self.reusable(token_ids))
        logits: Logits
        for start in range(len(cache.token_ids), len(token_ids), PREFILL_CHUNK):
            logits = self.read(cache, token_ids[start : start + PREFILL_CHUNK])[-1]
            yield len(cache.token_ids)
        return logits

    def read_prompt(self, token_ids: Sequence[int]) -> Logits:
        """Read a prompt as `prefill` does, without a word on the way."""
        reading = self.prefill(token_ids)
        while True:
            try:
                next(reading)
            except StopIteration as end:
                logits: Logits = end.value
                return logits

    def forward(self, token_ids: Sequence[int], positions: int = 1) -> Logits:
        """Read tokens after those in the cache in use.

        Args:
            token_ids: One token or more.
            positions: For how many of the last of them logits are wanted.

        Returns:
            Logits, float32 of shape (positions, vocabulary); valid until the next call.

        Raises:
            ModelRunError: ONNX Runtime failed; the cache is as it was before.
        """
        grows = len(self.cache.token_ids) + len(token_ids) > self.cache.capacity
        logits = self.read(self.cache, token_ids, positions)
        if grows:
            self.caches.trim()
        return logits

    def read(self, cache: KVCache, token_ids: Sequence[int], positions: int = 1) -> Logits:
        """Read tokens after those in any cache; as `forward` otherwise."""
        total = len(cache.token_ids) + len(token_ids)
        cache.reserve(total)
        # The shape of decoding is bound once; a binding costs more than the Python of a whole step.
        run = self._single if len(token_ids) == positions == 1 else self._new_run(1, len(token_ids), positions)
        run.bind(cache.buffers)
        run.set([token_ids], [total])
        self._compute(run)
        cache.token_ids.extend(token_ids)
        logits: Logits = run.logits[0]
        return logits

    def step(self, batch: BatchCache, token_ids: Sequence[int]) -> Logits:
        """Read one token in each row of a batch.

        Args:
            batch: One row or more.
            token_ids: The next token of each row.

        Returns:
            Logits, float32 of shape (rows, vocabulary); valid until the next call.

        Raises:
            ModelRunError: ONNX Runtime failed; the rows are as they were before.
        """
        totals = [len(row) + 1 for row in batch.rows]
        batch.reserve(max(totals))
        if self._rows is None or self._rows.batch != len(totals):
            self._rows = self._new_run(len(totals), 1, 1)
        self._rows.bind(batch.buffers)
        self._rows.set([[token_id] for token_id in token_ids], totals)
        self._compute(self._rows)
        for row, token_id in zip(batch.rows, token_ids, strict=True):
            row.append(token_id)
        logits: Logits = self._rows.logits[:, 0]
        return logits

    def save_cache(self, path: Path) -> None:
        """Keep on the disk what the model has read of the conversation in use.

        Raises:
            CacheFileError: The file cannot be written.
        """
        save_cache(self.cache, self._manifest.model_hash, path)

    def load_cache(self, path: Path) -> int:
        """Take in what `save_cache` has kept, for the next prompt that begins with it.

        Returns:
            How many tokens need not be read again; 0 where there is no sound file of this model.
        """
        cache = load_cache(self.layout, self._manifest.model_hash, path)
        if cache is None:
            return 0
        self.caches.keep(cache)
        return len(cache.token_ids)

    def _compute(self, run: "_Run") -> None:
        try:
            self._session.run_with_iobinding(run.binding)
        except _RUN_ERRORS as error:
            raise ModelRunError("The model failed while it computed; try again or choose another model.") from error

    def _new_run(self, batch: int, tokens: int, positions: int) -> "_Run":
        return _Run(self._session.io_binding(), batch, tokens, positions, self._manifest)


def _exact_graph(folder: Path, options: SessionOptions) -> bytes:
    from engine.forward.exact_graph import exact_graph

    log.warning("this processor computes fast 8-bit products wrongly; %s computes exact ones, slowly", folder.name)
    options.add_session_config_entry("session.model_external_initializers_file_folder_path", str(folder))
    return exact_graph(folder)


class _Run:
    """The inputs and outputs of runs of one shape, which ONNX Runtime reads and writes in place."""

    def __init__(self, binding: SessionIOBinding, batch: int, tokens: int, positions: int, manifest: Manifest) -> None:
        self.binding = binding
        self.batch = batch
        self.logits: Logits = np.empty((batch, positions, manifest.vocabulary_size), np.float32)
        self._ids = np.zeros((batch, tokens), np.int64)
        self._last = np.zeros(batch, np.int32)
        self._longest = np.zeros((), np.int32)
        self._keep = np.array(positions, np.int64)
        self._cache_names = [f"{layer}.{part}" for layer in range(manifest.layers) for part in ("key", "value")]
        self._bound_to: Sequence[OrtValue] | None = None
        binding.bind_ortvalue_input("input_ids", OrtValue.ortvalue_from_numpy(self._ids))
        binding.bind_ortvalue_input("seqlens_k", OrtValue.ortvalue_from_numpy(self._last))
        binding.bind_ortvalue_input("total_sequence_length", OrtValue.ortvalue_from_numpy(self._longest))
        binding.bind_ortvalue_input("logits_to_keep", OrtValue.ortvalue_from_numpy(self._keep))
        binding.bind_ortvalue_output("logits", OrtValue.ortvalue_from_numpy(self.logits))

    def bind(self, buffers: Sequence[OrtValue]) -> None:
        """Bind the buffers of a cache, unless they are bound already."""
        if self._bound_to is buffers:
            return
        for name, buffer in zip(self._cache_names, buffers, strict=True):
            self.binding.bind_ortvalue_input(f"past_key_values.{name}", buffer)
            self.binding.bind_ortvalue_output(f"present.{name}", buffer)
        self._bound_to = buffers

    def set(self, token_ids: Sequence[Sequence[int]], totals: Sequence[int]) -> None:
        """Write the inputs of the next run; `totals` counts, for each row, the tokens in the cache and these."""
        self._ids[:] = token_ids
        self._last[:] = totals
        self._last -= 1
        self._longest[()] = max(totals)
