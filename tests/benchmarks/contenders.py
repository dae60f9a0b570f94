"""Engines to compare: each lives in a process of its own and runs a round when it is asked to."""

import multiprocessing
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Self

Figures = Mapping[str, float]
Round = Callable[[], Figures]

PROMPTS = (512, 2048)
"""Lengths of the prompts that are read."""

DEPTHS = (0, 512, 2048)
"""Tokens in the KV cache before decoding begins."""

STEPS = 32
"""Tokens that are decoded one by one at each depth."""

SECOND_TURN = 64
"""New tokens of a second turn, after the 512 of the first."""

LOAD = "load (s)"
MEMORY = "peak memory (MB)"
SECOND = f"second turn, {SECOND_TURN} new (s)"


def prefill_name(length: int) -> str:
    """What stands in the table."""
    return f"prefill {length}"


def decode_name(depth: int) -> str:
    """What stands in the table."""
    return f"decode at {depth}"


@dataclass(frozen=True, slots=True)
class Entrant:
    """What takes part in a comparison.

    Attributes:
        name: What stands in the table.
        load: Loads the model in a process of its own and gives the function that runs a round there.
        model: The file or folder to load.
        weight_bytes: Bytes of weights that are read for each decoded token.
    """

    name: str
    load: Callable[[Path], Round]
    model: Path
    weight_bytes: int


class Contender:
    """An entrant in a process of its own, so that memory and threads of one do not count for another."""

    def __init__(self, entrant: Entrant) -> None:
        self.entrant = entrant
        context = multiprocessing.get_context("spawn")
        self._connection, theirs = context.Pipe()
        self._process = context.Process(target=_serve, args=(theirs, entrant.load, entrant.model), daemon=True)
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
    from time import perf_counter

    from engine.forward.session import ForwardSession
    from engine.models.manifest import Manifest

    session = ForwardSession.load(folder, Manifest.read(folder))
    tokens = prompt()

    def read(length: int) -> float:
        started = perf_counter()
        for _ in session.prefill(tokens[:length]):
            pass
        return perf_counter() - started

    def decode() -> float:
        token_id = tokens[0]
        started = perf_counter()
        for _ in range(STEPS):
            token_id = int(session.forward([token_id])[0].argmax())
        return STEPS / (perf_counter() - started)

    def run_round() -> Figures:
        figures: dict[str, float] = {}
        for depth in DEPTHS:
            session.cache.rewind(0)
            seconds = read(depth or 1)
            if depth in PROMPTS:
                figures[prefill_name(depth)] = depth / seconds
            figures[decode_name(depth)] = decode()
            session.cache.rewind(depth)
            if depth == PROMPTS[0]:
                figures[SECOND] = read(depth + SECOND_TURN)
        return figures

    return run_round


def load_llama_cpp(gguf: Path) -> Round:
    """The prebuilt llama.cpp of the package `xllamacpp`, with as many threads as there are cores."""
    import json
    import os
    from typing import Any

    import xllamacpp

    parameters = xllamacpp.CommonParams()
    parameters.model.path = str(gguf)
    parameters.n_ctx = 4096
    parameters.n_parallel = 1
    parameters.verbosity = 0
    parameters.cpuparams.n_threads = parameters.cpuparams_batch.n_threads = os.cpu_count()
    server = xllamacpp.Server(parameters)
    tokens = prompt()

    def complete(length: int, count: int, cached: bool) -> dict[str, Any]:
        request = {
            "prompt": tokens[:length],
            "n_predict": count,
            "temperature": 0,
            "ignore_eos": True,
            "cache_prompt": cached,
        }
        answer = server.handle_completions(request)
        timings: dict[str, Any] = (answer if isinstance(answer, dict) else json.loads(answer))["timings"]
        return timings

    def run_round() -> Figures:
        figures: dict[str, float] = {}
        for depth in DEPTHS:
            timings = complete(depth or 1, STEPS, cached=False)
            if depth in PROMPTS:
                figures[prefill_name(depth)] = timings["prompt_per_second"]
            figures[decode_name(depth)] = timings["predicted_per_second"]
        complete(PROMPTS[0], 1, cached=False)
        figures[SECOND] = complete(PROMPTS[0] + SECOND_TURN, 1, cached=True)["prompt_ms"] / 1000
        return figures

    return run_round


def load_transformers(folder: Path) -> Round:
    """The transformers package with torch in float32, on the weights that `save_for_transformers` wrote."""
    from time import perf_counter

    import torch
    from transformers import AutoModelForCausalLM, DynamicCache

    model = AutoModelForCausalLM.from_pretrained(folder, dtype=torch.float32).eval()
    tokens = torch.tensor([prompt()])

    def decode_and_read(depth: int) -> Figures:
        figures: dict[str, float] = {}
        cache = DynamicCache(config=model.config)
        started = perf_counter()
        model(tokens[:, : depth or 1], past_key_values=cache, logits_to_keep=1)
        if depth in PROMPTS:
            figures[prefill_name(depth)] = depth / (perf_counter() - started)
        token = tokens[:, :1]
        started = perf_counter()
        for _ in range(STEPS):
            token = model(token, past_key_values=cache).logits[:, -1].argmax(-1, keepdim=True)
        figures[decode_name(depth)] = STEPS / (perf_counter() - started)
        if depth == PROMPTS[0]:
            cache.crop(depth)
            started = perf_counter()
            model(tokens[:, depth : depth + SECOND_TURN], past_key_values=cache, logits_to_keep=1)
            figures[SECOND] = perf_counter() - started
        return figures

    def run_round() -> Figures:
        with torch.inference_mode():
            return {name: value for depth in DEPTHS for name, value in decode_and_read(depth).items()}

    return run_round


def prompt() -> list[int]:
    """The same tokens for everyone: ordinary ids, none of them special."""
    import numpy as np

    tokens: list[int] = np.random.default_rng(0).integers(1000, 10000, PROMPTS[-1] + SECOND_TURN).tolist()
    return tokens


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
