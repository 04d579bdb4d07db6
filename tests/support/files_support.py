"""Writers of data files for the tests, and readers of the resulting data sets."""

from __future__ import annotations

import csv
import io
import sqlite3
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from datetime import datetime
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest
import xlsxwriter

from graphwright_files import Dataset, FileError, Limits, open_datasets


def open_dataset(path: Path, limits: Limits | None = None) -> Dataset:
    """The only data set in a file."""
    (dataset,) = open_datasets([path], path.parent / "kept", limits)
    return dataset


def refused(path: Path, limits: Limits | None = None) -> FileError:
    """The error for opening a file."""
    with pytest.raises(FileError) as raised:
        open_datasets([path], path.parent / "kept", limits)
    error = raised.value
    assert error.message.startswith(path.name)
    assert error.hint
    assert "\n" not in error.message
    assert error.path == path
    return error


def written(folder: Path, name: str, content: str | bytes, encoding: str = "utf-8") -> Path:
    path = folder / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode(encoding))
    return path


def columns(dataset: Dataset) -> dict[str, list[Any]]:
    """The values of a data set by column, dates as datetimes."""
    return dict(pq.read_table(dataset.parquet).to_pydict())


def types(dataset: Dataset) -> dict[str, str]:
    return {column.name: column.type for column in dataset.columns}


def notes_of(dataset: Dataset) -> list[str]:
    return [note.text for note in dataset.notes]


def delimited(rows: Sequence[Sequence[str]], separator: str = ",", end: str = "\n") -> str:
    out = io.StringIO()
    csv.writer(out, delimiter=separator, lineterminator=end).writerows(rows)
    return out.getvalue()


def sqlite(path: Path, tables: Mapping[str, Sequence[Sequence[Any]]]) -> Path:
    """A database; the first row of each table has the names of its columns."""
    with closing(sqlite3.connect(path)) as connection:
        for name, (names, *rows) in tables.items():
            listed = ", ".join('"' + each.replace('"', '""') + '"' for each in names)
            connection.execute(f'CREATE TABLE "{name}" ({listed})')
            connection.executemany(f'INSERT INTO "{name}" VALUES ({", ".join("?" * len(names))})', rows)
        connection.commit()
    return path


def workbook(path: Path, sheets: Mapping[str, Sequence[Sequence[Any]]], change: Callable[[Any], None] = id) -> Path:
    """A workbook of sheets, each by its rows: None is an empty cell, a pair a formula and its value.

    `change` is applied to its last sheet.
    """
    with xlsxwriter.Workbook(path, {"nan_inf_to_errors": True, "strings_to_urls": False}) as book:
        day = book.add_format({"num_format": 14})
        for name, rows in sheets.items():
            sheet = book.add_worksheet(name)
            for row, cells in enumerate(rows):
                for column, value in enumerate(cells):
                    if isinstance(value, tuple):
                        sheet.write_formula(row, column, value[0], None, value[1])
                    elif isinstance(value, datetime):
                        sheet.write_datetime(row, column, value, day)
                    elif isinstance(value, str):
                        sheet.write_string(row, column, value)
                    else:
                        sheet.write(row, column, value)
        change(sheet)
    return path
