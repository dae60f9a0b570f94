"""`python -m tests.benchmarks SOURCE.gguf`: this engine against others on the same weights, in one run."""

import argparse
import importlib.util
import json
import os
import platform
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from importlib.metadata import version
from pathlib import Path
from statistics import median

from gguf import GGMLQuantizationType

from engine import Cancellation, Manifest
from engine.export import convert_gguf
from engine.models.manifest import Precision
from tests.benchmarks.bandwidth import ReadBandwidth
from tests.benchmarks.contenders import (
    LOAD,
    MEMORY,
    SECOND,
    Contender,
    Entrant,
    Figures,
    decode_name,
    load_llama_cpp,
    load_sixpane,
    load_transformers,
)
from tests.benchmarks.requantise import requantise

RIVALS = {"Sixpane INT8": "llama.cpp Q8_0", "Sixpane INT4": "llama.cpp Q4_0"}
"""What each of ours is compared with."""

BANDWIDTH_SHARE = "share of bandwidth"
LESS_IS_BETTER = (LOAD, MEMORY, SECOND)


def main() -> None:
    """Convert the sources for every engine, run them in turn, print the tables."""
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks")
    parser.add_argument("source", type=Path, nargs="+", help="GGUF files to measure")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the figures there, too")
    arguments = parser.parse_args()
    results = {}
    for source in arguments.source:
        with tempfile.TemporaryDirectory() as scratch:
            results[source.stem] = compare(list(entrants(source, Path(scratch))), arguments.rounds)
        print(table(source.stem, results[source.stem]), flush=True)
    if arguments.json:
        arguments.json.write_text(json.dumps({"machine": machine(), "results": results}, indent=2))


def entrants(source: Path, scratch: Path) -> Iterator[Entrant]:
    """Everything that takes part, its model written to the scratch folder."""
    precisions: tuple[Precision, ...] = ("int8", "int4")
    for precision in precisions:
        folder = scratch / precision
        convert_gguf(source, folder, precision, lambda _: None, Cancellation())
        yield Entrant(f"Sixpane {precision.upper()}", load_sixpane, folder, decoded_bytes(folder))
    for kind in (GGMLQuantizationType.Q8_0, GGMLQuantizationType.Q4_0):
        file = scratch / f"{kind.name}.gguf"
        requantise(source, file, kind)
        yield Entrant(f"llama.cpp {kind.name}", load_llama_cpp, file, file.stat().st_size)
    if importlib.util.find_spec("transformers"):
        from tests.benchmarks.transformers_model import save_for_transformers

        folder = scratch / "transformers"
        parameters = save_for_transformers(source, folder)
        yield Entrant("transformers fp32", load_transformers, folder, 4 * parameters)


def decoded_bytes(folder: Path) -> int:
    """Bytes of weights that a step reads: an embedding that is not the head, too, is read by the row."""
    manifest = Manifest.read(folder)
    return sum(record.bytes for name, record in manifest.files.items() if name.endswith(".data"))


def compare(entrants: Sequence[Entrant], rounds: int) -> dict[str, Figures]:
    """Medians of each entrant; the rounds are interleaved, so that a slow minute of the machine hits all of them."""
    bandwidth = ReadBandwidth()
    with ExitStack() as stack:
        contenders = [stack.enter_context(Contender(entrant)) for entrant in entrants]
        for contender in contenders:
            contender.run_round()
        measured: dict[str, list[Figures]] = {entrant.name: [] for entrant in entrants}
        for _ in range(rounds):
            readable = bandwidth.measure()
            for contender in contenders:
                figures = contender.run_round()
                share = figures[decode_name(0)] * contender.entrant.weight_bytes / readable
                measured[contender.entrant.name].append({**figures, BANDWIDTH_SHARE: share})
    return {name: medians(column) for name, column in measured.items()}


def medians(rounds: Sequence[Figures]) -> Figures:
    """The median of each figure."""
    return {name: median(figures[name] for figures in rounds) for name in rounds[0]}


def table(title: str, results: Mapping[str, Figures]) -> str:
    """A Markdown table: a row a figure, a column an entrant, and how many times better ours are than their rivals."""
    ratios = [(ours, rival) for ours, rival in RIVALS.items() if ours in results and rival in results]
    heads = ["", *results, *(f"{ours.split()[-1]} : {rival.split()[-1]}" for ours, rival in ratios)]
    lines = [f"{title} · {machine()}", "", f"| {' | '.join(heads)} |", "|---" * len(heads) + "|"]
    for name in next(iter(results.values())):
        cells = [f"{figures[name]:.2f}" for figures in results.values()]
        for ours, rival in ratios:
            ratio = results[ours][name] / results[rival][name]
            cells.append(f"{1 / ratio if name in LESS_IS_BETTER else ratio:.2f}")
        lines.append(f"| {name} | {' | '.join(cells)} |")
    return "\n".join(lines) + "\n"


def machine() -> str:
    """What the figures were measured on."""
    extensions = [flag for flag in _cpu_flags() if flag in {"avx2", "avx_vnni", "avx512_vnni", "amx_int8"}]
    packages = [name for name in ("onnxruntime", "xllamacpp", "torch") if importlib.util.find_spec(name)]
    versions = ", ".join(f"{name} {version(name)}" for name in packages)
    return (
        f"{os.cpu_count()} cores, {platform.machine()} {' '.join(extensions)}, Python {platform.python_version()}, "
        f"{versions}"
    )


def _cpu_flags() -> list[str]:
    try:
        text = Path("/proc/cpuinfo").read_text(encoding="utf-8")
    except OSError:
        return []
    return sorted(set(next((line for line in text.splitlines() if line.startswith("flags")), "").split()))


if __name__ == "__main__":
    main()
