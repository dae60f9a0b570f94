"""Addresses in a text: which may become links, where a bare one ends, and what a person must see before opening one."""

import re
from dataclasses import dataclass
from typing import Self
from urllib.parse import unquote, urlsplit

from markdown_it.rules_inline import StateInline

SCHEMES = ("http", "https", "mailto")

# An ASCII host ends at the first other character (`https://a.cn查看`), a host in another script does not.
_BARE = re.compile(
    r"https?://(?:[A-Za-z0-9.@:%_~!$&'()+,;=-]+|[^\W_][\w.@:-]*)"
    r"(?:[/?#](?:[A-Za-z0-9._~:/?#@!$&'()+,;=%-]|\*(?!\*)|[^\W\x00-\x7f])*)?",
    re.IGNORECASE,
)
_HOST = re.compile(r"[\w-]+(?:\.[\w-]+)*\.?|[0-9a-f:.]+")
_TRAILING = ".,:;!?'\"*_~&"
_UNSAFE = re.compile(r"[\s\x00-\x1f\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff\\]")


def is_allowed(url: str) -> bool:
    """Tell whether an address may become a link: http, https or mailto, well-formed, nothing invisible in it."""
    if _UNSAFE.search(url):
        return False
    try:
        parts = urlsplit(url)
        host = parts.hostname
        _ = parts.port
    except ValueError:
        return False
    if parts.scheme == "mailto":
        return bool(parts.path)
    return parts.scheme in SCHEMES and bool(host and _HOST.fullmatch(host))


def bare_address(state: StateInline, silent: bool) -> bool:
    """Turn ``https://…`` in running text into a link: a rule for the inline parser, which stops at each colon."""
    if state.linkLevel > 0 or not state.src.startswith("://", state.pos):
        return False
    scheme = next(
        (s for s in ("https", "http") if state.src[max(state.pos - len(s), 0) : state.pos].lower() == s), None
    )
    if scheme is None:
        return False
    start = state.pos - len(scheme)
    if start > 0 and state.src[start - 1].isascii() and state.src[start - 1].isalnum():
        return False
    match = _BARE.match(state.src, start, state.posMax)
    if match is None:
        return False
    url = _without_trailing_punctuation(match.group())
    if not is_allowed(url):
        return False
    if not silent:
        state.pending = state.pending[: -len(scheme)]
        state.push("link_open", "a", 1).attrSet("href", url)
        state.push("text", "", 0).content = url
        state.push("link_close", "a", -1)
    state.pos = start + len(url)
    return True


def _without_trailing_punctuation(url: str) -> str:
    while url:
        if url[-1] in _TRAILING or (url[-1] == ")" and url.count(")") > url.count("(")):
            url = url[:-1]
        else:
            break
    return url


@dataclass(frozen=True, slots=True)
class LinkTarget:
    """What a person should know of an address before opening it.

    Attributes:
        url: The whole address.
        site: The host that will be asked, in the ASCII form that is really used; the receiver for ``mailto``.
        readable_site: The host in its own script where that differs from `site`, else empty.
        user_info: What stands before the ``@``, a known disguise for another site; empty if nothing does.
    """

    url: str
    site: str
    readable_site: str
    user_info: str

    @classmethod
    def of(cls, url: str) -> Self:
        """Take an allowed address apart.

        Raises:
            ValueError: The address may not become a link.
        """
        if not is_allowed(url):
            raise ValueError(f"not an address that may be opened: {url!r}")
        parts = urlsplit(url)
        if parts.scheme == "mailto":
            return cls(url=url, site=unquote(parts.path), readable_site="", user_info="")
        host = parts.hostname or ""
        encoded, decoded = _both_forms(host)
        return cls(
            url=url,
            site=encoded,
            readable_site=decoded if decoded != encoded else "",
            user_info=parts.netloc.rpartition("@")[0],
        )


def _both_forms(host: str) -> tuple[str, str]:
    try:
        encoded = host.encode("idna").decode("ascii")
        return encoded, encoded.encode("ascii").decode("idna")
    except UnicodeError:
        return host, host
