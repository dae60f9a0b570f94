"""A text in pieces reads like the text at once."""

from itertools import pairwise

from hypothesis import given, settings
from hypothesis import strategies as st

from app.markdown import Block, Code, StreamingMarkdown, parse

STRUCTURE = (
    "\n|\n\n|\r\n|\r|\t|  |    |- |* |+ |1. |2) |> |# |## |#|```|````|~~~|py\n|---|===|***|[ref]: https://a.cn\n"
)
INLINE = "a| |`|**|*|_|~~|$|\\|[x](|https://a.cn/b|)|![|]|<b>|&lt;|：|中文|“|\0|\\(|\\)"
PIECES = [*STRUCTURE.split("|"), *INLINE.split("|"), "|", "|a|b|\n", "|-|-|\n"]
markdown_texts = st.lists(st.sampled_from(PIECES), max_size=40).map("".join)


def blocks_step_by_step(pieces: list[str]) -> list[tuple[Block, ...]]:
    """Feed the pieces; what is shown after each."""
    stream = StreamingMarkdown()
    finished: tuple[Block, ...] = ()
    shown = []
    for piece in pieces:
        update = stream.feed(piece)
        finished += update.finished
        shown.append(finished + update.tail)
    return shown


@settings(max_examples=400, deadline=None)
@given(markdown_texts)
def test_at_every_prefix_the_picture_is_that_of_the_text_so_far(text: str) -> None:
    shown = blocks_step_by_step(list(text))
    assert shown == [parse(text[: end + 1]) for end in range(len(text))]


@settings(max_examples=200, deadline=None)
@given(markdown_texts, st.lists(st.integers(0, 100), max_size=8))
def test_any_cutting_ends_in_the_same_picture(text: str, cuts: list[int]) -> None:
    borders = [0, *sorted(min(cut, len(text)) for cut in cuts), len(text)]
    pieces = [text[start:end] for start, end in pairwise(borders)]
    assert blocks_step_by_step(pieces)[-1] == parse(text)


def test_an_open_fence_is_code_to_the_end_at_every_prefix() -> None:
    text = "```python\nif x:\n\n    ~~~\n    # not a heading\n   \n- no list\n"
    for shown in blocks_step_by_step(list(text))[len("```python\n") :]:
        assert [type(block) for block in shown] == [Code]


def test_a_finished_block_is_told_once_and_at_once() -> None:
    stream = StreamingMarkdown()
    assert stream.feed("one\n\ntwo").finished == ()
    assert stream.feed("\n").finished == parse("one")
    assert stream.feed("\n# three\n").finished == parse("two")
