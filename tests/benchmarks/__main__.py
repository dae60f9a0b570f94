"""`python -m tests.benchmarks SOURCE.gguf`: this engine against llama.cpp on the same weights, in one run."""

import argparse
import json
import os
import platform
import tempfile
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path
from statistics import median

import onnxruntime
import xllamacpp
from gguf import GGMLQuantizationType

from engine import Cancellation
from engine.export import convert_gguf
from tests.benchmarks.contenders import Contender, Figures, load_llama_cpp, load_sixpane
from tests.benchmarks.requantise import requantise


def main() -> None:
    """Convert the source for both engines, run them in turn, print the table."""
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks")
    parser.add_argument("source", type=Path, nargs="+", help="GGUF files to measure")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the figures there, too")
    arguments = parser.parse_args()
    results = {}
    for source in arguments.source:
        with tempfile.TemporaryDirectory() as scratch:
            results[source.stem] = compare(source, Path(scratch), arguments.rounds)
        print(table(source.stem, results[source.stem]))
    if arguments.json:
        arguments.json.write_text(json.dumps({"machine": machine(), "results": results}, indent=2))


def compare(source: Path, scratch: Path, rounds: int) -> dict[str, Figures]:
    """Medians of each contender; the rounds are interleaved, so that a slow minute of the machine hits all of them."""
    convert_gguf(source, scratch / "int8", "int8", lambda _: None, Cancellation())
    requantise(source, scratch / "q8_0.gguf", GGMLQuantizationType.Q8_0)
    with ExitStack() as stack:
        contenders = [
            stack.enter_context(Contender("Sixpane INT8", load_sixpane, scratch / "int8")),
            stack.enter_context(Contender("llama.cpp Q8_0", load_llama_cpp, scratch / "q8_0.gguf")),
        ]
        for contender in contenders:
            contender.run_round()
        measured = [[contender.run_round() for contender in contenders] for _ in range(rounds)]
    return {
        contender.name: medians(column)
        for contender, column in zip(contenders, zip(*measured, strict=True), strict=True)
    }


def medians(rounds: Sequence[Figures]) -> Figures:
    """The median of each figure."""
    return {name: median(figures[name] for figures in rounds) for name in rounds[0]}


def table(title: str, results: dict[str, Figures]) -> str:
    """A Markdown table: a row a contender, and the ratio of the first to the second."""
    first, second = results.values()
    rows = {**results, "ratio": {name: first[name] / second[name] for name in first}}
    lines = [f"{title} · {machine()}", "", "| | " + " | ".join(first) + " |", "|---" * (len(first) + 1) + "|"]
    lines += [
        f"| {name} | " + " | ".join(f"{value:.2f}" for value in row.values()) + " |" for name, row in rows.items()
    ]
    return "\n".join(lines) + "\n"


def machine() -> str:
    """What the figures were measured on."""
    extensions = [line for line in _cpu_flags() if line in {"avx2", "avx_vnni", "avx512_vnni", "amx_int8"}]
    return (
        f"{os.cpu_count()} cores, {platform.machine()} {' '.join(extensions)}, Python {platform.python_version()}, "
        f"onnxruntime {onnxruntime.__version__}, xllamacpp {xllamacpp.__version__}"
    )


def _cpu_flags() -> list[str]:
    try:
        text = Path("/proc/cpuinfo").read_text(encoding="utf-8")
    except OSError:
        return []
    return sorted(set(next((line for line in text.splitlines() if line.startswith("flags")), "").split()))


if __name__ == "__main__":
    main()
