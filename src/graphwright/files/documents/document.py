"""A document as text with its places: what was read, where each part of it stands, and what was left out."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path


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
    media_type: str
    """`image/jpeg` or `image/png`."""
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
