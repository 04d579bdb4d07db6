"""The limits on how much of a file is read, and on the cost of reading."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["DocumentLimits"]

MB, GB = 10**6, 10**9


@dataclass(frozen=True, slots=True)
class Limits:
    """The limits for data files.

    Data beyond `rows`, `columns`, `held_bytes` and `tables` is left out, with a note in the data set; data beyond the
    others is an error.
    """

    rows: int = 50_000_000
    """The maximum number of rows of a table. A longer table is sampled evenly over all of its rows."""
    columns: int = 10_000
    """The maximum number of columns of a table; the first ones are kept."""
    held_bytes: int = 10 * GB
    """The maximum size of the text of a table, in bytes."""
    tables: int = 50
    """The maximum number of sheets or tables of a file."""
    file_bytes: int = 10 * GB
    unpacked_bytes: int = 10 * GB
    """The maximum unpacked size of a packed file, in bytes."""
    document_bytes: int = 200 * MB
    """The maximum size of data that must be read as a whole, in bytes: JSON other than records, an unpacked workbook.
    """
    seconds: float = 180.0
    """The time limit for one file in seconds, plus the same for each GB of it."""
    memory: int = 6 * GB
    """The maximum address space of the reading process, in bytes."""

    def rows_held(self, row_bytes: float = 0.0) -> int:
        """The number of rows that are kept, for rows of on average `row_bytes` bytes of text."""
        return max(min(self.rows, int(self.held_bytes / row_bytes)) if row_bytes > 0 else self.rows, 1)


@dataclass(frozen=True, slots=True)
class DocumentLimits:
    """The limits for documents. Text beyond `pages` and `characters` is left out; the others raise errors."""

    pages: int = 2_000
    """Pages of a PDF, slides of a presentation, sheets of a workbook: the first ones."""
    characters: int = 5_000_000
    """Characters of text, including headings."""
    file_bytes: int = 100 * MB
    unpacked_bytes: int = 300 * MB
    """The maximum unpacked size of a packed document, or of the parts of an Office document, in bytes."""
    seconds: float = 60.0
    memory: int = 2 * GB


@dataclass(frozen=True, slots=True)
class ImageLimits:
    """The limits for images. An image is shrunk to `side` and `bytes`; one beyond the others is rejected."""

    side: int = 1_568
    """The maximum length of the longer side of the result, in pixels. Smaller images are not enlarged."""
    bytes: int = 2 * MB
    """The maximum size of the result, in bytes."""
    pixels: int = 150_000_000
    """The maximum number of pixels of the original image."""
    file_bytes: int = 50 * MB
    seconds: float = 30.0
    memory: int = 2 * GB
