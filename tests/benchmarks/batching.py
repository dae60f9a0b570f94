"""`python -m tests.benchmarks.batching FOLDER …`: eight answers at once against the same eight one after another."""

import argparse
from pathlib import Path
from statistics import median
from time import perf_counter

from engine import Cancellation, Finished, GenerationSettings, Message
from engine.pipeline import Pipeline
from tests.benchmarks.speculation import PROSE

ROUNDS = 5
ANSWERS = 8
QUESTION = [Message("user", PROSE)]
SETTINGS = GenerationSettings(temperature=0.8, max_new_tokens=96, min_new_tokens=96, speculate=False)


def main() -> None:
    """Measure the models of the folders that are named."""
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks.batching")
    parser.add_argument("folder", type=Path, nargs="+", help="model folders")
    for folder in parser.parse_args().folder:
        pipeline = Pipeline.load(folder)
        rounds = [(_together(pipeline), _in_turn(pipeline)) for _ in range(ROUNDS)]
        together, in_turn = (median(rates) for rates in zip(*rounds, strict=True))
        print(
            f"{folder.name}: {ANSWERS} answers at once {together:.0f} tok/s, one after another {in_turn:.0f} tok/s, "
            f"ratio {median(one / other for one, other in rounds):.2f} (median of {ROUNDS})",
            flush=True,
        )


def _together(pipeline: Pipeline) -> float:
    """Tokens a second of all answers, the reading of the prompt counted."""
    started, tokens = perf_counter(), 0
    for answer in pipeline.generate_several(QUESTION, SETTINGS, ANSWERS, Cancellation()):
        if isinstance(answer.event, Finished):
            tokens += len(answer.event.token_ids)
    return tokens / (perf_counter() - started)


def _in_turn(pipeline: Pipeline) -> float:
    started, tokens = perf_counter(), 0
    for _ in range(ANSWERS):
        *_, finished = pipeline.generate(QUESTION, SETTINGS, Cancellation())
        assert isinstance(finished, Finished)
        tokens += len(finished.token_ids)
    return tokens / (perf_counter() - started)


if __name__ == "__main__":
    main()
