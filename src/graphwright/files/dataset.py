"""A data set: one table out of a file, typed, as a Parquet file, with the truth about what was left out."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

ColumnType = Literal["integer", "number", "text", "boolean", "date", "datetime", "duration", "binary"]


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
    """What was computed over its columns, as JSON; `summary` reads it."""

    @property
    def rows(self) -> int:
        """The rows in `parquet`."""
        return self.sampled.read

    def to_json(self) -> dict[str, Any]:
        """What is public of it, as JSON."""
        return {
            "id": self.id,
            "name": self.name,
            "path": str(self.path),
            "table": self.table,
            "format": self.format,
            "sha256": self.sha256,
            "rows": self.rows,
            "rows_there": self.sampled.there,
            "columns": [{"name": column.name, "type": column.type} for column in self.columns],
            "columns_there": self.columns_there,
            "parquet": str(self.parquet),
            "notes": list(self.notes),
        }
