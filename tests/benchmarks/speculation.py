"""`python -m tests.benchmarks.speculation FOLDER …`: answers with and without guessed tokens, in turn.

Prints how many times as fast the answers with guesses are, how many guesses were right, and whether the text is the
same; on quantised graphs it may part where two tokens are nearly as probable, since several rows round differently.
"""

import argparse
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from statistics import median

from engine import Cancellation, Finished, GenerationSettings, Message
from engine.pipeline import Pipeline

ROUNDS = 5

GARDEN = """The garden behind the old school was small, but it had been planned with care. A narrow path of red bricks
led from the gate to a wooden bench under the apple tree. On the left grew beans, peas and three rows of carrots; on the
right there were herbs in clay pots, each with a label that the children had painted. In April the gardener mended the
fence and cleaned the pond. In May the first class sowed sunflowers along the wall, and every pupil had to write down
how tall they were on the first Monday of each month. When the summer was dry, two children watered the beds in the
evening, and they noted the amount of water in a blue book. The book was kept in the shed, beside the rakes and the
spare gloves. In September the whole school came to pick the apples. Some were sold at the market, most were cooked in
the kitchen, and the peels went back to the compost. Nobody took more than a small basket home. At the end of the year
the teacher read aloud from the blue book, and the children compared the figures with those of the year before. They
found that the sunflowers had been taller in the wet summer, and that the carrots had not minded the heat at all."""

EDIT = f"Repeat the following text word for word, but write 'oak tree' instead of 'apple tree'.\n\n{GARDEN}"
PROSE = "Write a story about a keeper of a lighthouse and a storm."

GREEDY = GenerationSettings(temperature=0, max_new_tokens=320)
SAMPLED = GenerationSettings(temperature=0.8, seed=7, max_new_tokens=256)
TASKS = {
    "edit, greedy": (EDIT, GREEDY),
    "prose, greedy": (PROSE, replace(GREEDY, max_new_tokens=256)),
    "prose, temperature 0.8": (PROSE, SAMPLED),
}


def main() -> None:
    """Measure the models of the folders that are named."""
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks.speculation")
    parser.add_argument("folder", type=Path, nargs="+", help="model folders")
    for folder in parser.parse_args().folder:
        pipeline = Pipeline.load(folder)
        print(f"{folder.name}, median of {ROUNDS} rounds")
        for line in measure(pipeline):
            print(f"  {line}", flush=True)


def measure(pipeline: Pipeline) -> Iterator[str]:
    """One line for each task."""
    for name, (question, settings) in TASKS.items():
        ratios = []
        for _ in range(ROUNDS):
            guessed = _answer(pipeline, question, settings)
            plain = _answer(pipeline, question, replace(settings, speculate=False))
            seconds = [one.statistics.decode_seconds / len(one.token_ids) for one in (plain, guessed)]
            ratios.append(seconds[0] / seconds[1])
        statistics = guessed.statistics
        counts = f"{statistics.accepted_tokens} of {statistics.drafted_tokens} guesses right"
        same = "same text" if guessed.token_ids == plain.token_ids else "another text"
        yield f"{name}: {median(ratios):.2f} times as fast, {len(guessed.token_ids)} tokens, {counts}, {same}"


def _answer(pipeline: Pipeline, question: str, settings: GenerationSettings) -> Finished:
    *_, finished = pipeline.generate([Message("user", question)], settings, Cancellation())
    assert isinstance(finished, Finished)
    return finished


if __name__ == "__main__":
    main()
