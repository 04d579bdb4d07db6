"""Plain text out of what people, programs and servers put into a logbook."""

from __future__ import annotations

import re
from html import unescape

from graphwright.text.hidden import without_hidden

MOST_MARKUP = 400_000
"""Characters of markup that are read of one entry; what follows is left out."""

_BLANK_LINES = re.compile(r"\n{3,}")
_ELCODE = re.compile(
    r"\[/?(?:b|i|u|s|code|quote|color|size|font|list|url|img|email|center|left|right|table|line|anchor|h[1-6])"
    r"(?:=[^\]\n]{0,500})?\]|\[\*\]",
    re.IGNORECASE,
)
# Possessive, and never past the next "<": what is no tag is looked at once.
_TAG = re.compile(r"<!--(?s:.*?)(?:-->|\Z)|<[!?][^<>]*+>|<(?P<end>/?)(?P<tag>[A-Za-z][A-Za-z0-9]*+)(?P<rest>[^<>]*+)>")
_ALT = re.compile(r"""\balt\s*=\s*["']([^"']{1,200})["']""", re.IGNORECASE)
_BLOCKS = frozenset(
    re.findall(
        r"\w+",
        "address article blockquote br dd div dl dt fieldset figure footer form h1 h2 h3 h4 h5 h6 header hr li main ol "
        "p pre section table tr ul",
    )
)
_SILENT = frozenset(("script", "style", "head", "title", "template", "noscript", "iframe", "object", "svg"))


def clean(text: str) -> str:
    """The text without what steers terminals, turns the direction of writing or is invisible; lines end in newlines."""
    return without_hidden(text)[0]


def one_line(text: str) -> str:
    """The text on one line, cleaned."""
    return " ".join(clean(text).split())


def plain(text: str, encoding: str) -> str:
    """The text of an entry for readers: `encoding` is what ELOG calls it, `HTML`, `ELCode` or `plain`."""
    kind = encoding.strip().lower()
    if kind == "html":
        text = from_html(text)
    elif kind == "elcode":
        text = _ELCODE.sub("", text)
    return _BLANK_LINES.sub("\n\n", clean(text)).strip()


def from_html(markup: str) -> str:
    """The text of a piece of HTML: a line a block, `|` between cells; nothing of scripts, styles and comments.

    The time is linear in the markup, however broken it is: Python's own parser is slow on tags that never end.
    """
    markup = markup[:MOST_MARKUP]
    low = markup.lower()
    parts: list[str] = []
    at = 0
    while found := _TAG.search(markup, at):
        parts.append(unescape(markup[at : found.start()]))
        at = found.end()
        tag = (found["tag"] or "").lower()
        if tag in _SILENT and not found["end"]:
            close = low.find(f"</{tag}", at)
            at = at if close < 0 else close
        elif tag in _BLOCKS:
            parts.append("\n- " if tag == "li" and not found["end"] else "\n")
        elif tag in ("td", "th") and not found["end"]:
            parts.append(" | ")
        elif tag == "img" and (alt := _ALT.search(found["rest"][:2_000])):
            parts.append(f" [image: {unescape(alt[1])}] ")
    parts.append(unescape(markup[at:]))
    lines = (" ".join(line.split()) for line in "".join(parts).split("\n"))
    return _BLANK_LINES.sub("\n\n", "\n".join(lines)).strip()


def title_of(page: str) -> str:
    """The title of an HTML page, empty where it has none."""
    found = re.search(r"<title[^>]{0,200}>([^<]{0,300})", page[:20_000], re.IGNORECASE)
    return one_line(unescape(found[1])) if found else ""
