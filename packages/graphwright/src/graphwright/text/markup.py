"""Plain text from HTML and ELCode, without invisible characters and terminal controls; addresses of web pages."""

from __future__ import annotations

import re
from html import unescape
from urllib.parse import urlsplit

from graphwright.text.folding import without_hidden

__all__ = ["clean", "one_line", "plain", "title_of", "web_address"]

_MOST_MARKUP = 400_000
_MOST_ADDRESS = 2_000
_NOT_IN_ADDRESS = re.compile(r"[\s\x00-\x20<>\"`\\]")
_ELCODE = re.compile(
    r"\[/?(?:b|i|u|s|code|quote|color|size|font|list|url|img|email|center|left|right|table|line|anchor|h[1-6])"
    r"(?:=[^\]\n]{0,500})?\]|\[\*\]",
    re.IGNORECASE,
)
# Possessive, and not past the next "<": a text that is not a tag is examined once.
_TAG = re.compile(r"<!--(?s:.*?)(?:-->|\Z)|<[!?][^<>]*+>|<(?P<end>/?)(?P<tag>[A-Za-z][A-Za-z0-9]*+)(?P<rest>[^<>]*+)>")
_ALT = re.compile(r"""\balt\s*=\s*["']([^"']{1,200})["']""", re.IGNORECASE)
_INLINE = frozenset(("a", "abbr", "b", "code", "em", "font", "i", "img", "small", "span", "strong", "sub", "sup", "u"))
_SILENT = frozenset(("script", "style", "head", "title", "template", "noscript", "iframe", "object", "svg"))


def clean(text: str) -> str:
    """The text without terminal controls, direction changes and invisible characters; lines end in newlines."""
    return without_hidden(text)[0]


def one_line(text: str, longest: int = 0) -> str:
    """The text on one line, cleaned; with `longest`, at most that many characters, ending in ` …` if it is cut."""
    # Only the beginning of a long text is cleaned.
    looked_at = text[: 4 * longest + 100] if longest else text
    line = " ".join(clean(looked_at).split())
    whole = not longest or (len(line) <= longest and len(looked_at) == len(text))
    return line if whole else f"{line[: longest - 2].rstrip()} …"


def plain(text: str, encoding: str) -> str:
    """The text of an entry for readers: `encoding` is ELOG's name for it, `HTML`, `ELCode` or `plain`."""
    kind = encoding.strip().lower()
    text = _from_html(text[:_MOST_MARKUP]) if kind == "html" else _ELCODE.sub("", text) if kind == "elcode" else text
    return re.sub(r"\n{3,}", "\n\n", clean(text)).strip()


def title_of(page: str) -> str:
    """The title of an HTML page, or an empty text."""
    found = re.search(r"<title[^>]{0,200}>([^<]{0,300})", page[:20_000], re.IGNORECASE)
    return one_line(unescape(found[1])) if found else ""


def web_address(url: str) -> str:
    """The address if a browser can open it as a page (http(s) with a host); otherwise an empty text."""
    try:
        parts = urlsplit(url)
    except ValueError:
        return ""
    good = parts.scheme in ("http", "https") and parts.hostname and len(url) <= _MOST_ADDRESS
    return url if good and not _NOT_IN_ADDRESS.search(url) else ""


def _from_html(markup: str) -> str:
    """One line for each block, `|` between cells, without scripts, styles and comments.

    The time is linear in the length of the markup, also if it is broken: Python's parser is slow on unclosed tags.
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
