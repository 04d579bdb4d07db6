"""Packed files: the one data file in a gzip or zip file, counted while it is unpacked."""

from __future__ import annotations

import copy
import gzip
import zipfile
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import IO

from graphwright.files.errors import NotData, TooMuch
from graphwright.files.limits import MB, Limits
from graphwright.files.naming import shown

_CHUNK = 1 << 20
_RATIO_FROM = 50 * MB
_REST = ("__MACOSX/", ".DS_Store", "Thumbs.db", "desktop.ini")


def gunzip(path: Path, into: Path, limits: Limits) -> None:
    """Unpack a gzip file. Raises NotData where it is damaged, TooMuch where it goes beyond a limit."""
    try:
        with gzip.open(path) as packed, into.open("wb") as out:
            _copy(packed, out, path.stat().st_size, limits)
    except (EOFError, zlib.error, gzip.BadGzipFile) as error:
        raise _damaged("gzip", error) from None


def unzip(path: Path, into: Path, limits: Limits) -> str:
    """Unpack the only file in a zip file, and give its name.

    Raises NotData where there is none, more than one, or it is damaged or encrypted; TooMuch beyond a limit.
    """
    try:
        with zipfile.ZipFile(path) as archive:
            held = [each for each in archive.infolist() if not each.is_dir() and not _is_rest(each.filename)]
            if not held:
                raise NotData("empty_file", "the zip file holds no file", "Give a zip file with one data file in it.")
            if len(held) > 1:
                names = ", ".join(shown(each.filename) for each in held[:3]) + (", ..." if len(held) > 3 else "")
                raise NotData(
                    "several_files",
                    f"the zip file holds {len(held):,} files ({names})",
                    "Unpack it, and give the data files that the question is about.",
                )
            with _opened(archive, held[0], limits) as packed, into.open("wb") as out:
                _copy(packed, out, held[0].compress_size, limits)
            return held[0].filename
    except (zipfile.BadZipFile, EOFError, zlib.error, NotImplementedError, ValueError) as error:
        raise _damaged("zip", error) from None


def weighed(path: Path, limits: Limits) -> Iterator[tuple[str, bytes]]:
    """Unpack every part of a workbook without keeping it: the chunks of each with its name.

    What a workbook says of its own sizes is not believed. Raises NotData and TooMuch as `unzip` does.
    """
    total = 0
    try:
        with zipfile.ZipFile(path) as archive:
            for part in archive.infolist():
                if part.is_dir():
                    continue
                with _opened(archive, part, limits) as packed:
                    while chunk := packed.read(_CHUNK):
                        total += len(chunk)
                        if total > limits.document_bytes:
                            raise TooMuch(
                                "zip_bomb" if total > limits.ratio * path.stat().st_size else "too_large",
                                f"the workbook unpacks to more than {limits.document_bytes // MB:,} MB",
                                "Save the sheet as CSV or Parquet: these are read in parts, however large.",
                            )
                        yield part.filename, chunk
    except (zipfile.BadZipFile, EOFError, zlib.error, NotImplementedError, ValueError) as error:
        raise _damaged("workbook", error) from None


def _opened(archive: zipfile.ZipFile, part: zipfile.ZipInfo, limits: Limits) -> IO[bytes]:
    """A part, read to the end of what is packed in it and not only as far as it says that it goes."""
    if part.flag_bits & 0x1:
        raise NotData("protected_file", "the file is encrypted", "Give one without a password.")
    told = copy.copy(part)
    told.file_size = 2 * limits.unpacked_bytes
    return archive.open(told)


def _copy(packed: IO[bytes] | gzip.GzipFile, out: IO[bytes], size: int, limits: Limits) -> None:
    total = 0
    while chunk := packed.read(_CHUNK):
        total += len(chunk)
        if total > limits.unpacked_bytes or total > max(_RATIO_FROM, limits.ratio * size):
            raise TooMuch(
                "zip_bomb",
                f"its {size:,} bytes unpack to more than {total - len(chunk):,}, which is beyond the limit",
                "Unpack it yourself if you trust it, and give the data file in it.",
            )
        out.write(chunk)


def _is_rest(name: str) -> bool:
    return name.startswith(_REST[0]) or name.rpartition("/")[2] in _REST[1:]


def _damaged(what: str, error: Exception) -> NotData:
    return NotData("damaged_file", f"the {what} file is damaged ({shown(str(error), 100)})", "Get the file once more.")
