"""What an execution came to: as text for people and prompts, and as the numbers that a text about it may name."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from graphwright.sandbox.execution import Cell, Execution, Result, TableResult

MOST_ROWS = 20
MOST_COLUMNS = 12
LONGEST_CELL = 40
LONGEST_TEXT = 4_000
"""Characters of a result as text."""


def result_text(result: Result) -> str:
    """A result as a few lines of plain text; empty where there is none. What is left out is said."""
    match result.type:
        case "none":
            return ""
        case "scalar":
            return cell_text(result.value)
        case "text":
            more = f"… ({result.length:,} characters)" if result.length > len(result.text) else ""
            return _bounded(result.text) + more
        case "table":
            return table_text(result)
        case "mapping":
            lines = []
            for entry in result.entries[: 3 * MOST_ROWS]:
                inner = result_text(entry.value)
                lines.append(f"{entry.key}: {inner}" if "\n" not in inner else f"{entry.key}:\n{_indented(inner)}")
            return _bounded(_told("\n".join(lines), len(lines), result.length, "entries"))
        case _:
            lines = [result_text(item) for item in result.items[: 3 * MOST_ROWS]]
            flat = ", ".join(lines) if all("\n" not in line for line in lines) else "\n".join(lines)
            return _bounded(_told(flat, len(lines), result.length, "items"))


def _bounded(text: str) -> str:
    return text if len(text) <= LONGEST_TEXT else f"{text[:LONGEST_TEXT]}… ({len(text):,} characters)"


def _indented(text: str) -> str:
    return "\n".join(f"  {line}" for line in text.splitlines())


def _told(text: str, shown: int, there: int, what: str) -> str:
    return text if there <= shown else f"{text}\n({shown} of {there:,} {what})"


def cell_text(value: Cell) -> str:
    """A value as people read it: integers with thousands separators, other numbers with six significant digits."""
    match value:
        case None:
            return "missing"
        case bool():
            return "true" if value else "false"
        case int():
            return f"{value:,}" if abs(value) >= 10_000 else str(value)
        case float():
            if value == int(value) and abs(value) < 1e15:
                return f"{value:,.0f}" if abs(value) >= 10_000 else f"{value:.1f}"
            return f"{value:,.6g}" if 1e-4 <= abs(value) < 1e6 else f"{value:.6g}"
        case str():
            return value
    raise AssertionError(f"no cell: {value!r}")


def table_text(table: TableResult) -> str:
    """The first rows and columns of a table, aligned; what is left out is said."""
    if not table.columns:
        return f"a table without columns, {table.row_count:,} rows"
    width = min(len(table.columns), MOST_COLUMNS)
    heads = [_short(column.name) for column in table.columns[:width]]
    cells = [[_short(cell_text(value)) for value in row[:width]] for row in table.rows[:MOST_ROWS]]
    sizes = [max(len(line[i]) for line in [heads, *cells]) for i in range(width)]
    right = [table.columns[i].kind in ("integer", "number", "decimal") for i in range(width)]
    lines = [
        "  ".join(text.rjust(size) if r else text.ljust(size) for text, size, r in zip(line, sizes, right, strict=True))
        for line in [heads, *cells]
    ]
    text = "\n".join(line.rstrip() for line in lines)
    left_out = []
    if table.row_count > len(cells):
        left_out.append(f"{len(cells)} of {table.row_count:,} rows" if cells else f"{table.row_count:,} rows")
    if table.column_count > width:
        left_out.append(f"{width} of {table.column_count:,} columns")
    if not table.row_count:
        left_out.append("no rows")
    return f"{text}\n({', '.join(left_out)})" if left_out else text


def _short(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= LONGEST_CELL else f"{line[: LONGEST_CELL - 1]}…"


def numbers_in(execution: Execution, most: int = 50_000) -> list[float]:
    """The numbers of the result, as far as they came back, and how many rows and entries there are."""
    found: list[float] = []
    for value in _values(execution.result):
        if isinstance(value, bool):
            continue
        if isinstance(value, int | float):
            found.append(float(value) if abs(value) < 1e300 else float("inf"))
        elif isinstance(value, str) and value and len(value) < 40:
            found += numbers_of_text(value)
        if len(found) >= most:
            break
    return found


def numbers_of_text(text: str) -> list[float]:
    """The numbers in a text of the program: `p = 0.031`, `(12, 3.5)`, `1e-05`."""
    from graphwright.agents.data_scientist.grounding import numbers_said

    return [number.value for number in numbers_said(text)]


def _values(result: Result) -> Iterator[Cell]:
    match result.type:
        case "scalar":
            yield result.value
        case "text":
            yield from numbers_of_text(result.text)
        case "table":
            yield result.row_count
            yield result.column_count
            for column in result.columns:
                yield column.name
            for row in result.rows:
                yield from row
        case "mapping":
            yield result.length
            for entry in result.entries:
                yield entry.key
                yield from _values(entry.value)
        case "list":
            yield result.length
            for item in result.items:
                yield from _values(item)
        case _:
            return


def empty_reason(execution: Execution) -> str:
    """Why the result says nothing, so that code which ran did not answer; empty where it says something."""
    result = execution.result
    if execution.figures:
        return ""
    match result.type:
        case "none":
            return "The code ran, but left nothing in `result` or `fig`. Store the answer in `result`."
        case "scalar" if result.value is None or result.value in ("NaN", "nan"):
            return "The result is missing (NaN): a filter that no row passes, or a calculation over nothing."
        case "text" if not result.text.strip():
            return "The result is an empty text."
        case "table" if result.row_count and _all_missing(result):
            return "The result holds nothing but missing values (NaN)."
        case "mapping" if not result.length:
            return "The result is an empty dictionary."
        case "list" if not result.length:
            return "The result is an empty list."
        case _:
            return ""


def _all_missing(table: TableResult) -> bool:
    cells = [value for row in table.rows for value in row[table.index :]]
    return bool(cells) and all(value is None for value in cells)
