"""The colours of code."""

import pytest

from app.markdown.highlighting import coloured_lines, is_known


def test_each_line_of_the_source_has_its_parts() -> None:
    source = '\n\ndef f():\n\treturn "a"  # b\n'
    lines = list(coloured_lines(source, "python"))
    assert len(lines) == source.count("\n") + 1
    assert lines[2] == ((0, 3, "keyword"), (4, 1, "function"))
    assert (1, 6, "keyword") in lines[3]


def test_positions_count_utf16_units() -> None:
    (line,) = coloured_lines('"🧪" + 1', "python")
    assert (7, 1, "number") in line


@pytest.mark.parametrize("language", ["", "no-such-language", "pythön", "../../x", "text plain", "\0"])
def test_an_unknown_language_is_plain(language: str) -> None:
    assert not is_known(language)
    assert list(coloured_lines("def f():\n  pass", language)) == [(), ()]


@pytest.mark.parametrize(
    "language", ["c++", "C++", "python", "json", "bash", "js", "html", "rust", "sql", "diff", "yaml"]
)
def test_common_languages_are_known(language: str) -> None:
    assert is_known(language)


def test_a_string_over_several_lines_is_coloured_on_each() -> None:
    first, second = coloured_lines('"""a\nb"""', "python")
    assert {category for _, _, category in (*first, *second)} == {"string"}
