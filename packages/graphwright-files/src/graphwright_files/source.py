"""The given file: opened only if it is a regular file, hashed, with its kind and its encoding recognised.

Valid UTF-8 text is read as UTF-8. For other text a byte order mark, or else the guess of charset-normalizer, is used.
"""

from __future__ import annotations

import codecs
import csv
import hashlib
import os
import re
import stat
import zipfile
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from io import BufferedReader
from itertools import chain
from pathlib import Path
from typing import IO

from graphwright_files._notes import Note, note
from graphwright_files.errors import FileError, NotReadable, TooMuch, UnusableFile
from graphwright_files.limits import MB, Limits

__all__ = ["open_file", "kind_of"]


@dataclass(frozen=True, slots=True)
class Source:
    """A regular file: its real path, the SHA-256 of its bytes, and its `state_of` when these were read."""

    path: Path
    sha256: str
    state: tuple[int, int, int, int]


def source(path: str | Path, limits: Limits) -> Source:
    """Examine a file and hash it. Raises NotReadable and TooMuch; each names the file."""
    with open_file(path, limits.file_bytes) as (file, found):
        digest = hashlib.file_digest(file, "sha256").hexdigest()
        real = Path(path).expanduser().resolve()
    return Source(real, digest, state_of(found))


def state_of(found: os.stat_result) -> tuple[int, int, int, int]:
    """The values that show a change of a file: device, inode, size, time."""
    return found.st_dev, found.st_ino, found.st_size, found.st_mtime_ns


@contextmanager
def open_file(path: str | Path, most: int) -> Iterator[tuple[BufferedReader, os.stat_result]]:
    """Open a regular file of at most `most` bytes for reading, with its `stat` result.

    Raises NotReadable and TooMuch; these and every FileError and OSError raised while it is open name the file.
    """
    given = Path(path).expanduser()
    try:
        # Opening a pipe would wait for its writer, and opening a device may have effects.
        _raise_unless_regular(given.stat())
        descriptor = os.open(given, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_CLOEXEC", 0))
        with os.fdopen(descriptor, "rb") as file:
            found = os.fstat(descriptor)
            _raise_unless_regular(found)
            if found.st_size > most:
                why = f"It has {found.st_size / MB:,.0f} MB; files up to {most / MB:,.0f} MB are read."
                raise TooMuch("too_large", why, "Give a part of it, or raise the limit `file_bytes`.")
            yield file, found
    except FileNotFoundError:
        raise NotReadable("missing_file", "There is no such file.", "Check the path.").of(given) from None
    except FileError as error:
        raise error.of(given) from None
    except (OSError, ValueError, RuntimeError) as error:
        why = getattr(error, "strerror", None) or str(error)
        raise NotReadable("unreadable_file", f"It cannot be read ({why}).").of(given) from None


def _raise_unless_regular(found: os.stat_result) -> None:
    if stat.S_ISDIR(found.st_mode):
        raise NotReadable("not_a_file", "It is a folder, not a file.", "Give the files in it.")
    if not stat.S_ISREG(found.st_mode):
        raise NotReadable("not_a_file", "It is a pipe, a socket or a device, not a file.")


HEAD_BYTES = 1 << 16
"""The number of bytes at the beginning of a file that determine its kind."""


@dataclass(frozen=True, slots=True)
class Kind:
    """`title` is for people, with its article; `magic` are its first bytes, if these identify the kind.

    `hint` says how to convert it to a supported file.
    """

    name: str
    title: str
    magic: tuple[bytes, ...] = ()
    hint: str = ""


_DATA = "Give it as a data file, to an agent that works on data."
_AS_CSV = "Save the table in it as CSV, Excel or Parquet, and give that file."
SAVE_ANEW = "Open it, save it as PDF or in a current format (docx, pptx, xlsx, csv), and give that."

_KINDS = (
    Kind("text", "a text file"),
    Kind("json", "a JSON file"),
    Kind("parquet", "a Parquet file", (b"PAR1",), _DATA),
    Kind("sqlite", "a SQLite database", (b"SQLite format 3\0",), _DATA),
    Kind("xlsx", "an Excel workbook"),
    Kind("xlsb", "a binary Excel workbook"),
    Kind("xls", "an old Excel workbook", (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1",)),
    Kind("ods", "an OpenDocument spreadsheet"),
    Kind("gzip", "a gzip file", (b"\x1f\x8b",)),
    Kind("zip", "a zip file"),
    Kind("binary", "a binary file of an unknown kind"),
    Kind("pdf", "a PDF document", (b"%PDF-",), _AS_CSV),
    Kind("docx", "a Word document", (), _AS_CSV),
    Kind("pptx", "a PowerPoint presentation", (), _AS_CSV),
    Kind("html", "an HTML page", (), _AS_CSV),
    Kind("xml", "an XML file", (), _AS_CSV),
    Kind("rtf", "an RTF document", (b"{\\rtf",), SAVE_ANEW),
    Kind("odt", "an OpenDocument text or an e-book", (), SAVE_ANEW),
    Kind("png", "a PNG image", (b"\x89PNG\r\n\x1a\n",)),
    Kind("jpeg", "a JPEG image", (b"\xff\xd8\xff",)),
    Kind("gif", "a GIF image", (b"GIF8",)),
    Kind("webp", "a WebP image"),
    Kind("tiff", "a TIFF image", (b"II*\0", b"MM\0*")),
    Kind("bmp", "a BMP image"),
    Kind("heif", "a HEIC or AVIF image", (), "Save it as JPEG or PNG, and give that one."),
    Kind("hdf5", "an HDF5 file", (b"\x89HDF\r\n\x1a\n",), _AS_CSV),
    Kind("pickle", "a pickle", (b"\x80\x04\x95", b"\x80\x05\x95"), "Save it as Parquet: pickles can run code."),
)
BY_NAME = {kind.name: kind for kind in _KINDS}

_PARTS = {
    "xl/workbook.xml": "xlsx",
    "xl/workbook.bin": "xlsb",
    "word/document.xml": "docx",
    "ppt/presentation.xml": "pptx",
}
_HTML_START = re.compile(
    rb"<(!doctype html|html|head|body|title|meta|link|table|div|p|h[1-6]|main|article|section|ul|ol|script|style)[\s>/]"
)
_TAG = re.compile(rb"<(/?)([a-z][a-z0-9]*)(?=[\s>/])")
SEPARATORS = "\t;|,"
"""The separators of cells in text tables. If two fit equally well, the first one is used."""

_JSON_START = re.compile(rb'\{\s*(?:["}]|\Z)|\[\s*(?:[{\[\]"\d-]|\Z)')
"""A JSON document begins with an object or a list; a CSV file may begin with a bracket, too."""

_BLANK = b"\0\t\n\r \xef\xbb\xbf\xff\xfe"
_CONTROL = re.compile(rb"[\x00-\x08\x0b\x0e-\x19\x1b-\x1f]")
_PDF_START = re.compile(rb"(?:^|[^\x20-\x7e])%PDF-\d")
_PDF_WITHIN = 1_024
"""The maximum offset at which a PDF may begin, as in PDF readers."""


def kind_of(file: IO[bytes]) -> Kind:
    """The kind of a file by its beginning. Raises OSError, and UnusableFile if it is blank or a damaged zip file.

    Text is JSON, HTML or XML by its first characters, otherwise `text`: reading it shows whether it contains a table.
    Rows of cells are `text`, whatever the first cell contains.
    """
    file.seek(0)
    # A file may begin with blank blocks.
    while (head := file.read(HEAD_BYTES)) and not head.strip(_BLANK):
        pass
    if not head:
        raise UnusableFile("empty_file", "There is no text and no table in it.")
    return BY_NAME[_zipped(file) if head.startswith((b"PK\x03\x04", b"PK\x05\x06")) else _name(head)]


def _name(head: bytes) -> str:
    for kind in _KINDS:
        if kind.magic and head.startswith(kind.magic):
            return kind.name
    if head[:4] == b"RIFF" and head[8:12] == b"WEBP":
        return "webp"
    # Two letters may also begin a text: the header continues with its size and four zeros.
    if head[:2] == b"BM" and head[6:10] == b"\0\0\0\0":
        return "bmp"
    if head[4:8] == b"ftyp" and head[8:12] in (b"heic", b"heix", b"mif1", b"msf1", b"avif", b"avis"):
        return "heif"
    name = _textual(head)
    # A text about PDF may contain the beginning of a PDF, but seldom its objects.
    is_pdf = name in ("binary", "text") and _PDF_START.search(head[:_PDF_WITHIN]) and b" obj" in head
    return "pdf" if is_pdf else name


def _zipped(file: IO[bytes]) -> str:
    try:
        with zipfile.ZipFile(file) as archive:
            names = set(archive.namelist())
            for part, kind in _PARTS.items():
                if part in names:
                    return kind
            if "mimetype" in names and archive.getinfo("mimetype").file_size < 100:
                with archive.open("mimetype") as kept:
                    return "ods" if b"opendocument.spreadsheet" in kept.read(100) else "odt"
    except (zipfile.BadZipFile, ValueError, NotImplementedError, RuntimeError, EOFError):
        why = "It begins like a Word, PowerPoint, Excel or zip file, and the rest of it is damaged or missing."
        raise UnusableFile("damaged_file", why) from None
    return "zip"


def _textual(head: bytes) -> str:
    text = head.replace(b"\0", b"") if head[:2] in (b"\xff\xfe", b"\xfe\xff") else head
    # Text seldom has control characters. If it does, perhaps for the colours of a terminal, it is UTF-8.
    if len(_CONTROL.findall(text)) > len(text) / 100 and (b"\0" in text or not _is_utf8(text)):
        return "binary"
    text = text.lstrip(_BLANK).lower()
    start = text[:4_000]
    if start.startswith(b"<") and _is_table(text, whole=len(head) < HEAD_BYTES):
        return "text"
    if _HTML_START.match(start):
        # A page has more of them than one, which could be the name of a column.
        return "html" if start.startswith(b"<!doctype") or len(_TAG.findall(text)) > 1 else "text"
    if start.startswith((b"<?xml", b"<!doctype", b"<!--", b"<svg")):
        # Markdown may also begin with a comment, and a page with a long one.
        return "html" if b"<html" in start else "text" if start.startswith(b"<!--") else "xml"
    return "json" if _JSON_START.match(start) else "text"


def _is_table(text: bytes, *, whole: bool) -> bool:
    """Whether lines that begin with a tag are rows of equally many cells.

    No element may span several cells.

    The last line counts only if the text is `whole`.
    """
    lines = text.decode("latin-1").splitlines()
    lines = [line for line in (lines if whole else lines[:-1]) if line.strip()]
    for separator in SEPARATORS:
        try:
            rows = list(csv.reader(lines, delimiter=separator))
        except csv.Error:
            continue
        if len(rows) > 1 and len(rows[0]) > 1 and len({len(row) for row in rows}) == 1:
            return not any(_reaches_out(cell) for row in rows for cell in row)
    return False


def _reaches_out(cell: str) -> bool:
    """Whether a cell closes an element that it does not open."""
    tags = _TAG.findall(cell.encode("latin-1"))
    opened, closed = (Counter(name for end, name in tags if bool(end) is which) for which in (False, True))
    return bool(closed - opened)


def _is_utf8(head: bytes) -> bool:
    """Whether it is UTF-8; its last character may be cut."""
    try:
        codecs.getincrementaldecoder("utf-8")().decode(head)
    except UnicodeDecodeError:
        return False
    return True


_CHUNK = 1 << 22
_BOMS = {
    codecs.BOM_UTF32_LE: "utf-32",
    codecs.BOM_UTF32_BE: "utf-32",
    codecs.BOM_UTF8: "utf-8-sig",
    codecs.BOM_UTF16_LE: "utf-16",
    codecs.BOM_UTF16_BE: "utf-16",
}
_SAMPLE = 1 << 16
"""The maximum size of the non-ASCII lines from which an encoding is guessed, in bytes."""

_HIGH_RUN = re.compile(rb"[\x80-\xff]+")
_BEYOND_ASCII = re.compile(r"[^\x00-\x7f]")
_NOT_CP1252 = re.compile(rb"[\x81\x8d\x8f\x90\x9d]")
_EXCLUDED = ["utf_16", "utf_16_be", "utf_16_le", "utf_32", "utf_7"]


def as_utf8(path: Path, into: Path) -> tuple[Path, list[Note]]:
    """The path of the text as UTF-8, and notes. It is written to `into` only if the file is not UTF-8."""
    encoding, found = _encoding(_chunks(path))
    if not encoding:
        return path, []
    decoder = codecs.getincrementaldecoder(encoding)(errors="replace")
    with into.open("wb") as out:
        for chunk in chain(_chunks(path), (b"",)):
            # Half a character of UTF-16 has no representation in UTF-8.
            out.write(decoder.decode(chunk, final=not chunk).encode("utf-8", errors="replace"))
    return into, found


def decoded(content: bytes) -> tuple[str, str]:
    """The text of a whole file in memory, and a note on its encoding; the note is empty for valid UTF-8."""
    encoding, found = _encoding(iter((content,)))
    text = content.decode(encoding or "utf-8-sig", errors="replace").removeprefix("\ufeff")
    return text.encode("utf-8", errors="replace").decode("utf-8"), "".join(each.text for each in found)


def _encoding(chunks: Iterator[bytes]) -> tuple[str, list[Note]]:
    """The encoding, and a note on it; empty for valid UTF-8."""
    head = next(chunks, b"")
    marked = next((name for mark, name in _BOMS.items() if head.startswith(mark)), "")
    if marked not in ("", "utf-8-sig"):
        name = marked[:6].upper()
        return marked, [note("encoding", encoding=name)]
    decoder = codecs.getincrementaldecoder("utf-8")()
    for chunk in chain((head,), chunks, (b"",)):
        try:
            if not chunk.isascii() or not chunk or decoder.getstate()[0]:
                decoder.decode(chunk, final=not chunk)
        except UnicodeDecodeError:
            break
    else:
        return "", []
    sample = b"\n".join(line for line in chunk[: 16 * _SAMPLE].splitlines() if not line.isascii())[:_SAMPLE]
    text = sample.decode("utf-8", errors="replace")
    # A few broken bytes among many valid characters do not mean another encoding.
    if marked or 20 * text.count("\ufffd") <= len(_BEYOND_ASCII.findall(text)):
        return "utf-8-sig", [note("broken_bytes")]
    guess = _likeliest(sample)
    return guess, [note("encoding_guess", encoding=guess)]


def _likeliest(sample: bytes) -> str:
    from charset_normalizer import from_bytes

    runs = _HIGH_RUN.findall(sample)
    # Western letters beyond ASCII occur singly among others; in other scripts they form words.
    western = sum(map(len, runs)) < 1.7 * max(len(runs), 1)
    best = None if western else from_bytes(sample, cp_exclusion=_EXCLUDED).best()
    if best and best.encoding not in ("utf_8", "ascii"):
        return best.encoding
    return "latin-1" if _NOT_CP1252.search(sample) else "cp1252"


def _chunks(path: Path) -> Iterator[bytes]:
    with path.open("rb") as file:
        while chunk := file.read(_CHUNK):
            yield chunk
