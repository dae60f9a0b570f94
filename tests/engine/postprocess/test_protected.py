"""What is code, formula, address or markup stays as it is; the rest may be changed."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.postprocess.protected import Piece, ProtectedScanner

SOURCES = st.text(st.sampled_from("`~$\\()[]<>/.:-\n ab中文，C1")) | st.lists(
    st.sampled_from(["```", "~~~", "https://", "$$", "\\(", "](", "\n\n", "中", " x", "---\n", "C:\\", "`", "> "])
).map("".join)


def scan(text: str, cuts: list[int] | None = None) -> list[tuple[str, bool]]:
    """The pieces, neighbours of one kind joined, of a text that arrives cut at these places."""
    scanner = ProtectedScanner()
    places = [0, *sorted(cuts or []), len(text)]
    pieces = [piece for start, end in pairwise(places) for piece in scanner.feed(text[start:end])]
    joined: list[tuple[str, bool]] = []
    for piece in [*pieces, *scanner.flush()]:
        if joined and joined[-1][1] == piece.is_protected:
            joined[-1] = (joined[-1][0] + piece.text, piece.is_protected)
        else:
            joined.append((piece.text, piece.is_protected))
    return joined


@pytest.mark.parametrize(
    ("text", "protected"),
    [
        ("用`ls -l`看", ["`ls -l`"]),
        ("``a`b`` 后", ["``a`b``"]),
        ("还没有结束的`代码", ["`代码"]),
        ("一段`开着\n\n第二段", ["`开着\n\n"]),
        ("\\`不是代码", []),
        ("```python\n中文x\n```\n后", ["```python\n中文x\n```\n"]),
        ("```\nx\n``` y\n~~~\n", ["```\nx\n``` y\n~~~\n"]),
        ("~~~~\n```\n~~~\n~~~~\n后", ["~~~~\n```\n~~~\n~~~~\n"]),
        ("> ```\n> 中\n> ```\n后", ["```\n> 中\n> ```\n"]),
        ("价格$12 now, $15 later", []),
        ("$a_1*b_1*c$是公式", ["$a_1*b_1*c$"]),
        ("$$x\n中文$$好", ["$$x\n中文$$"]),
        ("\\(x\\)和\\[y\\]", ["\\(x\\)", "\\[y\\]"]),
        ("见https://example.com/a?b=中，然后", ["https://example.com/a?b=中"]),
        ("www.example.com。", ["www.example.com"]),
        ("[文字](http://a/中文)后", ["](http://a/中文)"]),
        ("<b>粗</b>和<第一>", ["<b>", "</b>"]),
        ("打开/usr/bin/x看，和/或", ["/usr/bin/x看"]),
        ("C:\\Users\\张三 里", ["C:\\Users\\张三"]),
        ("~/a/b 和 ./c", ["~/a/b", "./c"]),
        ("---\ntitle: 中x\n---\n正文", ["---\ntitle: 中x\n---\n"]),
        ("正文\n---\n后", []),
    ],
)
def test_protected_spans_are_found(text: str, protected: list[str]) -> None:
    assert [piece for piece, is_protected in scan(text) if is_protected] == protected


@given(SOURCES, st.data())
def test_the_spans_do_not_depend_on_where_a_text_is_cut(text: str, data: st.DataObject) -> None:
    cuts = data.draw(st.lists(st.integers(0, len(text)), max_size=8))

    assert scan(text, cuts) == scan(text) == scan(text, list(range(len(text))))


@given(SOURCES)
def test_the_joined_pieces_are_the_text(text: str) -> None:
    assert "".join(piece for piece, _ in scan(text)) == text


def test_prose_is_given_at_once_but_for_the_last_word() -> None:
    assert ProtectedScanner().feed("这是中文 and wor") == [Piece("这是中文 and ", is_protected=False)]
