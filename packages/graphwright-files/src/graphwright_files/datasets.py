"""Data sets: typed tables from files, as Parquet. Each file's content is read once and cached by its hash."""

from __future__ import annotations

import contextlib
import hashlib
import json
import keyword
import os
import re
import shutil
import tempfile
import time
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from graphwright.text.folding import folded
from graphwright.text.sentences import one_line
from graphwright_files._notes import Note
from graphwright_files._process import read_tables
from graphwright_files.errors import FileError, NotReadable
from graphwright_files.limits import Limits
from graphwright_files.source import Source, source

__all__ = ["ColumnType"]

CACHE = "datasets"
"""The subfolder of the data folder for the data that was read from files."""

ColumnType = Literal["integer", "number", "text", "boolean", "date", "datetime", "binary"]

_VERSION = 10
"""Increment it if the same file would be read differently."""

FRAMES_SHARE = 0.25
"""The maximum proportion of a program's memory for data frames, because most operations copy them."""

_MANIFEST = "found.json"
_UNFINISHED = ".reading-"
_ABANDONED_SECONDS = 86_400

_MOST_ID = 40
_RESERVED_NAMES = frozenset([*keyword.kwlist,
    "df", "sql", "samples", "duckdb", "pd", "np", "plt", "px", "go", "sm", "smf", "sns", "datasets", "fig", "result",
])  # fmt: skip
"""Names that an id must not have, because code that works on data sets uses them for other things."""


@dataclass(frozen=True, slots=True)
class Column:
    """A column with its name in the Parquet file. A `date` is stored as a datetime at midnight.

    `low`, `high`, `mean` and `median` are set for numbers, `low` and `high` also for dates; otherwise None.
    """

    name: str
    type: ColumnType
    missing: int
    numbers: int
    """The number of values of a text column that are numbers, if most are; otherwise 0."""
    distinct: int | None
    """The number of different values; None if they were not counted, as for measurements."""
    unique: bool
    """Whether no value is missing or occurs twice: a likely key."""
    low: Any
    high: Any
    mean: float | None
    median: float | None
    top: tuple[tuple[Any, int], ...]
    """The most frequent values with their counts, at most twenty."""
    zone: str
    """`UTC` if the times have a time zone, whichever zone the file has; otherwise empty."""


@dataclass(frozen=True, slots=True)
class Dataset:
    """One table, ready for code that reads `parquet`."""

    id: str
    """A Python identifier, unique among the data sets opened together."""
    name: str
    """For people: the file's name, with the sheet or table if the file has several."""
    path: Path
    """The source file."""
    table: str
    """The sheet or table; empty if the file is the table."""
    sha256: str
    """The hash of the file's bytes."""
    columns: tuple[Column, ...]
    """The columns in `parquet`."""
    rows: int
    """The rows in `parquet`."""
    rows_there: int
    """The rows in the file; more than `rows` if these are a sample, evenly spaced over the whole table."""
    frame_bytes: int
    """The estimated memory of a data frame with all rows, in bytes."""
    parquet: Path
    notes: tuple[Note, ...]
    """Notes for people on how it was read."""
    separator: str
    """The separator between the cells of a text file; otherwise empty."""
    decimal: str
    """The decimal sign in a text file; empty if it has no decimals."""


def open_datasets(paths: Sequence[str | Path], folder: str | Path, limits: Limits | None = None) -> list[Dataset]:
    """The data sets in the files, in their order; a workbook or a database may have several.

    Results are cached in `folder` (created if missing) by the hash of the content: each content is read once. A path
    given twice counts once. Raises a FileError that names the first unreadable file, and the reason.
    """
    limits = limits or Limits()
    cache = Path(folder).expanduser().absolute()
    sources: dict[Path, tuple[Path, Source]] = {}
    for path in paths:
        each = source(path, limits)
        sources.setdefault(each.path, (Path(path), each))
    taken, datasets = set[str](), list[Dataset]()
    for given, each in sources.values():
        try:
            place, found = _read(each, cache, limits)
        except FileError as error:
            raise error.of(given) from None
        datasets += _datasets(given, each, place, found, taken)
    return datasets


def too_large(datasets: Sequence[Dataset], memory: int) -> list[str]:
    """The ids of the data sets that do not fit as data frames if `memory` bytes are for programs and their data.

    Small data sets become data frames first.
    """
    left, found = int(memory * FRAMES_SHARE), list[str]()
    for each in sorted(datasets, key=lambda each: each.frame_bytes):
        left -= each.frame_bytes
        found += [each.id] if left < 0 else []
    return found


def _read(source: Source, cache: Path, limits: Limits) -> tuple[Path, dict[str, Any]]:
    """The folder of a file's tables, and the result of `read_tables`: cached, or read now."""
    key = json.dumps([_VERSION, limits.rows, limits.columns, limits.held_bytes, limits.tables])
    place = cache / f"{source.sha256}-{hashlib.sha256(key.encode()).hexdigest()[:8]}"
    if (kept := _kept(place)) is not None:
        return place, kept
    try:
        cache.mkdir(parents=True, exist_ok=True)
        _remove_abandoned(cache)
        fresh = Path(tempfile.mkdtemp(prefix=_UNFINISHED, dir=cache))
    except OSError as error:
        why = f"There is no folder for the data that is read ({cache}: {error.strerror})."
        raise NotReadable("unreadable_file", why, "Name a folder that can be written to.") from None
    try:
        found = read_tables(source, fresh, limits)
        (fresh / _MANIFEST).write_text(json.dumps(found), "utf-8")
        # A sandbox that runs as another user opens these files later; the folder keeps other people out.
        for parquet in fresh.glob("*.parquet"):
            parquet.chmod(0o644)
        shutil.rmtree(place, ignore_errors=True)
        # If another process was faster, its result is as good.
        with contextlib.suppress(OSError):
            os.rename(fresh, place)
    finally:
        shutil.rmtree(fresh, ignore_errors=True)
    return place, found


def _remove_abandoned(cache: Path) -> None:
    """Remove the leftovers of killed reading processes."""
    for left in cache.glob(f"{_UNFINISHED}*"):
        with contextlib.suppress(OSError):
            if time.time() - left.stat().st_mtime > _ABANDONED_SECONDS:
                shutil.rmtree(left, ignore_errors=True)


def _kept(place: Path) -> dict[str, Any] | None:
    try:
        found: dict[str, Any] = json.loads((place / _MANIFEST).read_text("utf-8"))
        whole = all((place / f"{number}.parquet").is_file() for number in range(len(found["tables"])))
    except (OSError, ValueError, LookupError, TypeError):
        return None
    return found if whole else None


def _column(found: dict[str, Any]) -> Column:
    return Column(**found | {"top": tuple(map(tuple, found["top"]))})


def _datasets(given: Path, source: Source, place: Path, found: dict[str, Any], taken: set[str]) -> list[Dataset]:
    # `sales` of `sales.csv.gz`, and `v1.2` of `v1.2.csv`.
    packed = given.suffix.lower() in (".gz", ".gzip", ".zip") and Path(given.stem).suffix
    stem, file = Path(given.stem).stem if packed else given.stem, one_line(given.name, 100)
    several = len(found["tables"]) > 1
    return [
        Dataset(
            id=_identifier(f"{stem}_{table['table']}" if several else stem, taken),
            name=f"{file}, {one_line(table['table'], 60)}" if several else file,
            path=source.path,
            table=table["table"],
            sha256=source.sha256,
            columns=tuple(map(_column, table["columns"])),
            rows=table["rows"],
            rows_there=table["rows_there"],
            frame_bytes=table["frame_bytes"],
            parquet=place / f"{number}.parquet",
            notes=tuple(Note(*each) for each in (*found["notes"], *table["notes"])),
            separator=table["separator"],
            decimal=table["decimal"],
        )
        for number, table in enumerate(found["tables"])
    ]


def _identifier(text: str, taken: set[str]) -> str:
    """A lower-case Python identifier made from the text, with a number if it is in `taken`. Adds it to `taken`."""
    # Letters of other scripts are kept, because Python allows them.
    words = re.sub(r"\W+|_+", "_", unicodedata.normalize("NFKC", folded(text.replace("ß", "ss")))).strip("_")
    if not words.isidentifier():
        words = f"data_{words}".rstrip("_")
    words = words[:_MOST_ID].rstrip("_") if words.isidentifier() else "data"
    wanted = name = f"{words}_data" if words in _RESERVED_NAMES else words
    number = 1
    while name in taken:
        number += 1
        name = f"{wanted}_{number}"
    taken.add(name)
    return name
