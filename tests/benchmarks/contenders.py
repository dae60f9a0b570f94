"""Engines to compare: each lives in a process of its own and runs a round when it is asked to."""

import multiprocessing
from collections.abc import Callable, Mapping
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Self

Figures = Mapping[str, float]
Round = Callable[[], Figures]

PREFILL = "prefill of 512 (tok/s)"
DECODE = "decode at 512 (tok/s)"
LOAD = "load (s)"
MEMORY = "peak memory (MB)"


class Contender:
    """An engine with a model, in a process of its own, so that memory and threads of one do not count for another.

    Args:
        name: What stands in the table.
        load: Loads the model in that process and gives the function that runs a round there.
        model: The file or folder to load.
    """

    def __init__(self, name: str, load: Callable[[Path], Round], model: Path) -> None:
        self.name = name
        context = multiprocessing.get_context("spawn")
        self._connection, theirs = context.Pipe()
        self._process = context.Process(target=_serve, args=(theirs, load, model), daemon=True)
        self._process.start()
        self._connection.recv()

    def run_round(self) -> Figures:
        """Run one round and wait for its figures."""
        self._connection.send("round")
        figures: Figures = self._connection.recv()
        return figures

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._connection.close()
        self._process.join(timeout=10)


def load_sixpane(folder: Path) -> Round:
    """This engine on a model folder."""
    from engine.benchmark import measure_round
    from engine.pipeline import Pipeline

    pipeline = Pipeline.load(folder)

    def run_round() -> Figures:
        figures = measure_round(pipeline)
        return {PREFILL: figures.prefill_tokens_per_second, DECODE: figures.decode_tokens_per_second}

    return run_round


def load_llama_cpp(gguf: Path) -> Round:
    """The prebuilt llama.cpp of the package `xllamacpp`, with as many threads as there are cores."""
    import json
    import os

    import numpy as np
    import xllamacpp

    from engine.benchmark import NEW_TOKENS, PROMPT_TOKENS

    parameters = xllamacpp.CommonParams()
    parameters.model.path = str(gguf)
    parameters.n_ctx = 4096
    parameters.n_parallel = 1
    parameters.verbosity = 0
    parameters.cpuparams.n_threads = parameters.cpuparams_batch.n_threads = os.cpu_count()
    server = xllamacpp.Server(parameters)
    prompt = np.random.default_rng(0).integers(1000, 10000, PROMPT_TOKENS).tolist()
    request = {"prompt": prompt, "n_predict": NEW_TOKENS, "temperature": 0, "ignore_eos": True, "cache_prompt": False}

    def run_round() -> Figures:
        answer = server.handle_completions(request)
        timings = (answer if isinstance(answer, dict) else json.loads(answer))["timings"]
        return {PREFILL: timings["prompt_per_second"], DECODE: timings["predicted_per_second"]}

    return run_round


def _serve(connection: Connection, load: Callable[[Path], Round], model: Path) -> None:
    from time import perf_counter

    from engine.benchmark import peak_memory_bytes

    started = perf_counter()
    run_round = load(model)
    load_seconds = perf_counter() - started
    connection.send("loaded")
    while True:
        try:
            connection.recv()
        except EOFError:
            return
        figures = run_round()
        connection.send({**figures, LOAD: load_seconds, MEMORY: peak_memory_bytes() / 1e6})
