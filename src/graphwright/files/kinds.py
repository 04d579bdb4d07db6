"""What a file is, told by its content and never by its name."""

from __future__ import annotations

import re
import zipfile
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Literal

Family = Literal["data", "packed", "document", "image", "other"]

HEAD_BYTES = 1 << 16
"""How much of the beginning of a file its kind is told by."""


@dataclass(frozen=True, slots=True)
class Kind:
    """`title` is for people, with its article; `suffixes` are the usual ones, the first of them the commonest.

    `hint` says to whoever wants a table what to do.
    """

    name: str
    title: str
    suffixes: tuple[str, ...]
    family: Family
    hint: str = ""


_AS_CSV = "Save the table in it as CSV, Excel or Parquet, and give that file."
_DATA = "Give a CSV, Excel, JSON, Parquet or SQLite file."

TEXT = Kind("text", "a text file", (".csv", ".tsv", ".tab", ".psv", ".txt", ".dat"), "data")
JSON = Kind("json", "a JSON file", (".json", ".jsonl", ".ndjson", ".geojson"), "data")
PARQUET = Kind("parquet", "a Parquet file", (".parquet", ".pq"), "data")
SQLITE = Kind("sqlite", "a SQLite database", (".sqlite", ".sqlite3", ".db", ".db3"), "data")
XLSX = Kind("xlsx", "an Excel workbook", (".xlsx", ".xlsm"), "data")
XLSB = Kind("xlsb", "a binary Excel workbook", (".xlsb",), "data")
XLS = Kind("xls", "an old Excel workbook", (".xls",), "data")
ODS = Kind("ods", "an OpenDocument spreadsheet", (".ods",), "data")
GZIP = Kind("gzip", "a gzip file", (".gz", ".gzip", ".tgz"), "packed")
ZIP = Kind("zip", "a zip file", (".zip",), "packed")
EMPTY = Kind("empty", "an empty file", (), "other")
BINARY = Kind("binary", "a binary file of an unknown kind", (), "other", _DATA)
PDF = Kind("pdf", "a PDF document", (".pdf",), "document", _AS_CSV)
WORD = Kind("docx", "a Word document", (".docx",), "document", _AS_CSV)
SLIDES = Kind("pptx", "a PowerPoint presentation", (".pptx",), "document", _AS_CSV)
HTML = Kind("html", "an HTML page", (".html", ".htm"), "document", _AS_CSV)
XML = Kind("xml", "an XML file", (".xml",), "document", _AS_CSV)
RTF = Kind("rtf", "an RTF document", (".rtf",), "document", _AS_CSV)
ODT = Kind("odt", "an OpenDocument text", (".odt",), "document", _AS_CSV)
ODP = Kind("odp", "an OpenDocument presentation", (".odp",), "document", _AS_CSV)
EPUB = Kind("epub", "an EPUB book", (".epub",), "document", _AS_CSV)
PNG = Kind("png", "a PNG image", (".png",), "image", _DATA)
JPEG = Kind("jpeg", "a JPEG image", (".jpg", ".jpeg"), "image", _DATA)
GIF = Kind("gif", "a GIF image", (".gif",), "image", _DATA)
WEBP = Kind("webp", "a WebP image", (".webp",), "image", _DATA)
TIFF = Kind("tiff", "a TIFF image", (".tif", ".tiff"), "image", _DATA)
BMP = Kind("bmp", "a BMP image", (".bmp",), "image", _DATA)
HEIF = Kind("heif", "a HEIC or AVIF image", (".heic", ".heif", ".avif"), "image", _DATA)
SVG = Kind("svg", "an SVG drawing", (".svg",), "image", _DATA)

_UNPACK = "Unpack it, and give the data file in it."
_PARQUET = "Save it as Parquet."
_OTHER = {
    b"ARROW1\0\0": ("arrow", "an Arrow file", _PARQUET),
    b"FEA1": ("feather", "an old Feather file", _PARQUET),
    b"\x89HDF\r\n\x1a\n": ("hdf5", "an HDF5 file", _AS_CSV),
    b"\x93NUMPY": ("npy", "a NumPy array", _AS_CSV),
    b"Obj\x01": ("avro", "an Avro file", _AS_CSV),
    b"BZh": ("bzip2", "a bzip2 file", _UNPACK),
    b"\xfd7zXZ\0": ("xz", "an xz file", _UNPACK),
    b"7z\xbc\xaf\x27\x1c": ("7z", "a 7-Zip archive", _UNPACK),
    b"Rar!\x1a\x07": ("rar", "a RAR archive", _UNPACK),
    b"\x28\xb5\x2f\xfd": ("zstd", "a Zstandard file", _UNPACK),
    b"\x7fELF": ("program", "a program", _DATA),
    b"MZ\x90": ("program", "a program", _DATA),
    b"\x80\x04\x95": ("pickle", "a pickle", "Save it as Parquet: pickles can run code."),
    b"\x80\x05\x95": ("pickle", "a pickle", "Save it as Parquet: pickles can run code."),
}
_MAGIC: dict[bytes, Kind] = {
    b"PAR1": PARQUET,
    b"SQLite format 3\0": SQLITE,
    b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1": XLS,
    b"\x1f\x8b": GZIP,
    b"%PDF-": PDF,
    b"\x89PNG\r\n\x1a\n": PNG,
    b"\xff\xd8\xff": JPEG,
    b"GIF8": GIF,
    b"II*\0": TIFF,
    b"MM\0*": TIFF,
    b"{\\rtf": RTF,
    **{magic: Kind(name, title, (), "other", hint) for magic, (name, title, hint) in _OTHER.items()},
}

_PARTS = {
    "xl/workbook.xml": XLSX,
    "xl/workbook.bin": XLSB,
    "word/document.xml": WORD,
    "ppt/presentation.xml": SLIDES,
}
_MIMETYPES = {
    b"application/vnd.oasis.opendocument.spreadsheet": ODS,
    b"application/vnd.oasis.opendocument.text": ODT,
    b"application/vnd.oasis.opendocument.presentation": ODP,
    b"application/epub+zip": EPUB,
}

_HTML_START = re.compile(
    rb"<(!doctype html|html|head|body|title|meta|link|table|div|p|h[1-6]|main|article|section|ul|ol|script|style)[\s>/]"
)
_PDF_WITHIN = 1_024
"""How far from its beginning a PDF may begin, as readers have it."""


def kind_of(file: Path | IO[bytes], head: bytes) -> Kind:
    """The kind of a regular file that begins with `head` (its first `HEAD_BYTES`). Raises OSError.

    Text is JSON, HTML or XML by its first characters, else `TEXT`: whether a table is in it, only reading it tells.
    """
    if not head.strip(b"\0\t\n\r \xef\xbb\xbf\xff\xfe"):
        return EMPTY
    if head.startswith(b"PK\x03\x04") or head.startswith(b"PK\x05\x06"):
        return _zipped(file)
    for magic, kind in _MAGIC.items():
        if head.startswith(magic):
            return kind
    if head[:4] == b"RIFF" and head[8:12] == b"WEBP":
        return WEBP
    # Two letters may begin a text, too: the header goes on with its size and four zeros.
    if head[:2] == b"BM" and head[6:10] == b"\0\0\0\0":
        return BMP
    if head[4:8] == b"ftyp" and head[8:12] in (b"heic", b"heix", b"mif1", b"msf1", b"avif", b"avis"):
        return HEIF
    kind = _textual(head)
    if kind in (BINARY, TEXT) and re.search(rb"(?:^|[^\x20-\x7e])%PDF-\d", head[:_PDF_WITHIN]):
        return PDF
    return kind


def _zipped(file: Path | IO[bytes]) -> Kind:
    try:
        with zipfile.ZipFile(file) as archive:
            names = set(archive.namelist())
            for part, kind in _PARTS.items():
                if part in names:
                    return kind
            if "mimetype" in names and archive.getinfo("mimetype").file_size < 100:
                with archive.open("mimetype") as kept:
                    told = kept.read(100)
                for mimetype, kind in _MIMETYPES.items():
                    if told.startswith(mimetype):
                        return kind
    except (zipfile.BadZipFile, ValueError, NotImplementedError, RuntimeError, EOFError):
        pass
    return ZIP


def _textual(head: bytes) -> Kind:
    wide = head[:2] in (b"\xff\xfe", b"\xfe\xff") or 0.2 < head[:1_000].count(0) / min(len(head), 1_000) < 0.8
    text = head.replace(b"\0", b"") if wide else head
    # What text never holds: of the characters below the space only these few.
    strange = sum(text.count(bytes([code])) for code in range(32) if code not in (9, 10, 12, 13, 26))
    if strange > len(text) / 100:
        return BINARY
    start = text.lstrip(b"\xef\xbb\xbf\xff\xfe\t\n\r ")[:4_000].lower()
    if _HTML_START.match(start):
        return HTML
    if start.startswith((b"<?xml", b"<!doctype", b"<!--", b"<svg")):
        if re.search(rb"<svg[\s>]", start) and b"<html" not in start:
            return SVG
        # Markdown may begin with a comment, too, and a page with a long one.
        return HTML if b"<html" in start else TEXT if start.startswith(b"<!--") else XML
    return JSON if _like_json(start) else TEXT


def _like_json(start: bytes) -> bool:
    """A JSON document begins with an object or a list; a CSV file may begin with a bracket, too."""
    if start[:1] == b"{":
        return start[1:].lstrip()[:1] in (b'"', b"}", b"")
    rest = start[1:].lstrip()
    return start[:1] == b"[" and (rest[:1] in (b"{", b"[", b"]", b'"', b"") or rest[:1].isdigit() or rest[:1] == b"-")
