"""`open_datasets()`: files in, data sets out; each file's content is read once and kept by its hash."""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import shutil
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from graphwright.files import kinds
from graphwright.files.dataset import Column, Dataset, Sampling
from graphwright.files.errors import FileError, NotReadable
from graphwright.files.limits import Limits
from graphwright.files.naming import distinct_id, identifier, one_line, shown
from graphwright.files.process import read
from graphwright.files.source import Source, named, source

_VERSION = 1
"""Goes up when the same file would be read otherwise than before."""

_MANIFEST = "found.json"
_READING = ".reading-"
_ABANDONED = 86_400
"""Seconds after which nobody can be reading any more."""

_PACKED = {".gz", ".gzip", ".zip"}
_KINDS = {kind.name: kind for kind in vars(kinds).values() if isinstance(kind, kinds.Kind)}


def open_datasets(paths: Sequence[str | Path], folder: str | Path, limits: Limits | None = None) -> list[Dataset]:
    """The data sets in the files, in their order; a workbook or a database may hold several.

    What was read is kept in `folder` (made where it is missing) by the hash of the content: each content is read once.
    A path given twice counts once. Raises a FileError that names the first file that cannot be read, and why.
    """
    limits = limits or Limits()
    cache = Path(folder).expanduser().absolute()
    sources: list[tuple[Path, Source]] = []
    for path in paths:
        each = source(path, limits)
        if each.path not in (other.path for _, other in sources):
            sources.append((Path(path), each))
    taken: set[str] = set()
    datasets = []
    for given, each in sources:
        try:
            place, found = _found(each, cache, limits)
        except FileError as error:
            raise named(error, given) from None
        datasets += _datasets(given, each, place, found, taken)
    return datasets


def _found(source: Source, cache: Path, limits: Limits) -> tuple[Path, dict[str, Any]]:
    """What is in a file and where it lies, out of the cache or read now."""
    place = cache / _key(source, limits)
    kept = _kept(place)
    if kept is not None:
        return place, kept
    try:
        cache.mkdir(parents=True, exist_ok=True)
        _sweep(cache)
        fresh = Path(tempfile.mkdtemp(prefix=_READING, dir=cache))
    except OSError as error:
        raise NotReadable(
            "unreadable_file",
            f"there is no place to keep what is read ({cache}: {error.strerror})",
            "Give a folder that can be written.",
        ) from None
    try:
        found = read(source, fresh, limits)
        (fresh / _MANIFEST).write_text(json.dumps(found), "utf-8")
        if place.exists():
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


def _key(source: Source, limits: Limits) -> str:
    """The folder of a content that is read under such limits."""
    told = json.dumps([_VERSION, limits.rows, limits.columns, limits.cells, limits.held_bytes, limits.tables])
    return f"{source.sha256}-{hashlib.sha256(told.encode()).hexdigest()[:8]}"


def _kept(place: Path) -> dict[str, Any] | None:
    try:
        found: dict[str, Any] = json.loads((place / _MANIFEST).read_text("utf-8"))
        whole = all(
            (place / f"{number}.{suffix}").is_file()
            for number in range(len(found["tables"]))
            for suffix in ("parquet", "json")
        )
    except (OSError, ValueError, LookupError, TypeError):
        return None
    return found if whole else None


def _datasets(given: Path, source: Source, place: Path, found: dict[str, Any], taken: set[str]) -> list[Dataset]:
    tables = found["tables"]
    notes = [*_suffix_note(given, found), *_log_note(source.path, found), *found["notes"]]
    stem = _stem(given)
    datasets = []
    for number, table in enumerate(tables):
        several = len(tables) > 1
        title = one_line(table["table"], 60)
        datasets.append(
            Dataset(
                id=distinct_id(identifier(stem, table["table"]) if several else identifier(stem), taken),
                name=f"{one_line(given.name, 100)}, {title}" if several else one_line(given.name, 100),
                path=source.path,
                table=table["table"],
                format=found["format"],
                sha256=source.sha256,
                columns=tuple(Column(column["name"], column["type"]) for column in table["columns"]),
                columns_there=table["columns_there"],
                sampled=Sampling(table["rows_there"], table["rows_read"]),
                parquet=place / f"{number}.parquet",
                notes=(*notes, *table["notes"]),
                profile=place / f"{number}.json",
            )
        )
    return datasets


def _stem(path: Path) -> str:
    """The name without what says its format: `sales` of `sales.csv.gz`, and `v1.2` of `v1.2.csv`."""
    if path.suffix.lower() in _PACKED and Path(path.stem).suffix:
        path = path.with_suffix("")
    return path.stem


def _log_note(path: Path, found: dict[str, Any]) -> list[str]:
    """The note on changes of a database that its program has not put into the file yet."""
    log = path.with_name(path.name + "-wal")
    try:
        waiting = found["format"] == "sqlite" and log.stat().st_size > 0
    except OSError:
        waiting = False
    return [f"Its latest changes, in `{shown(log.name)}`, were not read: close the program first."] if waiting else []


def _suffix_note(path: Path, found: dict[str, Any]) -> list[str]:
    """The note on a name that says something else than the content."""
    kind, suffix = _KINDS[found["kind"]], path.suffix.lower()
    known = {each for other in _KINDS.values() for each in other.suffixes}
    if suffix not in known or suffix in kind.suffixes:
        return []
    return [f"The name ends in {suffix}, but the content is {kind.title}; it was read as that."]
