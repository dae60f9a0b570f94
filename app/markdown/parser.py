"""Reading Markdown: CommonMark with tables and strike-through, no HTML, in Sixpane's variant."""

from functools import cache, partial

from markdown_it import MarkdownIt
from markdown_it.parser_block import RuleFuncBlockType
from markdown_it.ruler import RuleOptionsType
from markdown_it.rules_block import StateBlock, blockquote, list_block
from markdown_it.rules_inline import image, link
from markdown_it.token import Token

from app.markdown.addresses import bare_address, is_allowed
from app.markdown.blocks import Block
from app.markdown.flatten import flatten
from app.markdown.rules import WideScriptInline, formula, link_if_possible

# A list takes two levels, a quote one. Deeper markers are ordinary characters of the innermost paragraph.
_DEEPEST = 24
_INTERRUPTED_BY_CONTAINERS: RuleOptionsType = {"alt": ["paragraph", "reference", "blockquote", "list"]}


class Parser(MarkdownIt):
    """CommonMark with tables, strike-through, formulas, bare addresses and emphasis in Chinese text.

    Reference definitions are not read: one at the end of an answer would change what stands far above it, and shown
    text must not change.
    """

    def __init__(self) -> None:
        super().__init__("zero")
        self.inline = WideScriptInline()
        self.configure("commonmark", {"html": False, "maxNesting": 100})
        self.enable(["table", "strikethrough"])
        self.disable(["reference", "html_block", "html_inline"])
        self.inline.ruler.before("escape", "formula", formula)
        self.inline.ruler.after("formula", "bare_address", bare_address)
        self.inline.ruler.at("link", partial(link_if_possible, link))
        self.inline.ruler.at("image", partial(link_if_possible, image))
        self.block.ruler.at("blockquote", partial(_unless_too_deep, blockquote), _INTERRUPTED_BY_CONTAINERS)
        self.block.ruler.at("list", partial(_unless_too_deep, list_block), _INTERRUPTED_BY_CONTAINERS)

    def validateLink(self, url: str) -> bool:  # noqa: N802 - the parser's own name
        """Let only addresses become links that may be opened."""
        return is_allowed(url)

    def normalizeLink(self, url: str) -> str:  # noqa: N802 - the parser's own name
        """Keep an address as it was written."""
        return url

    def normalizeLinkText(self, link: str) -> str:  # noqa: N802 - the parser's own name
        """Keep an address as it was written."""
        return link


def parse(text: str) -> tuple[Block, ...]:
    """Read a whole text."""
    return flatten(tokenise(text))


def tokenise(text: str) -> list[Token]:
    """Read a whole text into the parser's tokens, which know their lines."""
    # Without its line end, a last line of nothing but white space would be lost to a fence.
    return _parser().parse(text if text.endswith("\n") else text + "\n")


@cache
def _parser() -> Parser:
    return Parser()


def _unless_too_deep(rule: RuleFuncBlockType, state: StateBlock, start: int, end: int, silent: bool) -> bool:
    return state.level < _DEEPEST and rule(state, start, end, silent)
