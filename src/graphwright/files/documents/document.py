"""A document as text with its places: what a reader collects of it within the limits, and what the caller gets."""

from __future__ import annotations

import re
import time
import unicodedata
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from graphwright.files.limits import DocumentLimits
from graphwright.text.hidden import without_hidden

MOST_HEADING = 200
_MOST_VALUE = 500
_MOST_METADATA = 60
_MOST_LEVELS = 12
_SPARE = 0.7
"""The share of the time after which a reader that can stop stops, and keeps what it has."""

_ENDS = re.compile("(?<![ \t\xa0])[ \t\xa0]++(?=\n)")
_EMPTY = re.compile("\n{3,}")
_BEYOND_LATIN = re.compile("[^\x00-\u02ff]")
_LIGATURES = {code: unicodedata.normalize("NFKC", chr(code)) for code in range(0xFB00, 0xFB07)}


@dataclass(frozen=True, slots=True)
class Part:
    """A part of a document that can be pointed at.

    `heading` is the path of headings above it, the outermost first, empty where there is none. `page` is its page or
    slide, counted from 1, None where the format has none. `text` has no heading of its own in it and no blank ends.
    """

    heading: tuple[str, ...]
    page: int | None
    text: str


@dataclass(frozen=True, slots=True)
class Document:
    """A document that was read. All its text is foreign: prompts fence it as data."""

    title: str
    """What it calls itself, else its name without the suffix; one line, never empty."""
    kind: str
    """`pdf`, `text`, `markdown`, `html`, `docx`, `pptx`, `xlsx`, `xlsb`, `xls` or `ods`: by its content."""
    parts: tuple[Part, ...]
    """In reading order. Empty where there is no text in it at all (`notes` say why)."""
    cut: str = ""
    """What of it was not read because of a limit, as a sentence; empty where nothing was."""
    notes: tuple[str, ...] = ()
    """What else people should know: pages without text, a wrong suffix, a guessed encoding."""
    metadata: Mapping[str, str] = field(default_factory=dict)
    """What it says of itself, by lower-case names: `author`, `date`, `language`, ..., front matter, `meta` elements."""
    pages: int | None = None
    """Pages or slides that it has, read or not; None where the format has none."""
    path: Path = Path()
    sha256: str = ""
    """Of the bytes of the file."""

    @property
    def text(self) -> str:
        """All its text, without headings."""
        return "\n\n".join(part.text for part in self.parts if part.text)


@dataclass(frozen=True, slots=True)
class Picture:
    """An image that was decoded and encoded anew: nothing of the original bytes, and no metadata, is in `data`."""

    data: bytes
    media_type: Literal["image/jpeg", "image/png"]
    width: int
    height: int
    original: tuple[int, int]
    """Width and height before it was shrunk, the right way up."""
    kind: str
    """`png`, `jpeg`, `gif`, `webp`, `tiff` or `bmp`: what the file is."""
    notes: tuple[str, ...] = ()
    path: Path = Path()
    sha256: str = ""
    """Of the bytes of the file."""


class Collected:
    """Takes clean parts until a limit is reached, and says what was cut."""

    def __init__(self, limits: DocumentLimits) -> None:
        self.limits = limits
        self.title = ""
        self.pages: int | None = None
        self.notes: list[str] = []
        self._cut = ""
        self._parts: list[dict[str, Any]] = []
        self._metadata: dict[str, str] = {}
        self._left = limits.characters
        self._seen = self._misleading = 0
        self._cropped = False
        self._late = time.monotonic() + _SPARE * limits.seconds

    def add(self, heading: Iterable[str], page: int | None, text: str) -> bool:
        """Take a part, as far as there is room; whether it has any text once it is clean."""
        text, misleading = _cleaned(text)
        self._misleading += misleading
        path = [line for line in (in_one_line(each, MOST_HEADING) for each in heading) if line][-_MOST_LEVELS:]
        self._seen += len(text)
        if (text or path) and self._left > 0:
            above = sum(map(len, path))
            kept = text[: max(self._left - above, 0)]
            self._cropped = len(kept) < len(text)
            self._left -= self._left if self._cropped else len(kept) + above + 1
            self._parts.append({"heading": path, "page": page, "text": kept.rstrip()})
        return bool(text)

    def tell(self, name: str, value: object) -> None:
        """Take a piece of metadata; the first of a name counts."""
        name, text = in_one_line(name, 60).lower(), in_one_line(str(value), _MOST_VALUE)
        if value and name and text and len(self._metadata) < _MOST_METADATA:
            self._metadata.setdefault(name, text)

    def stop(self, number: int, there: int, what: str) -> bool:
        """Whether page, slide or sheet `number` of so many is not to be read any more; it is said why."""
        if number > self.limits.pages:
            why = f"the limit on {what}s is {self.limits.pages:,}"
        elif self._left <= 0:
            why = f"the limit on characters is {self.limits.characters:,}"
        elif time.monotonic() > self._late:
            why = f"the time for it, {self.limits.seconds:g} seconds, was running out"
        else:
            return False
        read = number - 1
        told = f"{what.capitalize()}s 1 to {read:,}" if read > 1 else f"{what.capitalize()} 1" if read else f"No {what}"
        part = ", the last not to its end" if self._cropped else ""
        self._cut = f"{told} of {there:,} {'was' if read < 2 else 'were'} read{part}, because {why}."
        return True

    def to_json(self, kind: str) -> dict[str, Any]:
        """A `Document` as JSON, without the path and the hash."""
        kept = sum(len(part["text"]) for part in self._parts)
        if kept < self._seen and not self._cut:
            self._cut = f"The first {kept:,} of {self._seen:,} characters were read."
        if not self._parts and not self.notes:
            self.notes.append("There is no text in it.")
        if self._misleading:
            many = "1 character was" if self._misleading == 1 else f"{self._misleading:,} characters were"
            self.notes.append(f"{many} left out that cannot be seen or change the direction of the text.")
        return {
            "kind": kind,
            "title": in_one_line(self.title, MOST_HEADING),
            "pages": self.pages,
            "parts": self._parts,
            "metadata": self._metadata,
            "cut": self._cut,
            "notes": [in_one_line(note, 400) for note in self.notes],
        }


def in_one_line(text: str, most: int) -> str:
    """The clean text on one line, cut at `most` characters."""
    plain = " ".join(_cleaned(text[: 8 * most])[0].split())
    return plain if len(plain) <= most else plain[: most - 1].rstrip() + "…"


def _cleaned(text: str) -> tuple[str, int]:
    """The text as people see it, and how many characters were left out of it that could mislead who reads it.

    Lines end in a line feed and not in spaces, at most one empty line stands between others, the ends are not blank,
    letters are composed (NFC), ligatures are taken apart.
    """
    text, left_out = without_hidden(text)
    if _BEYOND_LATIN.search(text):
        text = unicodedata.normalize("NFC", text.translate(_LIGATURES))
    return _EMPTY.sub("\n\n", _ENDS.sub("", text)).strip(" \t\n\xa0"), left_out
