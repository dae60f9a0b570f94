"""What a text consists of once its Markdown is read: a flat row of paragraphs, code blocks and tables.

Lists and quotes are no containers here: each paragraph says how deep it stands and which marker it carries. A flat row
is what a text document consists of, it has no depth that input could exhaust, and two rows can be compared.
"""

from dataclasses import dataclass
from typing import Literal

Alignment = Literal["left", "center", "right"]


@dataclass(frozen=True, slots=True)
class Span:
    r"""Characters of one look.

    Attributes:
        text: What is read; a line break is ``\n``.
        bold: Strongly emphasised.
        italic: Emphasised.
        struck: Struck through.
        code: A code span.
        link: Where it leads, an address of an allowed scheme; empty for ordinary text.
    """

    text: str
    bold: bool = False
    italic: bool = False
    struck: bool = False
    code: bool = False
    link: str = ""


Spans = tuple[Span, ...]


@dataclass(frozen=True, slots=True)
class Paragraph:
    """A paragraph, a heading, an item of a list, or a rule across the page.

    Attributes:
        spans: Its text; empty for a rule.
        heading: 1 to 6 for a heading, else 0.
        indent: How many lists it stands in.
        marker: What stands before it: ``•``, ``3.`` or ``3)`` at the start of an item, else empty.
        quote: How many quotes it stands in.
        rule: Whether it is a rule.
    """

    spans: Spans = ()
    heading: int = 0
    indent: int = 0
    marker: str = ""
    quote: int = 0
    rule: bool = False


@dataclass(frozen=True, slots=True)
class Code:
    """A code block.

    Attributes:
        source: Exactly what stands in the fence, tabs kept, without the final newline.
        language: The first word of the info string; empty if there is none.
        indent: How many lists it stands in.
        quote: How many quotes it stands in.
    """

    source: str
    language: str = ""
    indent: int = 0
    quote: int = 0


@dataclass(frozen=True, slots=True)
class Table:
    """A table; every row has as many cells as the header.

    Attributes:
        header: The cells of the first row.
        rows: The cells of the other rows.
        alignments: One a column.
        indent: How many lists it stands in.
        quote: How many quotes it stands in.
    """

    header: tuple[Spans, ...]
    rows: tuple[tuple[Spans, ...], ...]
    alignments: tuple[Alignment, ...]
    indent: int = 0
    quote: int = 0


Block = Paragraph | Code | Table
