"""How much of a file is read, and what reading it may cost."""

from __future__ import annotations

from dataclasses import dataclass

MB, GB = 10**6, 10**9


@dataclass(frozen=True, slots=True)
class Limits:
    """What is beyond `rows`, `columns`, `held_bytes` and `tables` is left out, and the data set says so; what is
    beyond the others is an error."""

    rows: int = 50_000_000
    """Rows of a table that are held. Of a longer one so many are taken, evenly spaced over all of it."""
    columns: int = 10_000
    """Columns of a table that are held: the first ones."""
    held_bytes: int = 10 * GB
    """Bytes of text of a table that are held."""
    tables: int = 50
    """Sheets or tables of a file that are read."""
    file_bytes: int = 10 * GB
    unpacked_bytes: int = 10 * GB
    """Bytes that a packed file may come to."""
    document_bytes: int = 200 * MB
    """Bytes of what can only be read as a whole: a JSON document that is no list of records, an unpacked workbook."""
    seconds: float = 180.0
    """Seconds that reading one file may take, and as many again for each GB of it."""
    memory: int = 6 * GB
    """Bytes of address space that the reading process may take."""

    def rows_held(self, row_bytes: float = 0.0) -> int:
        """How many rows of, on average, so many bytes of text are held."""
        return max(min(self.rows, int(self.held_bytes / row_bytes)) if row_bytes > 0 else self.rows, 1)


@dataclass(frozen=True, slots=True)
class DocumentLimits:
    """What is beyond `pages` and `characters` is left out, and `Document.cut` says so; the others end in an error."""

    pages: int = 2_000
    """Pages of a PDF, slides of a presentation, sheets of a workbook: the first ones."""
    characters: int = 5_000_000
    """Characters of text, the headings included."""
    file_bytes: int = 100 * MB
    unpacked_bytes: int = 300 * MB
    """Bytes that a packed document, or the parts of an Office document, may come to."""
    seconds: float = 60.0
    memory: int = 2 * GB


@dataclass(frozen=True, slots=True)
class ImageLimits:
    """What an image is made to fit (`side`, `bytes`), and what is refused (the others)."""

    side: int = 1_568
    """Pixels of the longer side of what comes out. Smaller images stay as they are."""
    bytes: int = 2 * MB
    """Bytes of what comes out."""
    pixels: int = 150_000_000
    """Pixels of the image as it is: what takes more is not decoded."""
    file_bytes: int = 50 * MB
    seconds: float = 30.0
    memory: int = 2 * GB
