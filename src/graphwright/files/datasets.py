"""Data sets: tables out of files, typed, as Parquet; each file's content is read once and kept by its hash."""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import shutil
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from graphwright.files.errors import FileError, NotReadable
from graphwright.files.kinds import BY_NAME, suffix_note
from graphwright.files.limits import Limits
from graphwright.files.naming import distinct_id, identifier, one_line, shown
from graphwright.files.process import read
from graphwright.files.source import Source, named, source

ColumnType = Literal["integer", "number", "text", "boolean", "date", "datetime", "duration", "binary"]

_VERSION = 2
"""Goes up when the same file would be read otherwise than before."""

_MANIFEST = "found.json"
_READING = ".reading-"
_ABANDONED = 86_400
"""Seconds after which nobody can be reading any more."""

_PACKED = {".gz", ".gzip", ".zip"}


@dataclass(frozen=True, slots=True)
class Column:
    """A column under the name that it has in the Parquet file. A `date` is a point in time at midnight there."""

    name: str
    type: ColumnType


@dataclass(frozen=True, slots=True)
class Sampling:
    """How many rows there are, and how many of them were read, evenly spaced over the whole table."""

    there: int
    read: int

    @property
    def whole(self) -> bool:
        """Whether every row was read."""
        return self.read == self.there

    def __str__(self) -> str:
        if not self.there:
            return "there are no rows"
        if self.whole:
            return f"all {self.there:,} rows were read" if self.there != 1 else "the only row was read"
        return f"{self.read:,} of {self.there:,} rows were read, evenly spaced over the whole table"


@dataclass(frozen=True, slots=True)
class Dataset:
    """One table, ready for code that reads `parquet`."""

    id: str
    """A Python identifier, unique among those opened together."""
    name: str
    """For people: the file's name, with the sheet or table where the file has several."""
    path: Path
    """The file that it came from."""
    table: str
    """The sheet or table; empty where the file is the table."""
    format: str
    """What the content is: `csv`, `json`, `jsonl`, `parquet`, `sqlite`, `xlsx`, `xls`, `xlsb`, `ods`."""
    sha256: str
    """Of the file's bytes."""
    columns: tuple[Column, ...]
    """Those that are held."""
    columns_there: int
    sampled: Sampling
    parquet: Path
    notes: tuple[str, ...]
    """What a person should know about how it was read."""
    profile: Path
    """What was computed over its columns, as JSON; `profiles` reads it."""

    @property
    def rows(self) -> int:
        """The rows in `parquet`."""
        return self.sampled.read


@dataclass(frozen=True, slots=True)
class ColumnProfile:
    """One column. `low` to `median` are those of numbers, `low` and `high` also of dates; None where there are none."""

    name: str
    type: ColumnType
    missing: int
    distinct: int | None
    """Different values; None where they were not counted, as with measurements."""
    unique: bool
    """Whether no value is missing and none occurs twice: a likely key."""
    low: Any
    high: Any
    mean: float | None
    median: float | None
    top: tuple[tuple[Any, int], ...]
    """The most frequent values with their counts, at most twenty."""
    examples: tuple[Any, ...]
    sketch: tuple[int, ...] | None
    """The smallest hashes of its values; None where it is no key."""


def profiles(dataset: Dataset) -> tuple[ColumnProfile, ...]:
    """The columns in their order. Raises NotReadable where what was kept is gone: the file is to be opened again."""
    try:
        columns = json.loads(dataset.profile.read_text("utf-8"))["columns"]
        for column in columns:
            column["top"], column["examples"] = tuple(map(tuple, column["top"])), tuple(column["examples"])
            column["sketch"] = column["sketch"] and tuple(column["sketch"])
        return tuple(ColumnProfile(**column) for column in columns)
    except (OSError, ValueError, LookupError, TypeError):
        raise NotReadable(
            "unreadable_file", f"what was kept of {dataset.name} is gone or damaged.", "Open the file again."
        ) from None


def open_datasets(paths: Sequence[str | Path], folder: str | Path, limits: Limits | None = None) -> list[Dataset]:
    """The data sets in the files, in their order; a workbook or a database may hold several.

    What was read is kept in `folder` (made where it is missing) by the hash of the content: each content is read once.
    A path given twice counts once. Raises a FileError that names the first file that cannot be read, and why.
    """
    limits = limits or Limits()
    cache = Path(folder).expanduser().absolute()
    sources: dict[Path, tuple[Path, Source]] = {}
    for path in paths:
        each = source(path, limits)
        sources.setdefault(each.path, (Path(path), each))
    taken: set[str] = set()
    datasets = []
    for given, each in sources.values():
        try:
            place, found = _found(each, cache, limits)
        except FileError as error:
            raise named(error, given) from None
        datasets += _datasets(given, each, place, found, taken)
    return datasets


def _found(source: Source, cache: Path, limits: Limits) -> tuple[Path, dict[str, Any]]:
    """What is in a file and where it lies, out of the cache or read now."""
    told = json.dumps([_VERSION, limits.rows, limits.columns, limits.cells, limits.held_bytes, limits.tables])
    place = cache / f"{source.sha256}-{hashlib.sha256(told.encode()).hexdigest()[:8]}"
    if (kept := _kept(place)) is not None:
        return place, kept
    try:
        cache.mkdir(parents=True, exist_ok=True)
        _sweep(cache)
        fresh = Path(tempfile.mkdtemp(prefix=_READING, dir=cache))
    except OSError as error:
        why = f"there is no place to keep what is read ({cache}: {error.strerror})"
        raise NotReadable("unreadable_file", why, "Give a folder that can be written.") from None
    try:
        found = read(source, fresh, limits)
        (fresh / _MANIFEST).write_text(json.dumps(found), "utf-8")
        shutil.rmtree(place, ignore_errors=True)
        # Another process may have been quicker; then its result is as good.
        with contextlib.suppress(OSError):
            os.rename(fresh, place)
    finally:
        shutil.rmtree(fresh, ignore_errors=True)
    return place, found


def _sweep(cache: Path) -> None:
    """Remove what readings left that were killed in the middle."""
    for left in cache.glob(f"{_READING}*"):
        with contextlib.suppress(OSError):
            if time.time() - left.stat().st_mtime > _ABANDONED:
                shutil.rmtree(left, ignore_errors=True)


def _kept(place: Path) -> dict[str, Any] | None:
    try:
        found: dict[str, Any] = json.loads((place / _MANIFEST).read_text("utf-8"))
        numbers = range(len(found["tables"]))
    except (OSError, ValueError, LookupError, TypeError):
        return None
    whole = all((place / f"{number}.{suffix}").is_file() for number in numbers for suffix in ("parquet", "json"))
    return found if whole else None


def _datasets(given: Path, source: Source, place: Path, found: dict[str, Any], taken: set[str]) -> list[Dataset]:
    notes = [suffix_note(given, BY_NAME[found["kind"]]), _log_note(source.path, found), *found["notes"]]
    # `sales` of `sales.csv.gz`, and `v1.2` of `v1.2.csv`.
    packed = given.suffix.lower() in _PACKED and Path(given.stem).suffix
    stem = Path(given.stem).stem if packed else given.stem
    datasets = []
    for number, table in enumerate(found["tables"]):
        name, parts = one_line(given.name, 100), [stem]
        if len(found["tables"]) > 1:
            name, parts = f"{name}, {one_line(table['table'], 60)}", [stem, table["table"]]
        datasets.append(
            Dataset(
                id=distinct_id(identifier(*parts), taken),
                name=name,
                path=source.path,
                table=table["table"],
                format=found["format"],
                sha256=source.sha256,
                columns=tuple(Column(**column) for column in table["columns"]),
                columns_there=table["columns_there"],
                sampled=Sampling(table["rows_there"], table["rows_read"]),
                parquet=place / f"{number}.parquet",
                notes=tuple(filter(None, [*notes, *table["notes"]])),
                profile=place / f"{number}.json",
            )
        )
    return datasets


def _log_note(path: Path, found: dict[str, Any]) -> str:
    """The note on changes of a database that its program has not put into the file yet."""
    log = path.with_name(path.name + "-wal")
    try:
        waiting = found["format"] == "sqlite" and log.stat().st_size > 0
    except OSError:
        return ""
    return f"Its latest changes, in `{shown(log.name)}`, were not read: close the program first." if waiting else ""
