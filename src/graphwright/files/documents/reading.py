"""One document or image read: its kind told by its content, and the reader for that kind."""

from __future__ import annotations

import codecs
import io
import zipfile
from collections.abc import Callable, Mapping
from pathlib import PurePath
from typing import Any, NoReturn

from graphwright.files.containers import unpack
from graphwright.files.documents.document import Collected
from graphwright.files.documents.markup import read_html, read_markdown, read_text
from graphwright.files.documents.office import read_slides, read_word, read_workbook
from graphwright.files.documents.pdf import read_pdf
from graphwright.files.documents.pictures import READ, read_picture
from graphwright.files.errors import NotText, reading
from graphwright.files.kinds import BY_NAME, HEAD_BYTES, Kind, kind_of, suffix_note
from graphwright.files.limits import DocumentLimits, ImageLimits
from graphwright.files.process import serve_reader

_READERS: Mapping[str, Callable[[bytes, Collected], None]] = {
    "pdf": read_pdf,
    "html": read_html,
    "text": read_text,
    "markdown": read_markdown,
    "docx": read_word,
    "pptx": read_slides,
    "xlsx": read_workbook,
    "xlsb": read_workbook,
    "xls": read_workbook,
    "ods": read_workbook,
}
_RATIO = 200
_AS_TEXT = ("text", "json", "xml")
_MARKDOWN = (".md", ".mdx", ".markdown", ".mkd", ".mdown")
_ANY_TEXT = ("text", "markdown", "html")
_TEXT_SUFFIXES = tuple(suffix for name in _AS_TEXT for suffix in BY_NAME[name].suffixes)

_SAVE = BY_NAME["odt"].text_hint
_OTHERWISE = "Give a PDF, text, Markdown, HTML, Word, PowerPoint or Excel file."
_PICTURE = "Give a PNG, JPEG, GIF, WebP, TIFF or BMP file."

# What an OLE file is, by the name of a stream in it.
_STREAMS = (
    ("EncryptedPackage", ""),
    ("WordDocument", "an old Word document (.doc)"),
    ("PowerPoint Document", "an old PowerPoint presentation (.ppt)"),
    ("__substg1.0_", "an Outlook message (.msg)"),
    ("Workbook", "xls"),
    ("Book", "xls"),
)


def document(content: bytes, name: str, limits: DocumentLimits) -> dict[str, Any]:
    """A document as `Collected.to_json` has it. Raises FileError."""
    kind, collected = _kind(content), Collected(limits)
    if kind.name in ("gzip", "zip"):
        out = io.BytesIO()
        with reading(kind.title):
            name = unpack(io.BytesIO(content), kind, out, name, limits.unpacked_bytes, _RATIO)
        content = out.getvalue()
        collected.notes.append(f"It was unpacked from {kind.title}.")
        kind = _kind(content)
    reader = _reader(content, kind, PurePath(name).suffix.lower())
    # Text may be called anything.
    if note := suffix_note(name, kind, _TEXT_SUFFIXES if reader in _ANY_TEXT else ()):
        collected.notes.append(note)
    with reading(kind.title):
        _READERS[reader](content, collected)
    return collected.to_json(reader)


def picture(content: bytes, name: str, limits: ImageLimits) -> tuple[dict[str, Any], bytes]:
    """An image as `read_picture` has it. Raises FileError."""
    kind = _kind(content)
    if kind.name not in READ:
        hint = kind.text_hint if kind.name in ("svg", "heif") else _PICTURE
        raise NotText("not_an_image", f"it is {kind.title}, which is not decoded as an image", hint)
    with reading(kind.title):
        told, data = read_picture(content, kind.name, limits)
    told["notes"] = [*filter(None, [suffix_note(name, kind)]), *told["notes"]]
    return told, data


def main() -> NoReturn:
    """The reading process for documents and images."""

    def read(job: dict[str, Any], content: bytes) -> tuple[dict[str, Any], bytes]:
        if job["picture"]:
            return picture(content, job["name"], ImageLimits(**job["limits"]))
        return document(content, job["name"], DocumentLimits(**job["limits"])), b""

    serve_reader(read)


def _kind(content: bytes) -> Kind:
    kind = kind_of(io.BytesIO(content), content[:HEAD_BYTES])
    # The head of a file may be blank, and the rest of it not.
    if kind.name == "empty" and (rest := content.lstrip(b"\0\t\n\r \xef\xbb\xbf\xff\xfe")):
        kind = kind_of(io.BytesIO(rest), rest[:HEAD_BYTES])
    if kind.name == "empty":
        raise NotText("empty_file", "there is nothing in the file")
    if kind.name == "zip" and not zipfile.is_zipfile(io.BytesIO(content)):
        why = "it begins like a Word, PowerPoint, Excel or zip file, and the rest of it is damaged or missing"
        raise NotText("damaged_file", why)
    # A text about PDF may hold what a PDF begins with.
    if kind.name == "pdf" and not content.startswith(b"%PDF-") and b"startxref" not in content:
        kind = BY_NAME["binary"]
    return BY_NAME["text"] if kind.name == "binary" and _is_text(content[:HEAD_BYTES]) else kind


def _is_text(head: bytes) -> bool:
    """Whether it is UTF-8 all the same, with colours for a terminal perhaps: no other file is by accident."""
    try:
        codecs.getincrementaldecoder("utf-8")().decode(head)
    except UnicodeDecodeError:
        return False
    return b"\0" not in head


def _reader(content: bytes, kind: Kind, suffix: str) -> str:
    """The name of what reads it; raises NotText where nothing does."""
    if kind.name == "xls":
        return _by_stream(content)
    # HTML within Markdown is Markdown.
    plain = kind.name in _AS_TEXT or (kind.name == "html" and b"<html" not in content[:4_000].lower())
    if plain and suffix in _MARKDOWN:
        return "markdown"
    if kind.name in _AS_TEXT:
        return "text"
    if kind.name in _READERS:
        return kind.name
    if kind.name in READ:
        raise NotText("image_file", f"it is {kind.title}: there is no text to read", "Give it as an image.")
    raise NotText("unknown_format", f"it is {kind.title}, which is not read", kind.text_hint or _OTHERWISE)


def _by_stream(content: bytes) -> str:
    what = next((what for stream, what in _STREAMS if stream.encode("utf-16-le") in content), "of an unknown kind")
    if what == "xls":
        return what
    if not what:
        raise NotText("protected_file", "the document is encrypted and opens with a password only")
    raise NotText("unknown_format", f"it is an old Office file: {what}, which is not read", _SAVE)
