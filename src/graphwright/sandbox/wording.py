"""Results as text: for people, and for the prompts of models."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from graphwright.sandbox.execution import Cell, Column, ListResult, MappingResult, Result, TableResult, TextResult


@dataclass(frozen=True, slots=True)
class Wording:
    """How much of a result is told, and whether as code would write it."""

    rows: int
    columns: int
    entries: int
    """Of a mapping or a list."""
    cell: int
    """Characters of a cell of a table."""
    text: int | None
    """Characters of it all."""
    exact: bool
    """Values as code writes them, lists in brackets; else as people do: six significant digits but two decimals at
    least, as many in all of a column, thousands separators, and dates without a time where none has one."""


EXACT = Wording(rows=20, columns=20, entries=20, cell=60, text=None, exact=True)
"""For somebody at a terminal, who ran the code and wants to see what it came to."""

READABLE = Wording(rows=20, columns=12, entries=60, cell=40, text=4_000, exact=False)
"""For an answer to a question, and for the prompt of a model that words it."""


def result_text(result: Result, wording: Wording = EXACT) -> str:
    """A result as a few lines of plain text; empty where there is none. What is left out is told."""
    match result.type:
        case "none":
            return ""
        case "scalar":
            if result.kind == "datetime" and not wording.exact:
                return _cell(_moments([result.value])[0], wording)
            return _cell(result.value, wording)
        case "text":
            return _text(result, wording)
        case "table":
            return _table(result, wording)
        case "mapping":
            return _bounded(_mapping(result, wording) or ("{}" if wording.exact else ""), wording)
        case "list":
            return _bounded(_list(result, wording, brackets=wording.exact), wording)


def _inner(result: Result, wording: Wording, brackets: bool) -> str:
    """A result within another, where nothing has to be told, too, and one list has to stay apart from the next."""
    if result.type == "list":
        return _bounded(_list(result, wording, brackets=brackets or not result.length), wording)
    return result_text(result, wording) or {"none": "None", "mapping": "{}"}.get(result.type, "")


def _text(result: TextResult, wording: Wording) -> str:
    shown = result.text[: wording.text]
    return shown if len(shown) == result.length else f"{shown}… ({result.length:,} characters)"


def _bounded(text: str, wording: Wording) -> str:
    if wording.text is None or len(text) <= wording.text:
        return text
    return f"{text[: wording.text]}… ({len(text):,} characters)"


def _mapping(result: MappingResult, wording: Wording) -> str:
    entries = result.entries[: wording.entries]
    keys: Sequence[Cell] = [entry.key for entry in entries]
    if not wording.exact:
        keys = _moments(keys)
    lines = [
        _entry(f"{key}:", _inner(entry.value, wording, wording.exact)) for key, entry in zip(keys, entries, strict=True)
    ]
    return _told("\n".join(lines), len(lines), result.length, "entries")


def _list(result: ListResult, wording: Wording, brackets: bool) -> str:
    items = [_inner(item, wording, True) for item in result.items[: wording.entries]]
    if any("\n" in item for item in items):
        return _told("\n".join(_entry("-", item) for item in items), len(items), result.length, "items")
    if not brackets:
        return _told(", ".join(items), len(items), result.length, "items")
    left = result.length - len(items)
    return f"[{', '.join([*items, *([f'... {left:,} more'] if left else [])])}]"


def _entry(head: str, text: str) -> str:
    if "\n" not in text:
        return f"{head} {text}".rstrip()
    return "\n  ".join([head, *text.splitlines()])


def _told(text: str, shown: int, there: int, what: str) -> str:
    return text if there <= shown else f"{text}\n({shown} of {there:,} {what})"


def _table(table: TableResult, wording: Wording) -> str:
    if not table.columns:
        return f"a table without columns, {table.row_count:,} rows"
    columns = table.columns[: wording.columns]
    width = len(columns)
    heads = [_short(column.name, wording) for column in columns]
    rows = [row[:width] for row in table.rows[: wording.rows]]
    if not wording.exact:
        rows = _alike(rows, columns)
    cells = [[_short(_cell(value, wording), wording) for value in row] for row in rows]
    sizes = [max(len(line[place]) for line in (heads, *cells)) for place in range(width)]
    right = [column.kind in ("integer", "number", "decimal") for column in columns]
    lines = [
        "  ".join(text.rjust(size) if r else text.ljust(size) for text, size, r in zip(line, sizes, right, strict=True))
        for line in (heads, *cells)
    ]
    left_out = []
    if table.row_count > len(cells):
        left_out.append(f"{len(cells)} of {table.row_count:,} rows" if cells else f"{table.row_count:,} rows")
    if table.column_count > width:
        left_out.append(f"{width} of {table.column_count:,} columns")
    if not table.row_count:
        left_out.append("no rows")
    text = "\n".join(line.rstrip() for line in lines)
    return f"{text}\n({', '.join(left_out)})" if left_out else text


def _short(text: str, wording: Wording) -> str:
    line = " ".join(text.split())
    return line if len(line) <= wording.cell else f"{line[: wording.cell - 1]}…"


def _cell(value: Cell, wording: Wording) -> str:
    if value is None:
        return "missing"
    return _as_written(value) if wording.exact else as_read(value)


_MOMENT = re.compile(r"(?P<day>\d{4,}-\d\d-\d\d)[T ](?P<time>\d\d:\d\d:\d\d(?:\.\d+)?)(?P<zone>Z|[+-]\d\d:\d\d)?")


def _alike(rows: list[list[Cell]], columns: Sequence[Column]) -> list[list[Cell]]:
    """The rows with moments and numbers as people write them, those of one column all in one form."""
    held: list[list[Cell]] = [list(cells) for cells in zip(*rows, strict=True)]
    for place, cells in enumerate(held):
        if columns[place].kind == "datetime":
            held[place] = _moments(cells)
        else:
            decimals = _decimals(cells)
            held[place] = [_number(cell, decimals) if isinstance(cell, float) else cell for cell in cells]
    return [list(row) for row in zip(*held, strict=True)]


def _moments(values: Sequence[Cell]) -> list[Cell]:
    """Moments all in one form: `2024-04-11 09:30:00`, or dates alone where each of them is a midnight."""
    found = [_MOMENT.fullmatch(value) if isinstance(value, str) else None for value in values]
    midnights = all(not each["time"].strip("0:.") and each["zone"] is None for each in found if each)
    return [
        value if each is None else each["day"] if midnights else f"{each['day']} {each['time']}{each['zone'] or ''}"
        for value, each in zip(values, found, strict=True)
    ]


def _as_written(value: bool | int | float | str) -> str:
    return f"{value:.10g}" if isinstance(value, float) else str(value)


def as_read(value: bool | int | float | str) -> str:
    """A value as people write it, such as 37,262.50 or 3.7575."""
    match value:
        case bool():
            return "true" if value else "false"
        case int():
            return f"{value:,}" if abs(value) >= 10_000 else str(value)
        case float():
            return _number(value, _decimals([value]))
        case _:
            return value


_SMALL, _LARGE = 1e-4, 1e15
"""From where to where numbers are written without an exponent."""


def _decimals(cells: Iterable[Cell]) -> int:
    """The decimals of numbers that stand together: those that they have, but at most six significant digits of the
    largest, or two decimals where that is more: sums of money keep their cents."""
    numbers = [abs(cell) for cell in cells if isinstance(cell, float)]
    # What adding up floats leaves behind stands after the 14th digit.
    exact = [Decimal(f"{each:.14g}") for each in numbers if _SMALL <= each < _LARGE]
    if not exact:
        return 1
    there = max(-int(each.normalize().as_tuple().exponent) for each in exact)
    return min(there, max(2, 5 - max(exact).adjusted())) if there > 0 else int(max(exact) < 10_000)


def _number(value: float, decimals: int) -> str:
    """A number with so many decimals; one that would lose its first digits by that is written with three of them."""
    size = abs(value)
    if size and not _SMALL <= size < _LARGE:
        return f"{value:.6g}"
    if size < 10.0 ** (2 - decimals) and abs(size - round(size, decimals)) > size * 1e-12:
        return f"{value:.3g}"
    # A year with a decimal is still read as a year.
    return f"{value:,.{decimals}f}" if size >= 10_000 or decimals > 1 else f"{value:.{decimals}f}"
