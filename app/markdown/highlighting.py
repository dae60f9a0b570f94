"""Which characters of a code block are keywords, strings, comments …: Pygments' judgement in a few categories."""

from collections.abc import Iterator
from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pygments.lexer import Lexer

ColouredPart = tuple[int, int, str]
LONGEST_SOURCE = 300_000

# In the order of asking: the first entry that contains a token's type decides.
_CATEGORIES = (
    ("Comment", "comment"),
    ("Keyword.Constant", "constant"),
    ("Keyword.Type", "type"),
    ("Keyword", "keyword"),
    ("Operator.Word", "keyword"),
    ("Operator", "operator"),
    ("Literal.String", "string"),
    ("Literal.Number", "number"),
    ("Name.Function", "function"),
    ("Name.Builtin", "function"),
    ("Name.Class", "type"),
    ("Name.Exception", "type"),
    ("Name.Namespace", "type"),
    ("Name.Tag", "keyword"),
    ("Name.Attribute", "attribute"),
    ("Name.Decorator", "attribute"),
    ("Name.Constant", "constant"),
    ("Name.Variable", "attribute"),
    ("Generic.Deleted", "error"),
    ("Generic.Inserted", "string"),
    ("Generic.Heading", "keyword"),
    ("Generic.Subheading", "keyword"),
)


def load_language(language: str) -> None:
    """Have the rules of a language ready, named as in an info string; the first time takes a tenth of a second."""
    _lexer(language)


def is_known(language: str) -> bool:
    """Tell whether code in this language, named as in an info string, gets colours."""
    return _lexer(language) is not None


def coloured_lines(source: str, language: str) -> Iterator[tuple[ColouredPart, ...]]:
    """Give each line's coloured parts, as start and length in UTF-16 units and a category; unknown languages have none.

    Lines come as they are read, so that a long text can be taken in portions.
    """
    lexer = _lexer(language) if len(source) <= LONGEST_SOURCE else None
    if lexer is None:
        yield from (() for _ in range(source.count("\n") + 1))
        return
    line: list[ColouredPart] = []
    column = 0
    for _, token, value in lexer.get_tokens_unprocessed(source):
        category = _category(str(token))
        for index, part in enumerate(value.split("\n")):
            if index:
                yield tuple(line)
                line, column = [], 0
            length = len(part) if part.isascii() else len(part.encode("utf-16-le", "surrogatepass")) // 2
            if category and part:
                line.append((column, length, category))
            column += length
    yield tuple(line)


@cache
def _category(token: str) -> str:
    name = token.removeprefix("Token.")
    return next((category for prefix, category in _CATEGORIES if f"{name}.".startswith(f"{prefix}.")), "")


@cache
def _languages() -> frozenset[str]:
    from pygments.lexers import get_all_lexers

    # Without plug-ins: a label in an answer shall import no package that merely happens to be installed.
    return frozenset(alias for _, aliases, _, _ in get_all_lexers(plugins=False) for alias in aliases)


@cache
def _lexer(language: str) -> "Lexer | None":
    from pygments.lexers import get_lexer_by_name

    alias = language.lower()
    return get_lexer_by_name(alias) if alias in _languages() else None
