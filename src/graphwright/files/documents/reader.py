"""`read_document()`, `read_documents()` and `read_image()`: files in, text and pictures out."""

from __future__ import annotations

import hashlib
from collections.abc import Generator, Iterable
from contextlib import closing
from pathlib import Path
from typing import Any, TypeVar

from pydantic import TypeAdapter, ValidationError

from graphwright.files.documents.document import Document, Picture
from graphwright.files.errors import FileError, NotReadable, NotText
from graphwright.files.kinds import HEAD_BYTES
from graphwright.files.limits import DocumentLimits, ImageLimits
from graphwright.files.naming import one_line
from graphwright.files.process import Process
from graphwright.files.source import named, opened

_BYTES_A_CHARACTER = 12
"""What a character takes at most in the answer of the reading process, as JSON in ASCII."""

_PDF_WITHIN = 2_000
_PACKED = (b"PK", b"\x1f\x8b", b"\xd0\xcf\x11\xe0")

_ADAPTERS: dict[Any, TypeAdapter[Any]] = {each: TypeAdapter(each) for each in (Document, Picture)}

Found = TypeVar("Found", Document, Picture)


def read_document(path: str | Path, limits: DocumentLimits | None = None) -> Document:
    """The text of a file, by what is in it and not by its name.

    It blocks: asynchronous code calls it in a thread. Raises NotReadable, NotText, TooMuch and FilesUnavailable; each
    names the file.
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


def _read(process: Process, path: Path, limits: DocumentLimits | ImageLimits, wanted: type[Found], most: int) -> Found:
    with opened(path, limits.file_bytes) as (file, _):
        # One byte more than there may be: a file can grow while it is read.
        content = file.read(limits.file_bytes + 1)[: limits.file_bytes]
        if not content:
            raise NotText("empty_file", "the file is empty")
    job = {"picture": wanted is Picture, "name": path.name, "limits": limits.to_json()}
    try:
        found, data = process.ask(job, content, most, alone=wanted is Picture or _is_intricate(content))
        own: dict[str, Any] = {"path": path, "sha256": hashlib.sha256(content).hexdigest(), "data": data}
        own["title"] = found.get("title") or one_line(path.stem, 200) or "Untitled"
        # What the process says is not believed to be what it should be.
        read: Found = _ADAPTERS[wanted].validate_python({**found, **own})
        return read
    except ValidationError:
        error: FileError = NotReadable("unreadable_file", "what was read from it makes no sense", "Try again.")
    except FileError as raised:
        error = raised
    raise named(error, path) from None


def _is_intricate(content: bytes) -> bool:
    """Whether it may be a PDF, an Office document or another binary file: text and HTML are far simpler to parse."""
    return content.startswith(_PACKED) or b"%PDF-" in content[:_PDF_WITHIN] or b"\0" in content[:HEAD_BYTES]
