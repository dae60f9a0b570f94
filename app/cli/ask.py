"""`sixpane ask`: one question, one answer on standard output."""

import argparse
import sys
from collections.abc import Iterator
from dataclasses import asdict, fields
from pathlib import Path
from typing import Any

from app.cli.installing import install_starter
from app.cli.terminal import argument_text, print_json, text_or_standard_input
from app.paths import Paths
from engine import (
    AnswerEvent,
    Cancellation,
    Constraint,
    Event,
    Finished,
    GenerationSettings,
    InputError,
    InstalledModel,
    Message,
    ModelStore,
    PromptPrepared,
    PromptScored,
    SettingsError,
    StopReason,
    TextDelta,
    TokenGenerated,
    load_engine,
    recommended_starter,
)

_NOTICES: dict[StopReason, str] = {
    "length": "The answer is cut: it reached the length limit.",
    "repetition": "The answer was ended: it repeated itself without end.",
}

_CONSTRAINT_NOTICE = "An answer does not keep to the constraint: it could not be closed before the length limit."

LARGEST_COUNT = 64
"""Answers to one question; more would take memory for nothing."""


def add_parser(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Add the command and its options."""
    parser = commands.add_parser("ask", help="ask one question and print the answer")
    parser.add_argument("question", help="the question, or - to read it from standard input")
    parser.add_argument("--model", metavar="NAME", help="the model to ask (default: the one used last)")
    parser.add_argument("--system", metavar="TEXT", help="instructions that come before the question")
    parser.add_argument("--seed", type=int, help="the same seed and settings give the same answer")
    parser.add_argument("--temperature", type=float, help="0 is greedy, higher is more varied")
    parser.add_argument("--top-p", type=float, help="only the most probable tokens that reach this sum")
    parser.add_argument("--top-k", type=int, help="only this many most probable tokens; 0 for all")
    parser.add_argument("--min-p", type=float, help="only tokens with this share of the largest probability")
    parser.add_argument("--typical-p", type=float, help="only tokens of about the expected surprise, up to this sum")
    parser.add_argument("--repetition-penalty", type=float, metavar="X", help="above 1 discourages what was said")
    parser.add_argument("--frequency-penalty", type=float, metavar="X", help="for each time a token was said")
    parser.add_argument("--presence-penalty", type=float, metavar="X", help="for every token that was said at all")
    parser.add_argument("--no-repeat-ngram", type=int, metavar="N", help="no run of N tokens comes twice")
    parser.add_argument(
        "--logit-bias", type=_bias, action="append", metavar="ID:X", help="add X to the logit of a token; repeatable"
    )
    parser.add_argument("--min-new-tokens", type=int, metavar="N", help="the shortest answer")
    parser.add_argument("--max-new-tokens", type=int, metavar="N", help="the longest answer")
    parser.add_argument(
        "--stop-token", type=int, action="append", metavar="ID", help="end the answer at this token; repeatable"
    )
    parser.add_argument("--stop", action="append", metavar="TEXT", help="end the answer before this text; repeatable")
    constraint = parser.add_mutually_exclusive_group()
    constraint.add_argument("--json-schema", metavar="FILE", help="the answer is JSON that keeps to this schema")
    constraint.add_argument("--regex", metavar="PATTERN", help="the answer matches this regular expression as a whole")
    constraint.add_argument("--grammar", metavar="FILE", help="the answer keeps to this grammar, written as for Lark")
    parser.add_argument("--beams", type=int, metavar="N", help="search with N beams for the most probable answer")
    parser.add_argument("--length-penalty", type=float, metavar="X", help="for beams: higher favours long answers")
    parser.add_argument("--draft", metavar="NAME", help="a smaller model with the same tokens that guesses ahead")
    parser.add_argument(
        "--no-speculation", dest="speculate", action="store_false", default=None, help="do not guess next tokens"
    )
    parser.add_argument(
        "--alternatives", type=int, metavar="N", help="with --json: tell the N most probable tokens at each place"
    )
    parser.add_argument(
        "--score-prompt", action="store_true", default=None, help="with --json: tell the prompt's probabilities, too"
    )
    parser.add_argument("--answers", type=_count, default=1, metavar="N", help="give N answers, seed after seed")
    parser.add_argument("--json", action="store_true", help="print one JSON object instead of the text")
    parser.add_argument("--offline", action="store_true", help="refuse to fetch a model")
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace, paths: Paths) -> int:
    """Answer the question.

    Raises:
        SixpaneError: A setting, the question, the model or its download is at fault.
    """
    settings = _settings(arguments)
    conversation = _conversation(arguments)
    model = _model(arguments, paths)
    draft = ModelStore(paths.models).find(argument_text(arguments.draft)).path if arguments.draft else None
    engine = load_engine(model.path, draft, machine_file=paths.machine)
    if arguments.answers > 1:
        several = engine.generate_several(conversation, settings, arguments.answers, Cancellation())
        answers = _in_order(several, arguments.answers)
        if arguments.json:
            results = [_as_json(iter(events), model, settings) for events in answers]
            print_json({"answers": results})
            return _exit_code(all(result["keeps_constraint"] for result in results))
        return _exit_code(_print_answers(answers))
    events = engine.generate(conversation, settings, Cancellation())
    if arguments.json:
        result = _as_json(events, model, settings)
        print_json(result)
        return _exit_code(result["keeps_constraint"])
    return _exit_code(_print_streaming(events))


def _exit_code(keeps_constraint: bool) -> int:
    if not keeps_constraint:
        print(f"sixpane: {_CONSTRAINT_NOTICE}", file=sys.stderr)
    return 0 if keeps_constraint else 1


def _bias(text: str) -> tuple[int, float]:
    token_id, _, bias = text.partition(":")
    return int(token_id), float(bias)


def _count(text: str) -> int:
    count = int(text)
    if not 1 <= count <= LARGEST_COUNT:
        raise argparse.ArgumentTypeError(f"{text} is not from 1 to {LARGEST_COUNT}")
    return count


def _settings(arguments: argparse.Namespace) -> GenerationSettings:
    names = [field.name for field in fields(GenerationSettings)]
    given = {name: value for name in names if (value := getattr(arguments, name, None)) is not None}
    if (arguments.alternatives or arguments.score_prompt) and not arguments.json:
        raise SettingsError("Probabilities are told with --json alone.")
    several = {
        "stop": map(argument_text, arguments.stop or ()),
        "stop_token_ids": arguments.stop_token or (),
        "logit_bias": arguments.logit_bias or (),
    }
    return GenerationSettings(
        **given | {name: tuple(values) for name, values in several.items()}, constraint=_constraint(arguments)
    )


def _constraint(arguments: argparse.Namespace) -> Constraint | None:
    if arguments.regex is not None:
        return Constraint("regex", argument_text(arguments.regex))
    if arguments.json_schema is not None:
        return Constraint("json_schema", _read_file(arguments.json_schema))
    return Constraint("grammar", _read_file(arguments.grammar)) if arguments.grammar is not None else None


def _read_file(name: str) -> str:
    try:
        return Path(name).read_text(encoding="utf-8-sig")
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it is not UTF-8 text"
        raise InputError("The file {file} cannot be read ({reason}).", file=name, reason=reason) from error


def _conversation(arguments: argparse.Namespace) -> list[Message]:
    question = text_or_standard_input(arguments.question)
    if not question.strip():
        raise InputError("There is no question to answer.")
    system = [Message("system", argument_text(arguments.system))] if arguments.system else []
    return [*system, Message("user", question)]


def _model(arguments: argparse.Namespace, paths: Paths) -> InstalledModel:
    store = ModelStore(paths.models)
    name = argument_text(arguments.model) if arguments.model else None
    return store.find_or_default(name) or install_starter(recommended_starter("en"), paths, offline=arguments.offline)


def _print_streaming(events: Iterator[Event]) -> bool:
    """Print an answer as it comes; returns whether it keeps to its constraint."""
    keeps_constraint = True
    for event in events:
        match event:
            case TextDelta(shown=shown):
                print(shown, end="", flush=True)
            case Finished(reason=reason, keeps_constraint=keeps_constraint):
                print()
                if reason in _NOTICES:
                    print(f"sixpane: {_NOTICES[reason]}", file=sys.stderr)
    return keeps_constraint


def _in_order(several: Iterator[AnswerEvent], count: int) -> Iterator[list[Event]]:
    """The events of each answer, as soon as it and those before it are complete."""
    answers: list[list[Event]] = [[] for _ in range(count)]
    next_index = 0
    for one in several:
        answers[one.index].append(one.event)
        while next_index < count and answers[next_index] and isinstance(answers[next_index][-1], Finished):
            yield answers[next_index]
            next_index += 1


def _print_answers(answers: Iterator[list[Event]]) -> bool:
    all_keep_constraint = True
    for number, events in enumerate(answers, 1):
        (seed,) = (event.seed for event in events if isinstance(event, PromptPrepared))
        print(f"[{number}, seed {seed}]")
        all_keep_constraint &= _print_streaming(iter(events))
    return all_keep_constraint


def _as_json(events: Iterator[Event], model: InstalledModel, settings: GenerationSettings) -> dict[str, Any]:
    result: dict[str, Any] = {}
    for event in events:
        match event:
            case PromptPrepared():
                result |= {"prompt_token_ids": event.prompt_token_ids, "seed": event.seed}
            case PromptScored():
                result.setdefault("prompt_scores", []).extend(asdict(score) for score in event.scores)
            case TokenGenerated() if settings.alternatives:
                result.setdefault("tokens", []).append(asdict(event))
            case Finished():
                statistics = event.statistics
                rates = {
                    "prefill_tokens_per_second": statistics.prefill_tokens_per_second,
                    "decode_tokens_per_second": statistics.decode_tokens_per_second,
                }
                result |= {
                    "text": event.text,
                    "token_ids": event.token_ids,
                    "stop_reason": event.reason,
                    "keeps_constraint": event.keeps_constraint,
                    "model": model.name,
                    "settings": asdict(settings),
                    "statistics": asdict(statistics) | rates,
                }
    return result
