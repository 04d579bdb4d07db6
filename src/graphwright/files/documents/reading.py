"""One document or image read: its kind told by its content, and the reader for that kind."""

from __future__ import annotations

import codecs
import io
import zipfile
from collections.abc import Callable, Mapping
from pathlib import PurePath
from typing import Any

from graphwright.files import kinds
from graphwright.files.documents.collecting import Collected
from graphwright.files.documents.markup import read_html, read_markdown, read_text
from graphwright.files.documents.office import protected, read_slides, read_word, read_workbook
from graphwright.files.documents.pdf import read_pdf
from graphwright.files.documents.pictures import READ, read_picture
from graphwright.files.errors import NotData, NotText
from graphwright.files.kinds import HEAD_BYTES, Kind, kind_of
from graphwright.files.limits import DocumentLimits, ImageLimits
from graphwright.files.unpacking import unpack

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
_TEXT_SUFFIXES = frozenset(suffix for kind in (kinds.TEXT, kinds.JSON, kinds.XML) for suffix in kind.suffixes)
_KNOWN_SUFFIXES = frozenset(
    suffix for kind in vars(kinds).values() if isinstance(kind, Kind) for suffix in kind.suffixes
)

_SAVE = "Open it, save it as PDF or in a current format (docx, pptx, xlsx), and give that."
_HINTS = {
    "rtf": _SAVE,
    "odt": _SAVE,
    "odp": _SAVE,
    "epub": "Convert it to PDF or HTML, and give that.",
    "svg": "Export it as PNG, and give that as an image.",
    "heif": "Save it as JPEG or PNG, and give that as an image.",
    "parquet": "Give it as a data file, to an agent that works on data.",
    "sqlite": "Give it as a data file, to an agent that works on data.",
}
_OTHERWISE = "Give a PDF, text, Markdown, HTML, Word, PowerPoint or Excel file."

# What an OLE file is, by the name of a stream in it.
_STREAMS: tuple[tuple[str, str], ...] = (
    ("EncryptedPackage", "protected"),
    ("WordDocument", "an old Word document (.doc)"),
    ("PowerPoint Document", "an old PowerPoint presentation (.ppt)"),
    ("__substg1.0_", "an Outlook message (.msg)"),
    ("Workbook", "xls"),
    ("Book", "xls"),
)


def document(content: bytes, name: str, limits: DocumentLimits) -> dict[str, Any]:
    """A document as `Collected.to_json` has it. Raises FileError, and what a parser raises that stumbles."""
    kind, collected = _kind(content), Collected(limits)
    if kind in (kinds.GZIP, kinds.ZIP):
        content, name = _unpacked(content, kind, name, limits)
        collected.notes.append(f"It was unpacked from {kind.title}.")
        kind = _kind(content)
    reader = _reader(content, kind, PurePath(name).suffix.lower())
    if note := _suffix_note(name, kind, reader):
        collected.notes.append(note)
    _READERS[reader](content, collected)
    return collected.to_json(reader)


def picture(content: bytes, name: str, limits: ImageLimits) -> tuple[dict[str, Any], bytes]:
    """An image as `read_picture` has it. Raises FileError, and what a parser raises that stumbles."""
    kind = _kind(content)
    if kind.name not in READ:
        hint = _HINTS.get(kind.name, "") if kind.family == "image" else "Give a PNG, JPEG, GIF, WebP, TIFF or BMP file."
        raise NotText("not_an_image", f"it is {kind.title}, which is not decoded as an image", hint)
    told, data = read_picture(content, kind.name, limits)
    if note := _suffix_note(name, kind, kind.name):
        told["notes"].insert(0, note)
    return told, data


def _unpacked(content: bytes, kind: Kind, name: str, limits: DocumentLimits) -> tuple[bytes, str]:
    """The only document in a packed file, and its name."""
    out = io.BytesIO()
    try:
        inner = unpack(io.BytesIO(content), kind, out, name, limits.unpacked_bytes, _RATIO)
    except NotData as error:
        raise NotText(error.code, error.message, error.hint) from None
    return out.getvalue(), inner


def _kind(content: bytes) -> Kind:
    kind = kind_of(io.BytesIO(content), content[:HEAD_BYTES])
    # The head of a file may be blank, and the rest of it not.
    if kind is kinds.EMPTY and (rest := content.lstrip(b"\0\t\n\r \xef\xbb\xbf\xff\xfe")):
        kind = kind_of(io.BytesIO(rest), rest[:HEAD_BYTES])
    if kind is kinds.EMPTY:
        raise NotText("empty_file", "there is nothing in the file", "Give a file with something in it.")
    if kind is kinds.ZIP and not zipfile.is_zipfile(io.BytesIO(content)):
        raise NotText(
            "damaged_file",
            "it begins like a Word, PowerPoint, Excel or zip file, and the rest of it is damaged or missing",
            "Get the file once more.",
        )
    # A text about PDF may hold what a PDF begins with.
    if kind is kinds.PDF and not content.startswith(b"%PDF-") and b"startxref" not in content:
        kind = kinds.BINARY
    return kinds.TEXT if kind is kinds.BINARY and _is_text(content[:HEAD_BYTES]) else kind


def _is_text(head: bytes) -> bool:
    """Whether it is UTF-8 all the same, with colours for a terminal perhaps: no other file is by accident."""
    try:
        codecs.getincrementaldecoder("utf-8")().decode(head)
    except UnicodeDecodeError:
        return False
    return b"\0" not in head


def _reader(content: bytes, kind: Kind, suffix: str) -> str:
    """The name of what reads it; raises NotText where nothing does."""
    if kind is kinds.XLS:
        return _by_stream(content)
    if kind.name in _AS_TEXT:
        return "markdown" if suffix in _MARKDOWN else "text"
    # HTML within Markdown is Markdown.
    if kind is kinds.HTML and suffix in _MARKDOWN and b"<html" not in content[:4_000].lower():
        return "markdown"
    if kind.name in _READERS:
        return kind.name
    if kind.name in READ:
        raise NotText("image_file", f"it is {kind.title}: there is no text to read", "Give it as an image.")
    raise NotText("unknown_format", f"it is {kind.title}, which is not read", _HINTS.get(kind.name, _OTHERWISE))


def _by_stream(content: bytes) -> str:
    for stream, what in _STREAMS:
        if stream.encode("utf-16-le") in content:
            if what == "protected":
                raise protected("document")
            if what == "xls":
                return what
            raise NotText("unknown_format", f"it is {what}, which is not read", _SAVE)
    raise NotText("unknown_format", "it is an old Office file of an unknown kind", _SAVE)


def _suffix_note(name: str, kind: Kind, reader: str) -> str:
    """The note on a name that says something else than the content. Text may be called anything."""
    suffix = PurePath(name).suffix.lower()
    if suffix not in _KNOWN_SUFFIXES or suffix in kind.suffixes or (reader in _ANY_TEXT and suffix in _TEXT_SUFFIXES):
        return ""
    return f"The name ends in {suffix}, but the content is {kind.title}; it was read as that."
