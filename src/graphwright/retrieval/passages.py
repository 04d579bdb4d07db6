"""A document as the index holds it: its facts, its sections, and passages of a bounded size within them."""

from __future__ import annotations

import hashlib
import re
import unicodedata
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import islice
from pathlib import PurePosixPath
from urllib.parse import urlsplit

from graphwright.files.documents import Document

MOST_TEXT = 1_500
"""Characters of a passage."""

MOST_PASSAGES = 4_000
"""Passages of a document."""

_ENDS = ("\n\n", "\n", ". ", " ")  # where a long text is cut, the best first
_MOST_FACT, _MOST_URL = 300, 2_000


@dataclass(frozen=True, slots=True)
class Passage:
    """A stretch of a section. `number` is that of its page, or of its section where the format has no pages.

    `digest` tells texts apart, with title and heading.
    """

    number: int
    heading: str
    text: str
    digest: bytes


@dataclass(frozen=True, slots=True)
class Page:
    """A document that was read. What it does not say of itself is empty; `url` is an http(s) address or empty.

    `accelerators` are in small letters; a page without them is about all. `paged` says that its numbers are those of
    pages. `cut` says what of it is not in the index.
    """

    title: str = ""
    url: str = ""
    accelerators: tuple[str, ...] = ()
    language: str = ""
    updated: str = ""
    cut: str = ""
    paged: bool = False
    passages: tuple[Passage, ...] = ()


def page_of(document: Document, beside: Mapping[str, str], path: str) -> Page:
    """What the index holds of a document. What stands beside a file comes before what it says of itself."""
    facts = {name.lower(): _line(value) for name, value in {**document.metadata, **beside}.items()}
    title = facts.get("title", "") or _line(document.title) or PurePosixPath(path).stem
    passages = tuple(islice(_passages(document, title), MOST_PASSAGES + 1))
    many = f"Only its first {MOST_PASSAGES:,} passages are in the index." if len(passages) > MOST_PASSAGES else ""
    return Page(
        title=title,
        url=_address(facts.get("url", "")),
        accelerators=tuple(dict.fromkeys(re.findall(r"[^\s,;|/\[\]\"']+", facts.get("accelerator", "").lower()))),
        language=facts.get("language", facts.get("lang", ""))[:20].lower(),
        updated=facts.get("updated", "") or facts.get("date", ""),
        cut=f"{document.cut} {many}".strip(),
        paged=any(part.page is not None for part in document.parts),
        passages=passages[:MOST_PASSAGES],
    )


def pieces(text: str, size: int = MOST_TEXT) -> Iterator[str]:
    """The text in pieces of at most `size` characters, cut after a paragraph, else a line, a sentence or a word."""
    start = 0
    while len(text) - start > size:
        ends = (text.rfind(end, start + size // 4, start + size) + len(end) for end in _ENDS)
        stop = next((end for end in ends if end > start + size // 4), start + size)
        yield text[start:stop]
        start = stop
    yield text[start:]


def _passages(document: Document, title: str) -> Iterator[Passage]:
    number = 0
    for place, part in enumerate(document.parts):
        after = document.parts[place + 1].heading if place + 1 < len(document.parts) else ()
        # A heading with nothing beneath it at all is a text of its own; one over other headings is in their paths.
        alone = part.heading and (after[: len(part.heading)] != part.heading or after == part.heading)
        text = _normal(part.text).strip() or (_normal(part.heading[-1]).strip() if alone else "")
        if not text:
            continue
        number = part.page if part.page is not None else number + 1
        headings = [heading for heading in map(_line, part.heading) if heading]
        # Most pages have their title once more as their first heading.
        heading = " > ".join(headings[headings[:1] == [title] :])[:_MOST_FACT]
        for piece in pieces(text):
            digest = hashlib.sha256("\0".join((title, heading, piece)).encode()).digest()[:16]
            yield Passage(number, heading, piece, digest)


def _normal(text: str) -> str:
    """The text in one way of writing letters, without what no database and no terminal wants."""
    return unicodedata.normalize("NFC", text.replace("\0", " ")).encode("utf-8", "replace").decode()


def _line(value: object) -> str:
    return " ".join(_normal(str(value)).split())[:_MOST_FACT]


def _address(url: str) -> str:
    """The address where it is one that a browser may follow."""
    try:
        parts = urlsplit(url)
    except ValueError:
        return ""
    good = parts.scheme in ("http", "https") and parts.hostname and len(url) <= _MOST_URL
    return url if good and not re.search(r"[\s<>\"'`]", url) else ""
