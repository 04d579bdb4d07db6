"""Writers of data files for the tests, and readers of what came of them."""

from __future__ import annotations

import csv
import io
import sqlite3
import zipfile
from collections.abc import Mapping, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any
from xml.sax.saxutils import escape

import pyarrow.parquet as pq
import pytest

from graphwright.files import Dataset, FileError, Limits, open_datasets


def opened(path: Path, limits: Limits | None = None) -> Dataset:
    """The only data set in a file."""
    (dataset,) = open_datasets([path], path.parent / "kept", limits)
    return dataset


def refused(path: Path, limits: Limits | None = None) -> FileError:
    """The error that opening a file ends in."""
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


_WORKBOOK = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
_RELATED = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_PACKAGE = "http://schemas.openxmlformats.org/package/2006"


def workbook(path: Path, sheets: Mapping[str, str]) -> Path:
    """A workbook of sheets, each as the XML of its rows (see `rows_xml`)."""
    numbered = list(enumerate(sheets.items(), 1))
    entries = "".join(f'<sheet name="{escape(name)}" sheetId="{n}" r:id="rId{n}"/>' for n, (name, _) in numbered)
    targets = "".join(
        f'<Relationship Id="rId{n}" Type="{_RELATED}/worksheet" Target="worksheets/sheet{n}.xml"/>' for n, _ in numbered
    )
    styles = f'<Relationship Id="rIdS" Type="{_RELATED}/styles" Target="styles.xml"/>'
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(
            "[Content_Types].xml",
            f'<Types xmlns="{_PACKAGE}/content-types"><Default Extension="xml" ContentType="application/xml"/></Types>',
        )
        archive.writestr(
            "_rels/.rels",
            f'<Relationships xmlns="{_PACKAGE}/relationships"><Relationship Id="rId1" Type="{_RELATED}/officeDocument" '
            'Target="xl/workbook.xml"/></Relationships>',
        )
        archive.writestr(
            "xl/workbook.xml",
            f'<workbook xmlns="{_WORKBOOK}" xmlns:r="{_RELATED}"><sheets>{entries}</sheets></workbook>',
        )
        archive.writestr(
            "xl/_rels/workbook.xml.rels",
            f'<Relationships xmlns="{_PACKAGE}/relationships">{targets}{styles}</Relationships>',
        )
        archive.writestr(
            "xl/styles.xml",
            f'<styleSheet xmlns="{_WORKBOOK}"><cellXfs><xf numFmtId="0"/><xf numFmtId="14"/></cellXfs></styleSheet>',
        )
        for number, (_, rows) in numbered:
            archive.writestr(
                f"xl/worksheets/sheet{number}.xml",
                f'<worksheet xmlns="{_WORKBOOK}"><sheetData>{rows}</sheetData></worksheet>',
            )
    return path


def rows_xml(rows: Sequence[Sequence[Any]], top: int = 1) -> str:
    """Rows of a sheet: numbers, truth values, texts, None, and what is XML of a cell already (a tuple of one)."""
    lines = []
    for place, row in enumerate(rows, top):
        cells = "".join(_cell(value, f"{_letters(column)}{place}") for column, value in enumerate(row))
        lines.append(f'<row r="{place}">{cells}</row>')
    return "".join(lines)


def _cell(value: Any, at: str) -> str:
    if value is None:
        return ""
    if isinstance(value, tuple):
        return str(value[0]).replace("AT", at)
    if isinstance(value, bool):
        return f'<c r="{at}" t="b"><v>{int(value)}</v></c>'
    if isinstance(value, int | float):
        return f'<c r="{at}"><v>{value!r}</v></c>'
    return f'<c r="{at}" t="inlineStr"><is><t xml:space="preserve">{escape(value)}</t></is></c>'


def _letters(column: int) -> str:
    letters = ""
    column += 1
    while column:
        column, rest = divmod(column - 1, 26)
        letters = chr(65 + rest) + letters
    return letters
