"""The tables of a result as CSV, Excel or Parquet files, with the names that the user asked for."""

from __future__ import annotations

import codecs
import contextlib
import csv
import io
import math
import re
import unicodedata
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime
from pathlib import PurePath
from typing import TYPE_CHECKING, Any

from graphwright_confined.formatting import readable_times

if TYPE_CHECKING:
    from graphwright_confined.execution import Cell, Column, Result, TableResult

TEXT = (".csv", ".tsv", ".txt")
"""The suffixes of text files for tables."""

FORMATS = (*TEXT, ".xlsx", ".parquet")
"""The suffixes of files for tables."""

DRAWN = (".png", ".html")
"""The suffixes of files for figures."""

LONGEST_STEM = 120
"""Maximum length of a file name without its suffix, in bytes."""

BRIEF_ROWS, WHOLE_ROWS = 5, 12
"""Rows in the reply for a table that the user asked for as a file, and the most rows of a table shown whole."""

_MOST_TABLES = 50
_FORMULA = ("=", "+", "-", "@", "\t", "\r")
_ENDING = re.compile(r"\.[A-Za-z][A-Za-z0-9]{0,7}")
_RESERVED = re.compile(r"(?i)con|prn|aux|nul|com\d|lpt\d")
_LONGEST_SHEET_NAME, _LONGEST_CELL, _LARGEST_INTEGER = 31, 32_767, 10**15
_EARLIEST = datetime(1900, 3, 1)
"""Excel's day numbers are off by one before this date."""


@dataclass(frozen=True, slots=True)
class CsvStyle:
    """The text format of a table: its separator, its decimal sign, and its encoding by Python's name."""

    separator: str = ","
    decimal: str = "."
    encoding: str = "utf-8"

    def overridden(self, name: str, wanted: Mapping[str, str]) -> CsvStyle:
        """Return the style of a file: this one, overridden by `wanted` and by the suffix of the name."""
        given = wanted.get("separator", "").replace("\\t", "\t")
        given = given if len(given) == 1 and not given.isalnum() and given not in '"\r\n' else ""
        decimal = wanted.get("decimal", "")
        if decimal not in (".", ","):
            decimal = "." if given == "," else self.decimal
        usual = "\t" if name.endswith(".tsv") else ";" if decimal == "," else self.separator
        return CsvStyle(given or usual, decimal, wanted.get("encoding", "").strip() or self.encoding)

    def encoded(self, text: str) -> bytes | None:
        """Return the text in the encoding, or None if the encoding is unknown or lacks a character."""
        try:
            return codecs.encode(text, self.encoding)
        except (LookupError, UnicodeError, TypeError):
            return None


@dataclass(slots=True)
class Exports:
    """The files to write, each with its tables by name; and the wanted files that cannot be written.

    `styles` are the formats of text files. `unknown` files have an unsupported suffix. `unmatched` files have no table
    in the result. `wanted` are the files of `files` that the user or the program named.
    """

    files: dict[str, dict[str, TableResult]] = field(default_factory=dict)
    styles: dict[str, CsvStyle] = field(default_factory=dict)
    wanted: list[str] = field(default_factory=list)
    unknown: list[str] = field(default_factory=list)
    unmatched: list[str] = field(default_factory=list)


def wanted_files(files: Sequence[str | Mapping[str, str]]) -> dict[str, Mapping[str, str]]:
    """Return the files of a plan by safe names, with the requested formats."""
    return {
        safe_name(e) if isinstance(e, str) else safe_name(e["name"]): {} if isinstance(e, str) else e for e in files
    }


def exports_of(result: Result, wanted: Mapping[str, Mapping[str, str]], style: CsvStyle | None = None) -> Exports:
    """Assign the tables of a result to the wanted files; each other table gets a CSV and a Parquet file.

    A key of the result that is a file name names the file of its table or, for Excel, of its dict of tables. `style` is
    the default of text files.
    """
    out, tables = Exports(), _named_tables(result)
    _assign(out, tables, wanted)
    for name in out.files:
        if name.endswith(TEXT):
            out.styles[name] = (style or CsvStyle()).overridden(name, wanted.get(name, {}))
    return out


def _assign(
    out: Exports, tables: Mapping[str, dict[str, TableResult]], wanted: Mapping[str, Mapping[str, str]]
) -> None:
    rest: dict[str, TableResult] = {}
    for key, found in tables.items():
        suffix = PurePath(key).suffix.lower()
        if suffix == ".xlsx" or (suffix in FORMATS and len(found) == 1):
            name = _unique(safe_name(key), out.files)
            out.files[name] = found
        else:
            title = PurePath(key).stem if suffix in FORMATS or safe_name(key) in wanted else key
            rest |= {" ".join(filter(None, (title, inner))): table for inner, table in found.items()}
    out.wanted, left = list(out.files), dict(rest)
    for name in wanted:
        if name.casefold() in map(str.casefold, out.files) or PurePath(name).suffix.lower() in (*DRAWN, ".py"):
            continue
        if PurePath(name).suffix.lower() not in FORMATS:
            out.unknown.append(name)
        elif chosen := _chosen(name, rest):
            out.files[name] = chosen
            out.wanted.append(name)
            left = {key: table for key, table in left.items() if key not in chosen}
        else:
            out.unmatched.append(name)
    for number, (key, table) in enumerate(left.items(), 1):
        stem = safe_name(f"{key or ('table' if number == 1 else f'table-{number}')}.csv").removesuffix(".csv")
        name = _unique(f"{stem}.csv", out.files)
        out.files |= {name: {key: table}, f"{name.removesuffix('.csv')}.parquet": {key: table}}


def safe_name(name: str) -> str:
    """Return a file name without folders and without characters that file systems refuse; CSV if it has no suffix."""
    last = unicodedata.normalize("NFC", name).replace("\\", "/").rsplit("/", 1)[-1]
    last = "".join(each for each in last if each.isprintable() and each not in '<>:"|?*').strip(" .")
    suffix = PurePath(last).suffix
    if not _ENDING.fullmatch(suffix):
        suffix = ""
    stem = last.removesuffix(suffix).encode()[:LONGEST_STEM].decode(errors="ignore").strip(" .") or "table"
    return f"{stem}{'_' * bool(_RESERVED.fullmatch(stem))}{suffix.lower() or '.csv'}"


def shortened(result: Result, exported: Collection[TableResult]) -> Result:
    """Return the result with only the first rows of the exported tables."""
    if result.type == "table":
        if len(result.rows) <= WHOLE_ROWS or not any(each is result for each in exported):
            return result
        return result.model_copy(update={"rows": result.rows[:BRIEF_ROWS]})
    if result.type == "mapping":
        entries = [e.model_copy(update={"value": shortened(e.value, exported)}) for e in result.entries]
        return result.model_copy(update={"entries": entries})
    return result


def _named_tables(result: Result) -> dict[str, dict[str, TableResult]]:
    """Return the tables of a result by key, and those of a dict in it by their own keys; at most 50 of a dict."""
    if result.type == "table":
        return {"": {"": result}}
    found: dict[str, dict[str, TableResult]] = {}
    for entry in result.entries if result.type == "mapping" else ():
        match entry.value.type:
            case "table":
                found[entry.key] = {"": entry.value}
            case "mapping":
                inner = {each.key: each.value for each in entry.value.entries if each.value.type == "table"}
                if inner:
                    found[entry.key] = dict(list(inner.items())[:_MOST_TABLES])
    return dict(list(found.items())[:_MOST_TABLES])


def _chosen(name: str, tables: Mapping[str, TableResult]) -> dict[str, TableResult]:
    """Return the tables for a wanted file: all for Excel, else the one with its name, or the only one."""
    if name.endswith(".xlsx") or len(tables) == 1:
        return dict(tables)
    stem = PurePath(name).stem
    return {key: table for key, table in tables.items() if PurePath(safe_name(f"{key}.csv")).stem == stem}


def _unique(name: str, taken: Collection[str]) -> str:
    there, path, number = set(map(str.casefold, taken)), PurePath(name), 1
    while name.casefold() in there:
        number += 1
        name = f"{path.stem}-{number}{path.suffix}"
    return name


def content_of(name: str, tables: Mapping[str, TableResult], style: CsvStyle | None) -> bytes | None:
    """Return the content of a file, as text in the style; None if format or encoding cannot represent the table."""
    if name.endswith(".xlsx"):
        return _excel(tables)
    table = next(iter(tables.values()))
    return _parquet(table) if style is None else style.encoded(_csv(table, style))


def _columns(table: TableResult) -> Iterator[list[Cell]]:
    """Yield the cells of each column for writing: dates without a time, numbers without rounding errors."""
    for place, column in enumerate(table.columns):
        cells = [row[place] for row in table.rows]
        if column.kind == "datetime":
            cells = readable_times(cells)
        yield [_without_noise(cell) if isinstance(cell, float) else cell for cell in cells]


def _without_noise(value: float) -> float:
    """Return a number without the rounding error of its calculation: 3004428.26 for 3004428.2600000002."""
    if not math.isfinite(value) or value.is_integer() or float(f"{value:.15g}") == value:
        return value
    return float(f"{value:.12g}") if abs(value) < 1e10 else round(value, 2)


def _csv(table: TableResult, style: CsvStyle) -> str:
    """Return the table as CSV. A text that a spreadsheet would run as a formula gets an apostrophe."""

    def written(value: Cell) -> Any:
        if isinstance(value, float):
            return str(value).replace(".", style.decimal)
        return "" if value is None else _not_a_formula(value)

    text = io.StringIO(newline="")
    writer = csv.writer(text, delimiter=style.separator)
    writer.writerow([_not_a_formula(column.name) for column in table.columns])
    for row in zip(*_columns(table), strict=True):
        writer.writerow(map(written, row))
    return text.getvalue()


def _not_a_formula(value: Any) -> Any:
    if not isinstance(value, str) or not value.startswith(_FORMULA):
        return value
    try:
        float(value)
    except ValueError:
        return f"'{value}"
    return value


def _excel(tables: Mapping[str, TableResult]) -> bytes:
    """Return a workbook with one sheet per table. Texts are never formulas or links."""
    from xlsxwriter import Workbook

    out, names = io.BytesIO(), list[str]()
    with Workbook(out, {"in_memory": True}) as book:
        formats = {kind: book.add_format({"num_format": f}) for kind, f in _DATE_FORMATS.items()}
        for number, (key, table) in enumerate(tables.items(), 1):
            names.append(_sheet_name(key or f"Table {number}", names))
            sheet = book.add_worksheet(names[-1])
            sheet.freeze_panes(1, 0)
            for place, (column, cells) in enumerate(zip(table.columns, _columns(table), strict=True)):
                sheet.write_string(0, place, column.name[:_LONGEST_CELL])
                for line, cell in enumerate(cells, 1):
                    _write_cell(sheet, line, place, _excel_value(cell, column), formats)
            sheet.autofit()
    return out.getvalue()


_DATE_FORMATS = {date: "yyyy-mm-dd", datetime: "yyyy-mm-dd hh:mm:ss"}


def _sheet_name(key: str, taken: Collection[str]) -> str:
    """Return a valid name for a sheet, different from those taken."""
    name = re.sub(r"[\[\]:*?/\\\x00-\x1f]", " ", key).strip(" '")[:_LONGEST_SHEET_NAME].strip(" '") or "Table"
    name = f"{name}_" if name.casefold() == "history" else name
    there, number, chosen = set(map(str.casefold, taken)), 1, name
    while chosen.casefold() in there:
        number += 1
        chosen = f"{name[: _LONGEST_SHEET_NAME - 1 - len(str(number))]}-{number}"
    return chosen


def _excel_value(cell: Cell, column: Column) -> Cell | date:
    """Return dates and times as such, and a number that Excel would round as text."""
    if isinstance(cell, str) and column.kind in ("date", "datetime"):
        try:
            time = datetime.fromisoformat(cell)
        except ValueError:
            return cell
        if time.tzinfo is not None or time < _EARLIEST:
            return cell
        return time if len(cell) > len("2025-01-01") else time.date()
    if isinstance(cell, int) and abs(cell) >= _LARGEST_INTEGER:
        return str(cell)
    return cell


def _write_cell(sheet: Any, line: int, place: int, value: Cell | date, formats: Mapping[type[date], Any]) -> None:
    match value:
        case None:
            pass
        case bool():
            sheet.write_boolean(line, place, value)
        case int() | float():
            sheet.write_number(line, place, value)
        case str():
            sheet.write_string(line, place, value[:_LONGEST_CELL])
        case _:
            sheet.write_datetime(line, place, value, formats[type(value)])


def _parquet(table: TableResult) -> bytes | None:
    """Return the table as Parquet, or None if its column names are not unique."""
    import pyarrow
    import pyarrow.parquet

    names = [column.name for column in table.columns]
    if len(set(names)) != len(names) or not names:
        return None
    arrays = []
    for place, column in enumerate(table.columns):
        values = [row[place] for row in table.rows]
        try:
            array = pyarrow.array(values)
        except (pyarrow.ArrowInvalid, pyarrow.ArrowTypeError, OverflowError):
            array = pyarrow.array([None if v is None else str(v) for v in values], pyarrow.string())
        if column.kind in ("datetime", "date"):
            with contextlib.suppress(pyarrow.ArrowInvalid, pyarrow.ArrowNotImplementedError):
                array = array.cast(pyarrow.timestamp("us"))
        arrays.append(array)
    out = io.BytesIO()
    pyarrow.parquet.write_table(pyarrow.table(arrays, names=names), out)
    return out.getvalue()
