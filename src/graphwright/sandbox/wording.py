"""Results as text: for people, and for the prompts of models."""

from __future__ import annotations

from collections.abc import Sequence

from graphwright.sandbox.execution import (
    Cell,
    ListResult,
    MappingResult,
    NoResult,
    Result,
    ScalarResult,
    TableResult,
    TextResult,
)

_WIDEST = 60


def result_text(result: Result, rows: int = 20, columns: int = 20) -> str:
    """The result as text, tables cut to so many rows and columns with what is left out told. Empty for no result."""
    match result:
        case NoResult():
            return ""
        case ScalarResult():
            return _cell(result.value)
        case TextResult():
            left = result.length - len(result.text)
            return f"{result.text}\n... {left:,} more characters" if left > 0 else result.text
        case TableResult():
            return _table(result, rows, columns)
        case MappingResult():
            lines = [_entry(f"{entry.key}:", entry.value, rows, columns) for entry in result.entries[:rows]]
            return "\n".join([*lines, *_more(result.length - len(lines), "entries")]) or "{}"
        case ListResult():
            if all(isinstance(item, ScalarResult | TextResult | NoResult) for item in result.items):
                shown = ", ".join(result_text(item) or "None" for item in result.items[:rows])
                left = result.length - min(rows, len(result.items))
                return f"[{shown}{f', ... {left:,} more' if left else ''}]"
            lines = [_entry("-", item, rows, columns) for item in result.items[:rows]]
            return "\n".join([*lines, *_more(result.length - len(lines), "items")])


def _entry(head: str, value: Result, rows: int, columns: int) -> str:
    text = result_text(value, rows, columns) or "None"
    return f"{head} {text}" if "\n" not in text else "\n  ".join([head, *text.splitlines()])


def _table(table: TableResult, rows: int, columns: int) -> str:
    shown = [column.name for column in table.columns[:columns]]
    cells = [[_cell(cell) for cell in row[:columns]] for row in table.rows[:rows]]
    if not shown:
        return f"a table of {table.row_count:,} rows and no columns"
    numeric = [column.kind in ("integer", "number", "decimal") for column in table.columns[:columns]]
    every = [[_short(text) for text in row] for row in (shown, *cells)]
    widths = [max(len(row[place]) for row in every) for place in range(len(shown))]
    lines = [
        "  ".join(_padded(text, width, right) for text, width, right in zip(row, widths, numeric, strict=True)).rstrip()
        for row in every
    ]
    left = [
        *_more(table.row_count - len(cells), "rows"),
        *_more(table.column_count - len(shown), "columns"),
    ]
    if not table.row_count:
        left.append("no rows")
    return "\n".join([*lines, *left])


def _padded(text: str, width: int, right: bool) -> str:
    return text.rjust(width) if right else text.ljust(width)


def _more(count: int, what: str) -> Sequence[str]:
    return [f"... {count:,} more {what}"] if count > 0 else []


def _short(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= _WIDEST else line[: _WIDEST - 1] + "…"


def _cell(value: Cell) -> str:
    match value:
        case None:
            return "missing"
        case bool() | str():
            return str(value)
        case float():
            return f"{value:.10g}"
    return str(value)
