"""One document or image read: its kind recognised by its content, and the reader for that kind."""

from __future__ import annotations

import io
from collections.abc import Callable, Mapping
from pathlib import PurePath
from typing import Any, NoReturn

from graphwright.files.containers import unpack
from graphwright.files.documents.pictures import READ, read_picture
from graphwright.files.documents.readers import (
    Collector,
    read_html,
    read_markdown,
    read_pdf,
    read_slides,
    read_text,
    read_word,
    read_workbook,
)
from graphwright.files.errors import UnusableFile, reading
from graphwright.files.limits import DocumentLimits, ImageLimits
from graphwright.files.process import serve_reader
from graphwright.files.source import SAVE_ANEW, Kind, kind_of

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
        raise UnusableFile("empty_file", "there is nothing in the file")
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
