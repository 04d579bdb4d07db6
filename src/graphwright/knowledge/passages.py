"""A document as what is found of it: its facts, and passages of at most a page of text under their headings."""

from __future__ import annotations

import hashlib
import re
import unicodedata
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import PurePosixPath
from urllib.parse import urlsplit

from graphwright.files.documents import Document, chunks
from graphwright.text.little_words import language_of

MOST_TEXT = 1_500
"""Characters of a passage."""

MOST_PASSAGES = 4_000
"""Passages of a document."""

_MOST_FACT = 300
_MOST_URL = 2_000
_JOINT = " > "
_BLANKS = re.compile(r"\s+")


@dataclass(frozen=True, slots=True)
class Passage:
    """A stretch of a document under one heading, or on one page. `digest` tells texts apart, with title and heading."""

    heading: str
    page: int | None
    text: str
    digest: bytes


@dataclass(frozen=True, slots=True)
class Page:
    """A document that was read. What it does not say of itself is empty; `url` is an http(s) address or empty.

    `accelerators` are in small letters; a page without them is about all. `cut` says what of it is not in the index.
    """

    title: str
    url: str
    accelerators: tuple[str, ...]
    language: str
    updated: str
    cut: str
    passages: tuple[Passage, ...]


def page_of(document: Document, beside: Mapping[str, str], path: str) -> Page:
    """What the index holds of a document. What stands beside a file comes before what it says of itself."""
    facts = {name.lower(): _line(value) for name, value in {**document.metadata, **beside}.items()}
    title = facts.get("title", "") or _line(document.title) or PurePosixPath(path).stem
    passages, cut = [], document.cut
    for number, passage in enumerate(_passages(document, title)):
        if number == MOST_PASSAGES:
            cut = f"{cut} Only its first {MOST_PASSAGES:,} passages are in the index.".strip()
            break
        passages.append(passage)
    language = facts.get("language", facts.get("lang", ""))[:20].lower()
    return Page(
        title=title,
        url=_address(facts.get("url", "")),
        accelerators=tuple(dict.fromkeys(_names(facts.get("accelerator", "")))),
        language=language or language_of("\n".join(passage.text for passage in passages[:8])),
        updated=facts.get("updated", "") or facts.get("date", ""),
        cut=cut,
        passages=tuple(passages),
    )


def normal(text: str) -> str:
    """The text in one way of writing letters, without what no database and no terminal wants."""
    return unicodedata.normalize("NFC", text.replace("\0", " ")).encode("utf-8", "replace").decode("utf-8")


def _passages(document: Document, title: str) -> Iterator[Passage]:
    for part in chunks(document, MOST_TEXT):
        headings = [heading for heading in map(_line, part.heading) if heading]
        # Most pages have their title once more as their first heading.
        heading = _JOINT.join(headings[headings[:1] == [title] :])[:_MOST_FACT]
        text = normal(part.text).strip()
        digest = hashlib.sha256("\0".join((title, heading, text)).encode()).digest()[:16]
        yield Passage(heading, part.page, text, digest)


def _line(value: object) -> str:
    return _BLANKS.sub(" ", normal(str(value))).strip()[:_MOST_FACT]


def _names(value: str) -> list[str]:
    return [name.lower() for name in re.split(r"[\s,;|/\[\]\"']+", value) if name]


def _address(url: str) -> str:
    """The address where it is one that a browser may follow."""
    try:
        parts = urlsplit(url)
    except ValueError:
        return ""
    good = parts.scheme in ("http", "https") and parts.hostname and len(url) <= _MOST_URL
    return url if good and not re.search(r"[\s<>\"'`]", url) else ""
