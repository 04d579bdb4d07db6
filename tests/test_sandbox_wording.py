"""Results as text: exact for a terminal, readable for answers and prompts, and what is left out is told."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from pydantic import TypeAdapter

from graphwright.sandbox.execution import Result
from graphwright.sandbox.formatting import EXACT, READABLE, result_text

READ: TypeAdapter[Result] = TypeAdapter(Result)


def of(value: Any, length: int | None = None) -> dict[str, Any]:
    """A result as it comes back, made of plain values; `length` is what there is of it."""
    match value:
        case dict():
            entries = [{"key": key, "value": of(inner)} for key, inner in value.items()]
            return {"type": "mapping", "entries": entries, "length": length or len(value)}
        case list():
            return {"type": "list", "items": [of(item) for item in value], "length": length or len(value)}
        case tuple():
            names, *rows = value
            columns = [{"name": name, "kind": "text" if name == "name" else "integer"} for name in names]
            shape = {"row_count": length or len(rows), "column_count": len(names)}
            return {"type": "table", "columns": columns, "rows": [list(row) for row in rows], **shape}
        case str():
            return {"type": "text", "text": value, "length": length or len(value)}
    return {"type": "scalar", "kind": "mixed", "value": value}


def exact(value: Any, length: int | None = None) -> str:
    return result_text(READ.validate_python(of(value, length)))


def readable(value: Any, length: int | None = None) -> str:
    return result_text(READ.validate_python(of(value, length)), READABLE)


@pytest.mark.parametrize(
    ("value", "as_written", "as_read"),
    [
        (None, "missing", "missing"),
        (True, "True", "true"),
        (1234567, "1234567", "1,234,567"),
        (9999, "9999", "9999"),
        (3218.51234567, "3218.512346", "3,218.51"),
        (46.0, "46", "46.0"),
        (0.1 + 0.2, "0.3", "0.3"),
        (1.5e-9, "1.5e-09", "1.5e-09"),
        (1200980.456, "1200980.456", "1,200,980.46"),
        (-24796512.5, "-24796512.5", "-24,796,512.5"),
        (123456.784, "123456.784", "123,456.78"),
        (2024.0, "2024", "2024.0"),
        (0.00321, "0.00321", "0.00321"),
        (999999.96, "999999.96", "999,999.96"),
        (999999.4, "999999.4", "999,999.4"),
        (123456789012345.75, "1.23456789e+14", "123,456,789,012,346"),
        (2.5e15 + 0.5, "2.5e+15", "2.5e+15"),
        ([1, "b"], "[1, b]", "1, b"),
        ([], "[]", ""),
        ({}, "{}", ""),
        ({"a": [], "b": [1, 2], "c": {}}, "a: []\nb: [1, 2]\nc: {}", "a: []\nb: 1, 2\nc: {}"),
        ([[1, 2], [3]], "[[1, 2], [3]]", "[1, 2], [3]"),
        (["a\nb", 2], "-\n  a\n  b\n- 2", "-\n  a\n  b\n- 2"),
        ({"2024-04-11T00:00:00": 1}, "2024-04-11T00:00:00: 1", "2024-04-11: 1"),
        ("x" * 4_000, "x" * 4_000, "x" * 4_000),
    ],
)
def test_values_exactly_and_readably(value: Any, as_written: str, as_read: str) -> None:
    assert (exact(value), readable(value)) == (as_written, as_read)


def test_tables_stand_in_columns() -> None:
    table = (("n", "name"), (1, "x"), (22, None))
    assert exact({"table": table, "p": 0.5}) == "table:\n   n  name\n   1  x\n  22  missing\np: 0.5"
    assert exact((("n", "name"),)) == "n  name\n(no rows)"
    assert exact(((), (), ())) == "a table without columns, 2 rows"
    assert readable((("name",), ("y " * 40,))).splitlines()[1] == f"{('y ' * 40)[:39]}…"


def test_what_is_left_out_is_told() -> None:
    table = READ.validate_python(of((("n",), *((number,) for number in range(100))), 100_000))
    assert result_text(table, replace(EXACT, rows=2)) == "n\n0\n1\n(2 of 100,000 rows)"
    wide = of((tuple(f"n{number}" for number in range(30)), tuple(range(30))))
    assert result_text(READ.validate_python(wide), READABLE).endswith("\n(12 of 30 columns)")
    assert exact(list(range(30)), 1_000).endswith(" 19, ... 980 more]")
    assert readable(list(range(70))).endswith(" 59\n(60 of 70 items)")
    assert readable({str(number): number for number in range(70)}).endswith("59: 59\n(60 of 70 entries)")
    assert exact("abc", 5_000) == "abc… (5,000 characters)"
    assert readable("x" * 9_000, 10_000_000) == f"{'x' * 4_000}… (10,000,000 characters)"
    assert len(readable(["x" * 3_000] * 50)) < 4_100
    assert result_text(READ.validate_python({"type": "none"})) == ""


def moments(*values: str | None) -> dict[str, Any]:
    shape = {"row_count": len(values), "column_count": 1, "columns": [{"name": "at", "kind": "datetime"}]}
    return {"type": "table", "rows": [[value] for value in values], **shape}


def test_moments_of_a_column_have_one_form() -> None:
    days = READ.validate_python(moments("2024-04-11T00:00:00", None, "2024-05-01T00:00:00"))
    assert result_text(days, READABLE).splitlines() == ["at", "2024-04-11", "missing", "2024-05-01"]
    times = READ.validate_python(moments("2024-04-11T00:00:00", "2024-05-01T09:30:00", "later"))
    assert result_text(times, READABLE).splitlines() == ["at", "2024-04-11 00:00:00", "2024-05-01 09:30:00", "later"]
    zone = {"type": "scalar", "kind": "datetime", "value": "2024-04-11T00:00:00+00:00"}
    assert result_text(READ.validate_python(zone), READABLE) == "2024-04-11 00:00:00+00:00"
    assert result_text(days).splitlines()[1] == "2024-04-11T00:00:00"
    assert result_text(READ.validate_python(moments()), READABLE) == "at\n(no rows)"


@pytest.mark.parametrize(
    ("cells", "as_read"),
    [
        ([37262.5, 9202.34, None], ["37,262.50", "9,202.34", "missing"]),
        ([2.0, 4.0, "NaN"], ["2.0", "4.0", "NaN"]),
        ([12.0, 12000.0], ["12", "12,000"]),
        ([0.814285714, 12.5], ["0.8143", "12.5000"]),
        ([123456.789, 0.0412345, 3e-9], ["123,456.79", "0.0412", "3e-09"]),
        ([0.0, 0.5], ["0.0", "0.5"]),
    ],
)
def test_numbers_of_a_column_have_the_same_decimals(cells: list[Any], as_read: list[str]) -> None:
    shape = {"row_count": len(cells), "column_count": 1, "columns": [{"name": "n", "kind": "number"}]}
    table = READ.validate_python({"type": "table", "rows": [[cell] for cell in cells], **shape})
    assert [line.strip() for line in result_text(table, READABLE).splitlines()[1:]] == as_read
