"""Which addresses become links, and what a person is told of them."""

import pytest

from app.markdown import LinkTarget, Paragraph, parse


def links(text: str) -> list[tuple[str, str]]:
    """Text and target of each link."""
    (paragraph,) = parse(text)
    assert isinstance(paragraph, Paragraph)
    return [(span.text, span.link) for span in paragraph.spans if span.link]


@pytest.mark.parametrize(
    ("text", "address"),
    [
        ("见https://example.com/a_b_c，然后", "https://example.com/a_b_c"),
        ("（https://example.com/a?b=1&c=2#d）", "https://example.com/a?b=1&c=2#d"),
        ("请访问https://example.com查看", "https://example.com"),
        ("地址：http://example.com/路径。", "http://example.com/路径"),
        ("https://例子.中国/a、", "https://例子.中国/a"),
        ("(https://x.org/a_(b)).", "https://x.org/a_(b)"),
        ("**https://a.com/b**后", "https://a.com/b"),
        ("<https://a.com/b>", "https://a.com/b"),
        ("https://a.com/*x*/y end", "https://a.com/*x*/y"),
        ("“https://a.com/b”", "https://a.com/b"),
    ],
)
def test_a_bare_address_becomes_a_link_and_ends_before_punctuation(text: str, address: str) -> None:
    assert links(text) == [(address, address)]


@pytest.mark.parametrize(
    ("text", "target"),
    [
        ("[x](https://a.com)", "https://a.com"),
        ("[x](http://a.com:8080/b 'title')", "http://a.com:8080/b"),
        ("[x](mailto:me@a.com)", "mailto:me@a.com"),
        ("[https://a.com](https://b.com)", "https://b.com"),
    ],
)
def test_a_link_keeps_its_target(text: str, target: str) -> None:
    assert [link for _, link in links(text)] == [target]


@pytest.mark.parametrize(
    "text",
    [
        "[x](file:///etc/passwd)",
        "[x](javascript:alert(1))",
        "[x](JavaScript:alert(1))",
        "[x](data:text/html,y)",
        "[x](data:image/png;base64,AA)",
        "[x](docs/a.md)",
        "[x](//a.com/b)",
        "[x](https://)",
        "[x](https://a.com:99999/)",
        "[x](http://[::1)",
        "[x](https://exa!mple.com/)",
        "[x](https://a..com/)",
        "![x](file:///etc/passwd)",
        "<ftp://a.com>",
        "xhttps://a.com",
        "smb://a/b",
    ],
)
def test_any_other_target_is_plain_text_as_typed(text: str) -> None:
    (paragraph,) = parse(text)
    assert isinstance(paragraph, Paragraph)
    assert links(text) == []
    assert "".join(span.text for span in paragraph.spans) == text


def test_the_site_is_the_host_not_what_stands_before_the_at_sign() -> None:
    target = LinkTarget.of("https://bank.example@evil.example/login")
    assert (target.site, target.user_info) == ("evil.example", "bank.example")


def test_both_forms_of_an_international_host_are_told() -> None:
    assert LinkTarget.of("https://аррӏе.com/").site.startswith("xn--")
    assert LinkTarget.of("https://аррӏе.com/").readable_site == "аррӏе.com"
    assert LinkTarget.of("https://xn--fsqu00a.xn--0zwm56d/").readable_site == "例子.测试"


def test_an_ordinary_host_has_one_form() -> None:
    target = LinkTarget.of("https://Example.com/a")
    assert (target.site, target.readable_site, target.user_info) == ("example.com", "", "")


def test_invisible_characters_keep_an_address_from_being_a_link() -> None:
    with pytest.raises(ValueError, match="not an address"):
        LinkTarget.of("https://a.com/\u202egpj.exe")
