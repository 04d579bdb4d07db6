"""Results of executions as text, for people and for the prompts of models."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING

from graphwright.text.catalogue import ENGLISH, Catalogue, numeral
from graphwright.text.sentences import marked

if TYPE_CHECKING:
    from graphwright_confined.execution import Cell, Column, ListResult, MappingResult, Result, TableResult, TextResult

__all__ = ["TextFormat", "result_text", "readable_times", "readable_value"]

_say = Catalogue(Path(__file__).with_suffix(".json")).say


@dataclass(frozen=True, slots=True)
class TextFormat:
    """The limits and the notation of a result as text."""

    rows: int
    columns: int
    entries: int
    """The maximum number of entries of a mapping or a list."""
    cell: int
    """The maximum length of a cell of a table, in characters."""
    text: int | None
    """The maximum length of the whole text, in characters."""
    exact: bool
    """With `exact`, values are written as in code, and lists in brackets.

    Without it, they are written for people: six significant digits (four for computed numbers), but at least two
    decimals, the same number in a whole column, thousands separators, and dates without a time if all are midnight.
    Blanks around a text, and invisible characters, are shown in quotes.
    """
    language: str = ENGLISH
    """The language of its words, and of the separators in its numbers."""


EXACT = TextFormat(rows=20, columns=20, entries=20, cell=60, text=None, exact=True)
"""For the terminal."""

READABLE = TextFormat(rows=20, columns=12, entries=60, cell=40, text=4_000, exact=False)
"""For answers to questions, and for the prompts of models that write them."""


def result_text(result: Result, format: TextFormat = EXACT) -> str:
    """A result as a few lines of plain text, or an empty text. The text reports omitted parts."""
    match result.type:
        case "none":
            return ""
        case "scalar":
            if result.kind == "datetime" and not format.exact:
                return _cell(readable_times([result.value])[0], format)
            return _cell(result.value, format)
        case "text":
            return _text(result, format)
        case "table":
            return _table(result, format)
        case "mapping":
            return _bounded(_mapping(result, format) or ("{}" if format.exact else ""), format)
        case "list":
            return _bounded(_list(result, format, brackets=format.exact), format)


def _inner(result: Result, format: TextFormat, brackets: bool) -> str:
    """A result inside another one: an empty one is written as well, and a list has brackets to end it."""
    if result.type == "list":
        return _bounded(_list(result, format, brackets=brackets or not result.length), format)
    if result.type == "text" and "\n" not in result.text and len(result.text) == result.length:
        return marked(result.text)
    return result_text(result, format) or {"none": "None", "mapping": "{}"}.get(result.type, "")


def _text(result: TextResult, format: TextFormat) -> str:
    shown = result.text[: format.text]
    return shown if len(shown) == result.length else f"{shown}… ({result.length:,} characters)"


def _bounded(text: str, format: TextFormat) -> str:
    if format.text is None or len(text) <= format.text:
        return text
    return f"{text[: format.text]}… ({len(text):,} characters)"


def _mapping(result: MappingResult, format: TextFormat) -> str:
    entries = result.entries[: format.entries]
    keys: Sequence[Cell] = [entry.key for entry in entries]
    if not format.exact:
        keys = [
            key.replace("_", " ") if isinstance(key, str) and entry.value.type == "table" and "." not in key else key
            for key, entry in zip(readable_times(keys), entries, strict=True)
        ]
    lines = [
        _entry(f"{marked(str(key))}:", _inner(entry.value, format, format.exact))
        for key, entry in zip(keys, entries, strict=True)
    ]
    return _with_count("\n".join(lines), len(lines), result.length, "entries", format)


def _list(result: ListResult, format: TextFormat, brackets: bool) -> str:
    items = [_inner(item, format, True) for item in result.items[: format.entries]]
    if any("\n" in item for item in items):
        return _with_count("\n".join(_entry("-", item) for item in items), len(items), result.length, "items", format)
    if not brackets:
        return _with_count(", ".join(items), len(items), result.length, "items", format)
    left = result.length - len(items)
    return f"[{', '.join([*items, *([f'... {left:,} more'] if left else [])])}]"


def _entry(head: str, text: str) -> str:
    if "\n" not in text:
        return f"{head} {text}".rstrip()
    return "\n  ".join([head, *text.splitlines()])


def _with_count(text: str, shown: int, total: int, unit: str, format: TextFormat) -> str:
    return text if total <= shown else f"{text}\n({_some(shown, total, unit, format)})"


def _some(shown: int, total: int, unit: str, format: TextFormat) -> str:
    """The number of shown rows or columns: `5 of 1,200 rows`; only the total if none is shown."""
    count, unit = numeral(f"{total:,}", format.language), _say(format.language, unit)
    return _say(format.language, "some", shown=shown, total=count, unit=unit) if shown else f"{count} {unit}"


def _table(table: TableResult, format: TextFormat) -> str:
    if not table.columns:
        return f"a table without columns, {_some(0, table.row_count, 'rows', format)}"
    columns = table.columns[: format.columns]
    width = len(columns)
    heads = [_short(column.name, format) for column in columns]
    rows = [row[:width] for row in table.rows[: format.rows]]
    if not format.exact:
        rows = _uniform_columns(rows, columns, format.language)
    cells = [[_short(_cell(value, format), format) for value in row] for row in rows]
    sizes = [max(len(line[place]) for line in (heads, *cells)) for place in range(width)]
    right = [column.kind in ("integer", "number", "decimal") for column in columns]
    lines = [
        "  ".join(text.rjust(size) if r else text.ljust(size) for text, size, r in zip(line, sizes, right, strict=True))
        for line in (heads, *cells)
    ]
    left_out = []
    if table.row_count > len(cells):
        left_out.append(_some(len(cells), table.row_count, "rows", format))
    if table.column_count > width:
        left_out.append(_some(width, table.column_count, "columns", format))
    if not table.row_count:
        left_out.append(_say(format.language, "no_rows"))
    text = "\n".join(line.rstrip() for line in lines)
    return f"{text}\n({', '.join(left_out)})" if left_out else text


def _short(text: str, format: TextFormat) -> str:
    line = marked(text)
    line = " ".join(text.split()) if line == text else line
    return line if len(line) <= format.cell else f"{line[: format.cell - 1]}…"


def _cell(value: Cell, format: TextFormat) -> str:
    if value is None:
        return _say(format.language, "missing")
    if isinstance(value, bool) and not format.exact:
        return _say(format.language, readable_value(value))
    if not format.exact:
        return value if isinstance(value, str) else numeral(readable_value(value), format.language)
    return f"{value:.10g}" if isinstance(value, float) else str(value)


_TIME = re.compile(r"(?P<day>\d{4,}-\d\d-\d\d)[T ](?P<time>\d\d:\d\d:\d\d(?:\.\d+)?)(?P<zone>Z|[+-]\d\d:\d\d)?")


def _uniform_columns(rows: list[list[Cell]], columns: Sequence[Column], language: str) -> list[list[Cell]]:
    """The rows with times and numbers written for people, in one notation for each column."""
    found: list[list[Cell]] = [list(cells) for cells in zip(*rows, strict=True)]
    for place, cells in enumerate(found):
        if columns[place].kind == "datetime":
            found[place] = readable_times(cells)
        else:
            numbers = [abs(e) for e in cells if isinstance(e, int | float) and not isinstance(e, bool)]
            decimals, grouped = _decimals(cells), max(numbers, default=0) >= _GROUPED
            found[place] = [_in_column(cell, decimals, language, grouped=grouped) for cell in cells]
    return [list(row) for row in zip(*found, strict=True)]


def _in_column(cell: Cell, decimals: int, language: str, *, grouped: bool) -> Cell:
    """A number with the decimals of its column, and with thousands separators if one number in it needs them."""
    if isinstance(cell, float):
        return numeral(_number(cell, decimals, grouped=grouped), language)
    if isinstance(cell, bool) or not isinstance(cell, int):
        return cell
    return numeral(f"{cell:,}" if grouped else f"{cell}", language)


def readable_times(values: Sequence[Cell]) -> list[Cell]:
    """Times in one notation: `2024-04-11 09:30:00`, or dates alone if all times are midnight."""
    found = [_TIME.fullmatch(value) if isinstance(value, str) else None for value in values]
    midnights = all(not each["time"].strip("0:.") and each["zone"] is None for each in found if each)
    return [
        value if each is None else each["day"] if midnights else f"{each['day']} {each['time']}{each['zone'] or ''}"
        for value, each in zip(values, found, strict=True)
    ]


def readable_value(value: bool | int | float | str) -> str:
    """A value written for people, such as 37,262.50 or 3.7575."""
    match value:
        case bool():
            return "true" if value else "false"
        case int():
            return f"{value:,}" if abs(value) >= _GROUPED else str(value)
        case float():
            return _number(value, _decimals([value]))
        case _:
            return value


_SMALL, _LARGE = 1e-4, 1e15
"""Numbers in this range are written without an exponent."""

_MAX_FILE_DECIMALS = 8
"""Numbers with more decimals are results of divisions and similar operations, not values from a file."""

_GROUPED = 10_000
"""The smallest number with thousands separators; a smaller one may be a year."""


def _decimals(cells: Iterable[Cell]) -> int:
    """The number of decimals of one column: as in its numbers, but limited.

    The limit is six significant digits of the largest number (four for computed ones), or two decimals if that is more,
    so that amounts of money keep their cents.
    """
    numbers = [abs(cell) for cell in cells if isinstance(cell, float)]
    # The rounding errors of floats begin after the 14th digit.
    exact = [Decimal(f"{each:.14g}") for each in numbers if _SMALL <= each < _LARGE]
    if not exact:
        return 0
    there = max(-int(each.normalize().as_tuple().exponent) for each in exact)
    digits = 4 if there > _MAX_FILE_DECIMALS else 6
    return min(there, max(2, digits - 1 - max(exact).adjusted())) if there > 0 else 0


def _number(value: float, decimals: int, *, grouped: bool = False) -> str:
    """A number with `decimals`; one that would lose its first digits is written with three significant ones."""
    size = abs(value)
    if size and not _SMALL <= size < _LARGE:
        return f"{value:.6g}"
    if size < 10.0 ** (2 - decimals) and abs(size - round(size, decimals)) > size * 1e-12:
        return f"{value:.3g}"
    return f"{value:,.{decimals}f}" if grouped or size >= _GROUPED or decimals > 1 else f"{value:.{decimals}f}"
