"""`python -m tests.benchmarks.constraints FOLDER …`: answers that must keep to fifty JSON schemas, at temperature 1.

The schemas are of the kinds that programs publish: manifests, settings, records, recursive structures, formats and
patterns. Prints how many answers are valid, what forced tokens save, and what a step takes with and without a schema.
"""

import argparse
import json
from collections.abc import Iterator
from pathlib import Path
from statistics import median
from typing import Any

import jsonschema

from engine import Cancellation, Constraint, Finished, GenerationSettings, Message
from engine.pipeline import Pipeline

SCHEMAS = Path(__file__).with_name("schemas.json")
ANSWERS = 10
LIMITS = (256, 1024)
"""Half of the answers are cut by a limit that is short for the larger schemas."""


def main() -> None:
    """Measure the models of the folders that are named."""
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks.constraints")
    parser.add_argument("folder", type=Path, nargs="+", help="model folders")
    parser.add_argument("--answers", type=int, default=ANSWERS, help="answers to each schema")
    arguments = parser.parse_args()
    cases = json.loads(SCHEMAS.read_text(encoding="utf-8"))
    for folder in arguments.folder:
        pipeline = Pipeline.load(folder)
        results = [
            (case["schema"], answer)
            for case in cases
            for answer in _answers(pipeline, case["question"], case["schema"], arguments.answers)
        ]
        print(f"{folder.name}: {len(cases)} schemas, {arguments.answers} answers each")
        for line in _report(results):
            print(f"  {line}", flush=True)


def _answers(pipeline: Pipeline, question: str, schema: dict[str, Any], count: int) -> Iterator[Finished]:
    conversation = [Message("user", f"{question} Answer in JSON.")]
    for seed in range(count):
        settings = GenerationSettings(
            temperature=1,
            top_k=0,
            top_p=1,
            min_p=0,
            seed=seed,
            max_new_tokens=LIMITS[seed % len(LIMITS)],
            constraint=Constraint("json_schema", json.dumps(schema)),
        )
        *_, finished = pipeline.generate(conversation, settings, Cancellation())
        assert isinstance(finished, Finished)
        yield finished


def _report(results: list[tuple[dict[str, Any], Finished]]) -> Iterator[str]:
    invalid = [(schema, answer) for schema, answer in results if not _is_valid(answer.text, schema)]
    yield f"valid: {len(results) - len(invalid)} of {len(results)}"
    for schema, answer in invalid:
        yield f"INVALID ({answer.reason}): {answer.text[:200]} for {json.dumps(schema)[:200]}"
    claimed = sum(answer.keeps_constraint for _, answer in results)
    closed = sum(answer.reason == "length" for _, answer in results)
    yield f"said to be valid: {claimed}; closed at the length limit: {closed}"
    tokens = sum(len(answer.token_ids) for _, answer in results)
    saved = sum(answer.statistics.accepted_tokens for _, answer in results)
    rate = median(answer.statistics.decode_tokens_per_second for _, answer in results if len(answer.token_ids) > 20)
    yield f"{tokens} tokens, {saved} of them without a step of their own; median {rate:.0f} tok/s"


def _is_valid(text: str, schema: dict[str, Any]) -> bool:
    try:
        jsonschema.validate(json.loads(text), schema)
    except (ValueError, jsonschema.ValidationError):
        return False
    return True


if __name__ == "__main__":
    main()
