"""What Sixpane reads in a text."""

import pytest

from app.markdown import Code, Paragraph, Span, Table, parse


def spans(text: str) -> tuple[Span, ...]:
    """The spans of a text that is one paragraph."""
    (paragraph,) = parse(text)
    assert isinstance(paragraph, Paragraph)
    return paragraph.spans


def plain(text: str) -> str:
    """The characters that a text of paragraphs shows."""
    return "\n".join("".join(s.text for s in block.spans) for block in parse(text) if isinstance(block, Paragraph))


@pytest.mark.parametrize(
    ("text", "bold"),
    [
        ("**提示：**先保存", "提示："),
        ("这是**“夜读”**栏目", "“夜读”"),
        ("读**《海风》**吧", "《海风》"),
        ("**Note:**中文", "Note:"),
        ("中文**(note)**中文", "(note)"),
        ("a **b** c", "b"),
    ],
)
def test_emphasis_is_what_a_chinese_reader_expects(text: str, bold: str) -> None:
    assert [span.text for span in spans(text) if span.bold] == [bold]
    assert "*" not in plain(text)


@pytest.mark.parametrize("text", ["a * b * c", "2 ** 3 ** 4", "snake_case_name", "`a*b*c`", "提示_：_先"])
def test_what_is_no_emphasis_stays(text: str) -> None:
    assert not any(span.bold or span.italic for span in spans(text))
    assert plain(text) == text.strip("`")


def test_struck_text_may_touch_chinese_punctuation() -> None:
    assert spans("~~旧价：~~新价") == (Span("旧价：", struck=True), Span("新价"))


@pytest.mark.parametrize(
    "text",
    [
        "Fill in <first name> here",
        "vector<int> v",
        "<script>x</script>",
        "<div onclick='x'>",
        "<!-- c -->",
        "<img src=http://a.cn/b>",
    ],
)
def test_every_angle_bracket_is_visible(text: str) -> None:
    assert plain(text) == text


@pytest.mark.parametrize(
    "text",
    ["Tickets: $12 now, $15 later.", "$a_1*b_1*c$", r"\(a_1*b_1*c\)", r"\[x*y*z\]", "$$a_1*b\n*c*d$$", "$5 and $6"],
)
def test_dollars_and_formulas_stay_as_typed(text: str) -> None:
    assert spans(text) == (Span(text),)


def test_emphasis_beside_prices_is_read() -> None:
    assert [span.text for span in spans("$12 is *not* $15 later") if span.italic] == ["not"]


def test_a_formula_ends_before_a_code_span() -> None:
    assert spans("$PATH or `$HOME`") == (Span("$PATH or "), Span("$HOME", code=True))


@pytest.mark.parametrize(
    ("info", "language"),
    [("python", "python"), ("c++", "c++"), ('python title="a.py"', "python"), ("", ""), ("  js  x", "js")],
)
def test_the_language_is_the_first_word_of_the_info_string(info: str, language: str) -> None:
    assert parse(f"```{info}\nx\n```") == (Code("x", language),)


def test_the_source_of_a_fence_is_exact() -> None:
    assert parse("```\n\tif x:\n\n\t\ty  \n\n```\n") == (Code("\tif x:\n\n\t\ty  \n"),)


def test_only_the_same_character_at_least_as_long_closes_a_fence() -> None:
    assert parse("````\n```\n~~~~\n`````\nafter") == (Code("```\n~~~~"), Paragraph((Span("after"),)))


def test_lists_and_quotes_become_a_flat_row() -> None:
    text = "3. one\n   - two\n\n     more\n\n   ```py\n   x\n   ```\n4. > three"
    assert parse(text) == (
        Paragraph((Span("one"),), indent=1, marker="3."),
        Paragraph((Span("two"),), indent=2, marker="•"),
        Paragraph((Span("more"),), indent=2),
        Code("x", "py", indent=1),
        Paragraph(indent=1, marker="4."),
        Paragraph((Span("three"),), indent=1, quote=1),
    )


def test_headings_and_rules() -> None:
    assert parse("## Two\n\n***\nthree\n---") == (
        Paragraph((Span("Two"),), heading=2),
        Paragraph(rule=True),
        Paragraph((Span("three"),), heading=2),
    )


def test_tables_have_cells_with_spans_and_alignments() -> None:
    assert parse("|a|b|c|\n|-|:-:|-:|\n|1|**2**|\n") == (
        Table(
            header=((Span("a"),), (Span("b"),), (Span("c"),)),
            rows=(((Span("1"),), (Span("2", bold=True),), ()),),
            alignments=("left", "center", "right"),
        ),
    )


def test_a_line_break_is_kept() -> None:
    assert plain("床前明月光\n疑是地上霜") == "床前明月光\n疑是地上霜"


def test_an_image_is_its_description_and_its_address() -> None:
    address = "http://example.com/a.png"
    assert spans(f"![a cat]({address})") == (Span("a cat "), Span(address, link=address))


def test_a_reference_definition_changes_nothing_above_it() -> None:
    assert plain("[a]\n\n[a]: https://a.cn") == "[a]\n[a]: https://a.cn"


@pytest.mark.parametrize(
    ("text", "character"),
    [
        ("- " * 20_000 + "x", "x"),
        ("".join("  " * depth + "- x\n" for depth in range(1000)), "x"),
        ("<div>" * 20_000, "<"),
        ("[" * 20_000, "["),
        ("![" * 20_000, "!"),
        ("[a](" * 10_000, "a"),
        ("*a" * 20_000, "a"),
        ("$a " * 20_000, "$"),
        ("`a``" * 5000, "a"),
        ("\\(" * 20_000, "("),
    ],
)
def test_deep_nesting_is_read_without_losing_a_character(text: str, character: str) -> None:
    assert plain(text).count(character) == text.count(character)


def test_quotes_deeper_than_anyone_reads_are_characters() -> None:
    (paragraph,) = parse(">" * 20_000)
    assert isinstance(paragraph, Paragraph)
    assert paragraph.quote + len(paragraph.spans[0].text) == 20_000
