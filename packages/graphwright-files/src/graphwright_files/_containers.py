"""Files that contain files: the data file in a gzip or zip file, the parts of Office files, sheets and their cells.

Unpacked bytes are counted during unpacking, because the sizes in a packed file are not trusted.
"""

from __future__ import annotations

import copy
import datetime
import gzip
import os
import re
import zipfile
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path, PurePath
from typing import IO, Any

from python_calamine import PasswordError, SheetTypeEnum, SheetVisibleEnum, load_workbook

from graphwright.text.sentences import many
from graphwright_files.errors import TooMuch, UnusableFile, few, reading
from graphwright_files.limits import MB
from graphwright_files.source import Kind

_CHUNK = 1 << 20
_RATIO, _RATIO_FROM = 200, 50 * MB
"""The maximum ratio of unpacked to packed size, and the unpacked size in bytes from which it is checked."""

_MOST_PARTS = 50_000
_Range = tuple[tuple[int, int], tuple[int, int]]
"""Merged cells: the first and the last row and column."""

_EXACT = 2**53
_BY_SYSTEMS = re.compile(r"^__MACOSX/|(^|/)(\.DS_Store|Thumbs\.db|desktop\.ini)$")
"""Files that operating systems add to folders."""


def unpack(file: IO[bytes], kind: Kind, out: IO[bytes], name: str, most: int) -> str:
    """Unpack a gzip file, or the only file in a zip file, into `out`. Returns the name of the unpacked file.

    Raises UnusableFile if it has none or more than one, is encrypted or damaged, and TooMuch as `_counted` does.
    """
    with reading(kind.title):
        if kind.name == "gzip":
            size = file.seek(0, os.SEEK_END)
            file.seek(0)
            out.writelines(_counted([gzip.GzipFile(fileobj=file)], size, most))
            return PurePath(name).stem
        with zipfile.ZipFile(file) as archive:
            parts = [part for part in archive.infolist() if not part.is_dir() and not _BY_SYSTEMS.search(part.filename)]
            if len(parts) != 1:
                names = few([part.filename for part in parts], 3)
                holds = f"holds {many(len(parts), 'file')} ({names})" if parts else "holds no file"
                raise UnusableFile("several_files" if parts else "empty_file", f"The zip file {holds}.")
            out.writelines(_counted([_open_part(archive, parts[0])], parts[0].compress_size, most))
            return parts[0].filename


def measure(file: IO[bytes], most: int) -> None:
    """Unpack every part of an Office file without keeping it.

    Raises UnusableFile if it is encrypted, TooMuch as `_counted` does, and the errors of the library.
    """
    with zipfile.ZipFile(file) as archive:
        parts = [part for part in archive.infolist() if not part.is_dir()]
        if len(parts) > _MOST_PARTS:
            raise TooMuch("zip_bomb", f"It is packed of {many(len(parts), 'file')}.", "Save it again.")
        opened = (_open_part(archive, part) for part in parts)
        for _ in _counted(opened, sum(part.compress_size for part in parts), most):
            pass


@dataclass(frozen=True, slots=True)
class Sheet:
    """A sheet of a workbook with this number of `sheets`. Its rows are the saved values: no formula is evaluated."""

    name: str
    merged: bool
    """Whether some of its cells are merged; False if the format does not say. Each merged cell has the value."""
    hidden: bool
    """Whether the sheet is hidden from people who open the workbook."""
    sheets: int
    rows: Iterator[list[Any]]


def sheets(file: Path | BytesIO) -> Iterator[Sheet]:
    """The sheets with cells of a workbook. Raises UnusableFile if it is protected, and the errors of the library."""
    try:
        with load_workbook(file) as book:
            found = [sheet for sheet in book.sheets_metadata if sheet.typ == SheetTypeEnum.WorkSheet]
            for each in found:
                sheet = book.get_sheet_by_name(each.name)
                merged = sheet.merged_cell_ranges or []
                rows = _with_merged(sheet.iter_rows(), merged)
                hidden = each.visible != SheetVisibleEnum.Visible
                yield Sheet(each.name, bool(merged), hidden, len(found), rows)
    except PasswordError:
        raise UnusableFile("protected_file", "The workbook is encrypted and opens with a password only.") from None


def _with_merged(rows: Iterable[list[Any]], merged: Sequence[_Range]) -> Iterator[list[Any]]:
    """The rows with the value of merged cells in each of them; a title over its whole row stays one cell."""
    starting: dict[int, list[_Range]] = {}
    for each in merged:
        starting.setdefault(each[0][0], []).append(each)
    open_ranges: list[tuple[_Range, Any]] = []
    for place, row in enumerate(rows):
        alone = sum(cell != "" for cell in row) < 2
        new = [(each, row[each[0][1]]) for each in starting.get(place, ()) if each[0][1] < len(row)]
        open_ranges += [each for each in new if not (alone and each[0][0][1] < each[0][1][1])]
        for ((_, left), (_, right)), value in open_ranges:
            row[left : right + 1] = [value] * (min(right + 1, len(row)) - left)
        open_ranges = [each for each in open_ranges if each[0][1][0] > place]
        yield row


def cell_text(value: Any) -> str:
    """A value of a workbook or a database as text. Numbers and times can be read back without loss."""
    if value is None or value != value:
        return ""
    if isinstance(value, str):
        return value.encode("utf-8", errors="replace").decode("utf-8").replace("\0", "")
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, float) and value.is_integer() and abs(value) < _EXACT:
        return str(int(value))
    if isinstance(value, datetime.timedelta):
        return str(value.total_seconds())
    return value.hex() if isinstance(value, bytes) else str(value)


def _open_part(archive: zipfile.ZipFile, part: zipfile.ZipInfo) -> IO[bytes]:
    """Open a part, reading to the end of its packed data and not only to its declared size."""
    if part.flag_bits & 0x1:
        raise UnusableFile("protected_file", "The file is encrypted.")
    endless = copy.copy(part)
    endless.file_size = 1 << 40
    return archive.open(endless)


def _counted(parts: Iterable[IO[bytes] | gzip.GzipFile], size: int, most: int) -> Iterator[bytes]:
    """The content of parts that are packed in `size` bytes. Raises TooMuch beyond `most`, or 200 times `size`."""
    total = 0
    for part in parts:
        with part:
            while chunk := part.read(_CHUNK):
                total += len(chunk)
                if total > min(most, max(_RATIO_FROM, _RATIO * size)):
                    code = "zip_bomb" if total > _RATIO * size else "too_large"
                    why = f"Its {size:,} bytes unpack to more than {total - len(chunk):,}, which is beyond the limit."
                    raise TooMuch(code, why, "Give what matters in it alone: text as PDF, a table as CSV or Parquet.")
                yield chunk
