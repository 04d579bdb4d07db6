"""`read_document()`, `read_documents()` and `read_image()`: files in, text and pictures out."""

from __future__ import annotations

import hashlib
from collections.abc import Generator, Iterable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

from graphwright.files.documents.document import Document, Part, Picture
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


def read_document(path: str | Path, limits: DocumentLimits | None = None) -> Document:
    """The text of a file, by what is in it and not by its name.

    It blocks: asynchronous code calls it in a thread. Raises NotReadable, NotText, TooMuch and FilesUnavailable; each
    names the file.
    """
    limits = limits or DocumentLimits()
    with closing(Process("documents", limits.memory)) as process:
        return _document(process, Path(path), limits)


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
                yield path, _document(process, path, limits)
            except FileError as error:
                yield path, error


def read_image(path: str | Path, limits: ImageLimits | None = None) -> Picture:
    """An image for a model that sees: the right way up, shrunk, and encoded anew without its metadata.

    Of several pictures in a file the first one. It blocks. Raises as `read_document` does.
    """
    limits = limits or ImageLimits()
    given = Path(path)
    content = _content(given, limits.file_bytes)
    job = {"picture": True, "name": given.name, "limits": limits.to_json()}
    with closing(Process("documents", limits.memory)) as process:
        try:
            answer, data = process.ask(job, content, 2 * limits.bytes, alone=True)
            return _picture(answer, data, given, content)
        except FileError as error:
            raise named(error, given) from None


def _document(process: Process, path: Path, limits: DocumentLimits) -> Document:
    content = _content(path, limits.file_bytes)
    job = {"picture": False, "name": path.name, "limits": limits.to_json()}
    try:
        found, _ = process.ask(job, content, _BYTES_A_CHARACTER * limits.characters, alone=_intricate(content))
        with _sense():
            return Document(
                title=str(found["title"]) or one_line(path.stem, 200) or "Untitled",
                kind=str(found["kind"]),
                parts=tuple(Part(tuple(part["heading"]), part["page"], str(part["text"])) for part in found["parts"]),
                cut=str(found["cut"]),
                notes=tuple(map(str, found["notes"])),
                metadata={str(name): str(value) for name, value in found["metadata"].items()},
                pages=found["pages"],
                path=path,
                sha256=hashlib.sha256(content).hexdigest(),
            )
    except FileError as error:
        raise named(error, path) from None


def _intricate(content: bytes) -> bool:
    """Whether it may be a PDF, an Office document or another binary file: text and HTML are far simpler to parse."""
    return content.startswith(_PACKED) or b"%PDF-" in content[:_PDF_WITHIN] or b"\0" in content[:HEAD_BYTES]


def _picture(found: dict[str, Any], data: bytes, path: Path, content: bytes) -> Picture:
    with _sense():
        (width, height), (wide, high) = found["size"], found["original"]
        if found["media_type"] not in ("image/png", "image/jpeg") or not data:
            raise ValueError
        return Picture(
            data=data,
            media_type=found["media_type"],
            width=int(width),
            height=int(height),
            original=(int(wide), int(high)),
            kind=str(found["kind"]),
            notes=tuple(map(str, found["notes"])),
            path=path,
            sha256=hashlib.sha256(content).hexdigest(),
        )


@contextmanager
def _sense() -> Iterator[None]:
    """What the process says is not believed to be what it should be."""
    try:
        yield
    except (LookupError, TypeError, ValueError, AttributeError):
        raise NotReadable("unreadable_file", "what was read from it makes no sense", "Try again.") from None


def _content(path: Path, most: int) -> bytes:
    with opened(path, most) as (file, _):
        # One byte more than there may be: a file can grow while it is read.
        content = file.read(most + 1)
        if not content:
            raise NotText("empty_file", "the file is empty", "Give a file with something in it.")
        return content[:most]
