"""Text from documents, and images for vision models: read within limits in a confined process, with page numbers."""

from __future__ import annotations

from collections.abc import Generator, Iterable, Mapping
from contextlib import closing
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Literal, TypeVar

from pydantic import TypeAdapter, ValidationError

from graphwright.text.sentences import one_line
from graphwright_files._process import Process
from graphwright_files.errors import FileError, NotReadable
from graphwright_files.limits import DocumentLimits as DocumentLimits
from graphwright_files.limits import ImageLimits as ImageLimits
from graphwright_files.source import HEAD_BYTES, open_file

__all__ = ["Document", "read_document", "read_documents", "read_image", "DocumentLimits"]

_BYTES_A_CHARACTER = 12
"""The maximum size of a character in the answer of the reading process, in bytes of JSON in ASCII."""


@dataclass(frozen=True, slots=True)
class Part:
    """A part of a document that can be cited.

    `heading` is the path of headings above it, the outermost first; empty if there is none. `page` is its page or
    slide, counted from 1, or None if the format has none. `text` does not include its heading and does not begin or end
    with blanks.
    """

    heading: tuple[str, ...]
    page: int | None
    text: str


@dataclass(frozen=True, slots=True)
class Document:
    """A document that was read. All its text is untrusted: prompts fence it as data."""

    title: str
    """Its title, or its name without the suffix; one line, not empty."""
    kind: str
    """`pdf`, `text`, `table`, `markdown`, `html`, `docx`, `pptx`, `xlsx`, `xlsb`, `xls` or `ods`: by its content."""
    parts: tuple[Part, ...]
    """The parts in reading order. Empty if it has no text (`notes` say why)."""
    cut: str = ""
    """The content that was not read because of a limit, as a sentence; otherwise empty."""
    notes: tuple[str, ...] = ()
    """Other information for people: pages without text, a guessed encoding."""
    metadata: Mapping[str, str] = field(default_factory=dict)
    """Its metadata by lower-case names: `author`, `date`, `language`, ..., from front matter and `meta` elements."""

    @property
    def text(self) -> str:
        """All its text, without headings."""
        return "\n\n".join(part.text for part in self.parts if part.text)


@dataclass(frozen=True, slots=True)
class Picture:
    """An image that was decoded and encoded again: `data` has none of the original bytes, and no metadata."""

    data: bytes
    media_type: Literal["image/jpeg", "image/png"]


_ADAPTERS: dict[Any, TypeAdapter[Any]] = {each: TypeAdapter(each) for each in (Document, Picture)}
_Read = TypeVar("_Read", Document, Picture)


def read_document(path: str | Path, limits: DocumentLimits | None = None) -> Document:
    """The text of a file. Its kind is determined by its content and not by its name.

    It blocks: asynchronous code calls it in a thread. Raises NotReadable, UnusableFile, TooMuch and FilesUnavailable;
    each names the file.
    """
    ((_, found),) = read_documents([path], limits)
    if isinstance(found, FileError):
        raise found
    return found


def read_documents(
    paths: Iterable[str | Path], limits: DocumentLimits | None = None
) -> Generator[tuple[Path, Document | FileError]]:
    """Each given path with its document or error; an unreadable file does not end the iteration.

    Much faster than one call for each file, because the reading process is reused. Close the iterator if you leave it
    before its end. Raises FilesUnavailable.
    """
    limits = limits or DocumentLimits()
    with closing(Process("documents", limits.memory)) as process:
        for path in map(Path, paths):
            try:
                yield path, _read(process, path, limits, Document, _BYTES_A_CHARACTER * limits.characters)
            except FileError as error:
                yield path, error


def read_image(path: str | Path, limits: ImageLimits | None = None) -> Picture:
    """An image for a vision model: rotated upright, shrunk, and encoded again without its metadata.

    Only the first picture of a file is read. It blocks. Raises as `read_document` does.
    """
    limits = limits or ImageLimits()
    with closing(Process("documents", limits.memory)) as process:
        return _read(process, Path(path), limits, Picture, 2 * limits.bytes)


def _read(process: Process, path: Path, limits: DocumentLimits | ImageLimits, wanted: type[_Read], most: int) -> _Read:
    with open_file(path, limits.file_bytes) as (file, _):
        # One byte more than allowed, because a file can grow while it is read.
        content = file.read(limits.file_bytes + 1)[: limits.file_bytes]
    job = {"picture": wanted is Picture, "name": path.name, "limits": asdict(limits)}
    # Text and HTML are far simpler to parse than a PDF, an Office document or another binary file.
    binary = b"\0" in content[:HEAD_BYTES] or b"%PDF-" in content[:2_000] or content[:2] in (b"PK", b"\x1f\x8b")
    try:
        found, data = process.ask(job, content, most, alone=wanted is Picture or binary)
        title = found.get("title") or one_line(path.stem, 200) or "Untitled"
        # The answer of the process is validated, because it is not trusted.
        read: _Read = _ADAPTERS[wanted].validate_python({**found, "title": title, "data": data})
        return read
    except ValidationError:
        error: FileError = NotReadable("unreadable_file", "What was read from it makes no sense.", "Try again.")
    except FileError as raised:
        error = raised
    raise error.of(path) from None
