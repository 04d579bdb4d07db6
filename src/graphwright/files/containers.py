"""Files that hold files: the one data file in a gzip or zip file, the parts of Office files, the sheets of workbooks.

What unpacks is counted meanwhile: what a packed file says of its own sizes is not believed.
"""

from __future__ import annotations

import copy
import gzip
import zipfile
from collections.abc import Iterator
from io import BytesIO
from pathlib import Path, PurePath
from typing import IO, Any

from python_calamine import PasswordError, SheetTypeEnum, SheetVisibleEnum, load_workbook

from graphwright.files.errors import NotData, TooMuch
from graphwright.files.kinds import Kind
from graphwright.files.limits import MB
from graphwright.files.naming import few

_CHUNK = 1 << 20
_RATIO_FROM = 50 * MB
_MOST_PARTS = 50_000
_REST = ("__MACOSX/", ".DS_Store", "Thumbs.db", "desktop.ini")


def unpack(file: Path | BytesIO, kind: Kind, out: IO[bytes], name: str, most: int, ratio: int) -> str:
    """Unpack a gzip file, or the only file in a zip file, into `out`; the name of what was in it.

    Raises NotData where there is none, more than one, or it is encrypted; TooMuch where it comes to more than `most`
    bytes, or to more than `ratio` times its size once it comes to 50 MB; and what the libraries raise.
    """
    if kind.name == "gzip":
        size = file.stat().st_size if isinstance(file, Path) else len(file.getvalue())
        with gzip.open(file) as packed:
            _copy(packed, out, size, most, ratio)
        return PurePath(name).stem
    with zipfile.ZipFile(file) as archive:
        held = [each for each in archive.infolist() if not each.is_dir() and not _is_rest(each.filename)]
        if not held:
            raise NotData("empty_file", "the zip file holds no file")
        if len(held) > 1:
            names = few([each.filename for each in held], 3)
            raise NotData("several_files", f"the zip file holds {len(held):,} files ({names})")
        with _opened(archive, held[0]) as inner:
            _copy(inner, out, held[0].compress_size, most, ratio)
        return held[0].filename


def weighed(file: Path | IO[bytes], most: int, ratio: int) -> Iterator[tuple[str, bytes]]:
    """Unpack every part of an Office file without keeping it: the chunks of each with its name.

    Raises NotData where it is encrypted, TooMuch where it comes to more than `most` bytes, and what the library raises.
    """
    total = 0
    with zipfile.ZipFile(file) as archive:
        parts = [part for part in archive.infolist() if not part.is_dir()]
        size = sum(part.compress_size for part in parts)
        if len(parts) > _MOST_PARTS:
            raise TooMuch("zip_bomb", f"it is packed of {len(parts):,} files", "Save it once more.")
        for part in parts:
            with _opened(archive, part) as packed:
                while chunk := packed.read(_CHUNK):
                    total += len(chunk)
                    if total > most:
                        code = "zip_bomb" if total > ratio * size else "too_large"
                        why = f"its {size:,} bytes unpack to more than {most / MB:,.0f} MB"
                        raise TooMuch(code, why, "Save it without pictures, or the table in it as CSV or Parquet.")
                    yield part.filename, chunk


def sheets(file: Path | BytesIO) -> Iterator[tuple[int, str, bool, Iterator[list[Any]]]]:
    """How many sheets with cells a workbook has, and of each its name, whether it is hidden, and its rows.

    The rows are the values that were saved: no formula runs. Raises NotData where it is protected, and what the library
    raises.
    """
    try:
        with load_workbook(file) as book:
            found = [sheet for sheet in book.sheets_metadata if sheet.typ == SheetTypeEnum.WorkSheet]
            for sheet in found:
                hidden = sheet.visible != SheetVisibleEnum.Visible
                yield len(found), sheet.name, hidden, book.get_sheet_by_name(sheet.name).iter_rows()
    except PasswordError:
        raise NotData("protected_file", "the workbook is encrypted and opens with a password only") from None


def _opened(archive: zipfile.ZipFile, part: zipfile.ZipInfo) -> IO[bytes]:
    """A part, read to the end of what is packed in it and not only as far as it says that it goes."""
    if part.flag_bits & 0x1:
        raise NotData("protected_file", "the file is encrypted")
    told = copy.copy(part)
    told.file_size = 1 << 40
    return archive.open(told)


def _copy(packed: IO[bytes] | gzip.GzipFile, out: IO[bytes], size: int, most: int, ratio: int) -> None:
    total = 0
    while chunk := packed.read(_CHUNK):
        total += len(chunk)
        if total > min(most, max(_RATIO_FROM, ratio * size)):
            why = f"its {size:,} bytes unpack to more than {total - len(chunk):,}, which is beyond the limit"
            raise TooMuch("zip_bomb", why)
        out.write(chunk)


def _is_rest(name: str) -> bool:
    return name.startswith(_REST[0]) or name.rpartition("/")[2] in _REST[1:]
