"""Text out of documents, and images for models that see: read within limits in a confined process, pages kept."""

from __future__ import annotations

from collections.abc import Generator, Iterable, Mapping
from contextlib import closing
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Literal, TypeVar

from pydantic import TypeAdapter, ValidationError

from graphwright.files.errors import FileError, NotReadable
from graphwright.files.limits import DocumentLimits as DocumentLimits
from graphwright.files.limits import ImageLimits as ImageLimits
from graphwright.files.process import Process
from graphwright.files.source import HEAD_BYTES, opened
from graphwright.text.sentences import one_line

_BYTES_A_CHARACTER = 12
"""What a character takes at most in the answer of the reading process, as JSON in ASCII."""


@dataclass(frozen=True, slots=True)
class Part:
    """A part of a document that can be cited.

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
    """`pdf`, `text`, `table`, `markdown`, `html`, `docx`, `pptx`, `xlsx`, `xlsb`, `xls` or `ods`: by its content."""
    parts: tuple[Part, ...]
    """In reading order. Empty where there is no text in it at all (`notes` say why)."""
    cut: str = ""
    """What of it was not read because of a limit, as a sentence; empty where nothing was."""
    notes: tuple[str, ...] = ()
    """What else people should know: pages without text, a guessed encoding."""
    metadata: Mapping[str, str] = field(default_factory=dict)
    """What it says of itself, by lower-case names: `author`, `date`, `language`, ..., front matter, `meta` elements."""

    @property
    def text(self) -> str:
        """All its text, without headings."""
        return "\n\n".join(part.text for part in self.parts if part.text)


@dataclass(frozen=True, slots=True)
class Picture:
    """An image that was decoded and encoded anew: nothing of the original bytes, and no metadata, is in `data`."""

    data: bytes
    media_type: Literal["image/jpeg", "image/png"]


_ADAPTERS: dict[Any, TypeAdapter[Any]] = {each: TypeAdapter(each) for each in (Document, Picture)}
_Read = TypeVar("_Read", Document, Picture)


def read_document(path: str | Path, limits: DocumentLimits | None = None) -> Document:
    """The text of a file, by what is in it and not by its name.

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
    """Each path as it was given, with what is in it or why it cannot be read; one bad file does not end it.

    Much faster than one call a file: the reading process stays. Close the iterator where it is left before its end.
    Raises FilesUnavailable.
    """
    limits = limits or DocumentLimits()
    with closing(Process("documents", limits.memory)) as process:
        for path in map(Path, paths):
            try:
                yield path, _read(process, path, limits, Document, _BYTES_A_CHARACTER * limits.characters)
            except FileError as error:
                yield path, error


def read_image(path: str | Path, limits: ImageLimits | None = None) -> Picture:
    """An image for a model that sees: the right way up, shrunk, and encoded anew without its metadata.

    Of several pictures in a file the first one. It blocks. Raises as `read_document` does.
    """
    limits = limits or ImageLimits()
    with closing(Process("documents", limits.memory)) as process:
        return _read(process, Path(path), limits, Picture, 2 * limits.bytes)


def _read(process: Process, path: Path, limits: DocumentLimits | ImageLimits, wanted: type[_Read], most: int) -> _Read:
    with opened(path, limits.file_bytes) as (file, _):
        # One byte more than there may be: a file can grow while it is read.
        content = file.read(limits.file_bytes + 1)[: limits.file_bytes]
    job = {"picture": wanted is Picture, "name": path.name, "limits": asdict(limits)}
    # Text and HTML are far simpler to parse than a PDF, an Office document or another binary file.
    binary = b"\0" in content[:HEAD_BYTES] or b"%PDF-" in content[:2_000] or content[:2] in (b"PK", b"\x1f\x8b")
    try:
        found, data = process.ask(job, content, most, alone=wanted is Picture or binary)
        title = found.get("title") or one_line(path.stem, 200) or "Untitled"
        # What the process says is not believed to be what it should be.
        read: _Read = _ADAPTERS[wanted].validate_python({**found, "title": title, "data": data})
        return read
    except ValidationError:
        error: FileError = NotReadable("unreadable_file", "what was read from it makes no sense", "Try again.")
    except FileError as raised:
        error = raised
    raise error.of(path) from None
