"""Plain text out of HTML and ELCode, and without what is invisible or steers terminals; addresses of web pages."""

from __future__ import annotations

import re
from html import unescape
from urllib.parse import urlsplit

from graphwright.text.hidden import without_hidden

_MOST_MARKUP = 400_000
_MOST_ADDRESS = 2_000
_NOT_IN_ADDRESS = re.compile(r"[\s\x00-\x20<>\"`\\]")
_ELCODE = re.compile(
    r"\[/?(?:b|i|u|s|code|quote|color|size|font|list|url|img|email|center|left|right|table|line|anchor|h[1-6])"
    r"(?:=[^\]\n]{0,500})?\]|\[\*\]",
    re.IGNORECASE,
)
# Possessive, and never past the next "<": what is no tag is looked at once.
_TAG = re.compile(r"<!--(?s:.*?)(?:-->|\Z)|<[!?][^<>]*+>|<(?P<end>/?)(?P<tag>[A-Za-z][A-Za-z0-9]*+)(?P<rest>[^<>]*+)>")
_ALT = re.compile(r"""\balt\s*=\s*["']([^"']{1,200})["']""", re.IGNORECASE)
_INLINE = frozenset(("a", "abbr", "b", "code", "em", "font", "i", "img", "small", "span", "strong", "sub", "sup", "u"))
_SILENT = frozenset(("script", "style", "head", "title", "template", "noscript", "iframe", "object", "svg"))


def clean(text: str) -> str:
    """The text without what steers terminals, turns the direction of writing or is invisible; lines end in newlines."""
    return without_hidden(text)[0]


def one_line(text: str, longest: int = 0) -> str:
    """The text on one line, cleaned; with `longest` of at most so many characters, which ` …` at its end says."""
    # Of a megabyte nobody pays for what is not shown.
    looked_at = text[: 4 * longest + 100] if longest else text
    line = " ".join(clean(looked_at).split())
    whole = not longest or (len(line) <= longest and len(looked_at) == len(text))
    return line if whole else f"{line[: longest - 2].rstrip()} …"


def plain(text: str, encoding: str) -> str:
    """The text of an entry for readers: `encoding` is what ELOG calls it, `HTML`, `ELCode` or `plain`."""
    kind = encoding.strip().lower()
    text = _from_html(text[:_MOST_MARKUP]) if kind == "html" else _ELCODE.sub("", text) if kind == "elcode" else text
    return re.sub(r"\n{3,}", "\n\n", clean(text)).strip()


def title_of(page: str) -> str:
    """The title of an HTML page, empty where it has none."""
    found = re.search(r"<title[^>]{0,200}>([^<]{0,300})", page[:20_000], re.IGNORECASE)
    return one_line(unescape(found[1])) if found else ""


def web_address(url: str) -> str:
    """The address where it is one that a browser opens as a page, http(s) with a host; else an empty text."""
    try:
        parts = urlsplit(url)
    except ValueError:
        return ""
    good = parts.scheme in ("http", "https") and parts.hostname and len(url) <= _MOST_ADDRESS
    return url if good and not _NOT_IN_ADDRESS.search(url) else ""


def _from_html(markup: str) -> str:
    """A line a block, `|` between cells; nothing of scripts, styles and comments.

    The time is linear in the markup, however broken it is: Python's own parser is slow on tags that never end.
    """
    low, at, parts = markup.lower(), 0, list[str]()
    while found := _TAG.search(markup, at):
        parts.append(unescape(markup[at : found.start()]))
        at = found.end()
        tag = (found["tag"] or "").lower()
        if tag in _SILENT and not found["end"]:
            at = max(at, low.find(f"</{tag}", at))
        elif tag in ("td", "th"):
            parts.append("" if found["end"] else " | ")
        elif tag == "img" and (alt := _ALT.search(found["rest"][:2_000])):
            parts.append(f" [image: {unescape(alt[1])}] ")
        elif tag and tag not in _INLINE | _SILENT:
            parts.append("\n- " if tag == "li" and not found["end"] else "\n")
    parts.append(unescape(markup[at:]))
    return "\n".join(" ".join(line.split()) for line in "".join(parts).split("\n"))
