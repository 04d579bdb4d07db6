"""What an execution came to: the numbers that a text about it may name, and why it says nothing where it does not."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from graphwright.sandbox.execution import Cell, Execution, Result, TableResult


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
    """The numbers in a text of the program: `p = 0.031`, `(12, 3.5)`, `1e-05`, and those of its dates and times."""
    from graphwright.agents.data_scientist.grounding import hours_in, numbers_said

    return [*(number.value for number in numbers_said(text)), *hours_in(text)]


LEVEL = 0.05
"""The usual level of significance."""

_P_VALUE = re.compile(
    r"(?<![\w.])p(?:[-_ ]?val(?:ue)?)?[ \t]*[:=][ \t]*(?P<p>\d+(?:\.\d+)?(?:e-?\d+)?)(?![\w.]*\d)", re.IGNORECASE
)


def p_value_of(text: str) -> float | None:
    """The p-value in the text of a result; None where there is none, or several."""
    found = list(_P_VALUE.finditer(text))
    if len(found) != 1 or not 0 <= float(found[0]["p"]) <= 1:
        return None
    return float(found[0]["p"])


def verdict_of(text: str) -> str:
    """What the p-value in the text of a result says at the usual level; empty where there is none, or several."""
    p = p_value_of(text)
    if p is None:
        return ""
    if p < LEVEL:
        return f"The p-value is below {LEVEL}: statistically significant."
    return f"The p-value is not below {LEVEL}: not statistically significant."


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
