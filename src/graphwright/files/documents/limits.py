"""How much of a document or an image is read, and what reading it may cost."""

from __future__ import annotations

from dataclasses import dataclass

from graphwright.files.limits import GB, MB, Checked


@dataclass(frozen=True, slots=True)
class DocumentLimits(Checked):
    """What is beyond `pages` and `characters` is left out, and `Document.cut` says so; what is beyond the others is an
    error. Raises ValueError for a limit below 1."""

    pages: int = 2_000
    """Pages of a PDF, slides of a presentation, sheets of a workbook: the first ones."""
    characters: int = 5_000_000
    """Characters of text, the headings included."""
    file_bytes: int = 100 * MB
    unpacked_bytes: int = 300 * MB
    """Bytes that a packed document, or the parts of an Office document, may come to."""
    seconds: float = 60.0
    """Seconds that reading one file may take. What was read of pages, slides or sheets by then is kept."""
    memory: int = 2 * GB
    """Bytes of address space that the reading process may take."""


@dataclass(frozen=True, slots=True)
class ImageLimits(Checked):
    """What an image is made to fit (`side`, `bytes`), and what is refused (the others). Raises ValueError below 1."""

    side: int = 1_568
    """Pixels of the longer side of what comes out. Smaller images stay as they are."""
    bytes: int = 2 * MB
    """Bytes of what comes out."""
    pixels: int = 150_000_000
    """Pixels of the image as it is: what takes more is not decoded."""
    file_bytes: int = 50 * MB
    seconds: float = 30.0
    memory: int = 2 * GB
