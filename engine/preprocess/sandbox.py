"""A Jinja environment for templates that strangers wrote: no reach into Python, bounded work, bounded output."""

import json
from collections.abc import Iterable, Iterator, Mapping, Sized
from datetime import datetime
from typing import Any, NoReturn

from jinja2 import Template, nodes
from jinja2.exceptions import SecurityError
from jinja2.ext import loopcontrols
from jinja2.runtime import Context
from jinja2.sandbox import ImmutableSandboxedEnvironment
from jinja2.visitor import NodeTransformer

MOST_STEPS = 200_000
"""Loop rounds and calls that one rendering may take; 1,000 messages take a few thousand."""

LONGEST_TEXT = 8_000_000
"""Characters that one value or the whole output may have; a context of a million tokens stays below."""

# They make a long text out of a short one and a number, which no chat template needs.
_REFUSED_METHODS = frozenset({"center", "expandtabs", "format", "format_map", "ljust", "rjust", "translate", "zfill"})
# fmt: off
_FILTERS = (
    "abs", "capitalize", "count", "d", "default", "dictsort", "e", "escape", "first", "float", "int", "items", "last",
    "length", "list", "lower", "map", "max", "min", "reject", "rejectattr", "reverse", "round", "safe", "select",
    "selectattr", "sort", "sum", "title", "trim", "unique", "upper", "wordcount",
)
# fmt: on
_GLOBALS = ("dict", "namespace", "range")


class _Budgeted(NodeTransformer):
    """Rewrites a template so that loops and joined texts go through the filters that count."""

    def visit_For(self, node: nodes.For) -> nodes.For:  # noqa: N802 - the name is the visitor's protocol
        self.generic_visit(node)
        node.iter = _filtered(node.iter, "bounded")
        return node

    def visit_Concat(self, node: nodes.Concat) -> nodes.Filter:  # noqa: N802 - the name is the visitor's protocol
        self.generic_visit(node)
        return _filtered(nodes.List(node.nodes, lineno=node.lineno), "join")


def _filtered(node: nodes.Node, name: str) -> nodes.Filter:
    return nodes.Filter(node, name, [], [], None, None, lineno=node.lineno)


class BoundedSandbox(ImmutableSandboxedEnvironment):
    """Jinja's sandbox with a budget of steps and sizes, which the sandbox of Jinja itself does not have.

    One environment serves one template; `render` starts a new budget, so it is not for two threads at once.
    """

    intercepted_binops = frozenset({"*", "**", "%", "+"})

    def __init__(self) -> None:
        super().__init__(trim_blocks=True, lstrip_blocks=True, extensions=[loopcontrols], finalize=self._printable)
        self._steps_left = MOST_STEPS
        self.concat = self._concat  # type: ignore[method-assign]  # Jinja's own way to replace it
        self.filters = {name: self.filters[name] for name in _FILTERS} | {
            "bounded": self._bounded,
            "join": self._join,
            "replace": self._replace,
            "string": self._text,
            "tojson": self._to_json,
        }
        self.globals = {name: self.globals[name] for name in _GLOBALS} | {
            "raise_exception": _raise_exception,
            "strftime_now": _strftime_now,
        }

    def prepare(self, source: str) -> Template:
        """Compile a template in which every loop spends from the budget.

        Raises:
            jinja2.TemplateSyntaxError: The source is no valid template.
        """
        tree = _Budgeted().visit(self.parse(source))
        return self.template_class.from_code(self, self.compile(tree), self.make_globals(None))

    def render(self, template: Template, variables: Mapping[str, object]) -> str:
        """Render with a fresh budget.

        Raises:
            jinja2.TemplateError: The template raised, reached for something forbidden, or spent its budget.
        """
        self._steps_left = MOST_STEPS
        return self._concat(template.generate(variables))

    def call(self, context: Context, function: Any, *args: Any, **kwargs: Any) -> Any:
        """Call a function for the template, at the price of a step."""
        self._spend()
        owner = getattr(function, "__self__", None)
        if isinstance(owner, str):
            match function.__name__:
                case "replace":
                    return self._replace(owner, *args, **kwargs)
                case "join":
                    return self._join(args[0], owner)
                case name if name in _REFUSED_METHODS:
                    raise SecurityError(f"the method {name} is not allowed in a chat template")
        return super().call(context, function, *args, **kwargs)

    def call_binop(self, context: Context, operator: str, left: Any, right: Any) -> Any:
        """Compute left (operator) right if the result is bounded."""
        self._spend()
        if operator == "*":
            for sequence, count in ((left, right), (right, left)):
                if isinstance(sequence, str | list | tuple) and isinstance(count, int):
                    self._allow_length(len(sequence) * count)
        elif operator == "%" and isinstance(left, str):
            raise SecurityError("formatting by % is not allowed in a chat template")
        elif operator == "**":
            raise SecurityError("powers are not allowed in a chat template")
        elif operator == "+" and isinstance(left, Sized) and isinstance(right, Sized):
            self._allow_length(len(left) + len(right))
        return super().call_binop(context, operator, left, right)

    def _bounded(self, items: Iterable[object]) -> Iterator[object]:
        for item in items:
            self._spend()
            yield item

    def _replace(self, text: str, old: str, new: str, count: int = -1) -> str:
        text, old, new = str(text), str(old), str(new)
        found = text.count(old)
        self._allow_length(len(text) + len(new) * (found if count < 0 else min(found, count)))
        return text.replace(old, new, count)

    def _join(self, items: Iterable[object], d: str = "", attribute: str | None = None) -> str:
        separator = str(d)
        texts = (self._text(self.getitem(item, attribute) if attribute else item) for item in items)
        return separator.join(self._counted(texts, len(separator)))

    def _concat(self, pieces: Iterable[str]) -> str:
        return "".join(self._counted(pieces, 0))

    def _counted(self, texts: Iterable[str], separator_length: int) -> Iterator[str]:
        length = 0
        for text in texts:
            length += len(text) + separator_length
            self._allow_length(length)
            yield text

    def _text(self, value: object) -> str:
        return str(self._printable(value))

    def _to_json(self, value: object, indent: int | None = None) -> str:
        # Jinja's own filter escapes for HTML, which would change what the model reads.
        return json.dumps(self._printable(value), ensure_ascii=False, indent=min(indent, 8) if indent else None)

    def _printable(self, value: object) -> object:
        # A list that holds itself twice, twice, twice ... is small until it is written out.
        waiting = [value]
        while waiting:
            inner = waiting.pop()
            if isinstance(inner, Mapping):
                waiting += inner.values()
                self._spend()
            elif isinstance(inner, list | tuple):
                waiting += inner
                self._spend()
        return value

    def _spend(self) -> None:
        self._steps_left -= 1
        if self._steps_left < 0:
            raise SecurityError(f"more than {MOST_STEPS} steps")

    @staticmethod
    def _allow_length(length: int) -> None:
        if length > LONGEST_TEXT:
            raise SecurityError(f"a text of more than {LONGEST_TEXT} characters")


def _raise_exception(message: object) -> NoReturn:
    raise SecurityError(str(message))


def _strftime_now(pattern: str) -> str:
    return datetime.now().astimezone().strftime(pattern)
