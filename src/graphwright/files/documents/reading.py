"""One document or image read: its kind recognised by its content, and the reader for that kind."""

from __future__ import annotations

import codecs
import io
import zipfile
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import PurePath
from typing import Any, NoReturn

from graphwright.files.containers import unpack
from graphwright.files.documents.collector import Collector
from graphwright.files.documents.markup import read_html, read_markdown, read_text
from graphwright.files.documents.office import read_slides, read_word, read_workbook
from graphwright.files.documents.pdf import read_pdf
from graphwright.files.documents.pictures import READ, read_picture
from graphwright.files.errors import UnusableFile, reading
from graphwright.files.limits import DocumentLimits, ImageLimits
from graphwright.files.process import serve_reader
from graphwright.files.source import BY_NAME, HEAD_BYTES, SAVE_ANEW, Kind, kind_of

_READERS: Mapping[str, Callable[[bytes, Collector], None]] = {
    "pdf": read_pdf,
    "html": read_html,
    "text": read_text,
    "markdown": read_markdown,
    "docx": read_word,
    "pptx": read_slides,
    **dict.fromkeys(("xlsx", "xlsb", "xls", "ods"), read_workbook),
}
_AS_TEXT = ("text", "json", "xml")
_MARKDOWN = (".md", ".mdx", ".markdown", ".mkd", ".mdown")
_HINT = "Give a PDF, text, Markdown, HTML, Word, PowerPoint or Excel file."
_IMAGE_HINT = "Give a PNG, JPEG, GIF, WebP, TIFF or BMP file."

_STREAMS = {"EncryptedPackage": "", "WordDocument": "Word document", "PowerPoint Document": "presentation"}
"""What an OLE file is that is no workbook, by the name of a stream in it."""


def main() -> NoReturn:
    """The reading process for documents and images."""

    def read(job: dict[str, Any], content: bytes) -> tuple[dict[str, Any], bytes]:
        if job["picture"]:
            return _picture(content, ImageLimits(**job["limits"]))
        return _document(content, job["name"], DocumentLimits(**job["limits"])), b""

    serve_reader(read)


def _document(content: bytes, name: str, limits: DocumentLimits) -> dict[str, Any]:
    kind, collector = _kind(content), Collector(limits)
    if kind.name in ("gzip", "zip"):
        out = io.BytesIO()
        with reading(kind.title):
            name = unpack(io.BytesIO(content), kind, out, name, limits.unpacked_bytes)
        content = out.getvalue()
        collector.notes.append(f"It was unpacked from {kind.title}.")
        kind = _kind(content)
    reader = _reader(content, kind, PurePath(name).suffix.lower())
    with reading(kind.title):
        _READERS[reader](content, collector)
    return collector.to_json(reader)


def _picture(content: bytes, limits: ImageLimits) -> tuple[dict[str, Any], bytes]:
    kind = _kind(content)
    if kind.name not in READ:
        hint = kind.hint if kind.name == "heif" else _IMAGE_HINT
        raise UnusableFile("not_an_image", f"it is {kind.title}, which is not decoded as an image", hint)
    with reading(kind.title):
        media_type, data = read_picture(content, kind.name, limits)
    return {"media_type": media_type}, data


def _kind(content: bytes) -> Kind:
    kind = kind_of(io.BytesIO(content))
    if kind.name == "empty":
        # The head of a file may be blank, and the rest of it not.
        kind = kind_of(io.BytesIO(content.lstrip(b"\0\t\n\r \xef\xbb\xbf\xff\xfe")))
    if kind.name == "empty":
        raise UnusableFile("empty_file", "there is nothing in the file")
    if kind.name == "zip" and not zipfile.is_zipfile(io.BytesIO(content)):
        why = "it begins like a Word, PowerPoint, Excel or zip file, and the rest of it is damaged or missing"
        raise UnusableFile("damaged_file", why)
    # A text about PDF may hold what a PDF begins with.
    if kind.name == "pdf" and not content.startswith(b"%PDF-") and b"startxref" not in content:
        kind = BY_NAME["binary"]
    if kind.name == "binary" and b"\0" not in content[:HEAD_BYTES]:
        with suppress(UnicodeDecodeError):
            # UTF-8 all the same, with colours for a terminal perhaps: no other file is by accident.
            codecs.getincrementaldecoder("utf-8")().decode(content[:HEAD_BYTES])
            return BY_NAME["text"]
    return kind


def _reader(content: bytes, kind: Kind, suffix: str) -> str:
    """The name of what reads it. Raises UnusableFile where nothing does."""
    if kind.name == "xls":
        found = next((what for name, what in _STREAMS.items() if name.encode("utf-16-le") in content), "workbook")
        if not found:
            raise UnusableFile("protected_file", "the document is encrypted and opens with a password only")
        if found != "workbook":
            raise UnusableFile("unknown_format", f"it is an old {found}, which is not read", SAVE_ANEW)
    # HTML within Markdown is Markdown.
    plain = kind.name in _AS_TEXT or (kind.name == "html" and b"<html" not in content[:4_000].lower())
    if plain and suffix in _MARKDOWN:
        return "markdown"
    if kind.name in READ:
        raise UnusableFile("image_file", f"it is {kind.title}: there is no text to read", "Give it as an image.")
    reader = "text" if kind.name in _AS_TEXT else kind.name
    if reader not in _READERS:
        raise UnusableFile("unknown_format", f"it is {kind.title}, which is not read", kind.hint or _HINT)
    return reader
