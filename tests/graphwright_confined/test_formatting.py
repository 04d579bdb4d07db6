"""Results as text: exact for a terminal, readable for answers and prompts, with notes on omissions."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from pydantic import TypeAdapter

from graphwright_confined.execution import Result
from graphwright_confined.formatting import EXACT, READABLE, result_text

READ: TypeAdapter[Result] = TypeAdapter(Result)


def of(value: Any, length: int | None = None) -> dict[str, Any]:
    """A result as it is returned, made of plain values; `length` is its full length."""
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
        (3218.51234567, "3218.512346", "3,218.51"),
        (1.5e-9, "1.5e-09", "1.5e-09"),
        (2024.0, "2024", "2024"),
        (123456789012345.75, "1.23456789e+14", "123,456,789,012,346"),
        ([1, "b"], "[1, b]", "1, b"),
        ({"a": [], "b": [1, 2], "c": {}}, "a: []\nb: [1, 2]\nc: {}", "a: []\nb: 1, 2\nc: {}"),
        (["a\nb", 2], "-\n  a\n  b\n- 2", "-\n  a\n  b\n- 2"),
        ({"2024-04-11T00:00:00": 1}, "2024-04-11T00:00:00: 1", "2024-04-11: 1"),
    ],
)
def test_values_exactly_and_readably(value: Any, as_written: str, as_read: str) -> None:
    assert (exact(value), readable(value)) == (as_written, as_read)


def test_tables_stand_in_columns_whose_cells_have_one_form() -> None:
    table = (("n", "name"), (1, "x"), (22, None))
    assert exact({"table": table, "p": 0.5}) == "table:\n   n  name\n   1  x\n  22  missing\np: 0.5"
    assert exact((("n", "name"),)) == "n  name\n(no rows)"
    assert exact(((), (), ())) == "a table without columns, 2 rows"
    assert readable((("name",), ("y " * 40 + "y",))).splitlines()[1] == f"{('y ' * 40)[:39]}…"
    for kind, cells, as_read in (
        ("number", [37262.5, 9202.34, None], ["37,262.50", "9,202.34", "missing"]),
        ("number", [123456.789, 0.0412345, 3e-9], ["123,456.79", "0.0412", "3e-09"]),
        ("number", [37262.5, 9202.5], ["37,262.5", "9,202.5"]),
        ("integer", [37262, 9202, None], ["37,262", "9,202", "missing"]),
        ("integer", [2024, 9202], ["2024", "9202"]),
        ("number", [2.0, 4.0, "NaN"], ["2", "4", "NaN"]),
        ("number", [28.506389012, 0.0219580123], ["28.51", "0.022"]),
        ("number", [52.520008, 13.404954], ["52.5200", "13.4050"]),
        ("datetime", ["2024-04-11T00:00:00", None], ["2024-04-11", "missing"]),
        ("datetime", ["2024-04-11T00:00:00", "2024-05-01T09:30:00"], ["2024-04-11 00:00:00", "2024-05-01 09:30:00"]),
    ):
        shape = {"row_count": len(cells), "column_count": 1, "columns": [{"name": "n", "kind": kind}]}
        column = READ.validate_python({"type": "table", "rows": [[cell] for cell in cells], **shape})
        assert [line.strip() for line in result_text(column, READABLE).splitlines()[1:]] == as_read


def test_blanks_and_characters_that_are_not_seen_are_shown_in_quotes() -> None:
    cells = ("open", "OPEN ", "a\u200b", "b\u00a0", "x  y", "two\nlines", "100\u202f%")
    shown = ["open", '"OPEN "', '"a\\u200b"', '"b\\u00a0"', '"x  y"', "two lines", "100 %"]
    for text in (exact, readable):
        assert text((("name",), *((cell,) for cell in cells))).splitlines()[1:] == shown
    assert readable({"OPEN ": 9, "v": ["a", " b"]}) == '"OPEN ": 9\nv: a, " b"'


def test_words_and_numbers_of_a_table_follow_the_language() -> None:
    shape = {"row_count": 9_000, "column_count": 2, "columns": [{"name": n, "kind": "number"} for n in "ab"]}
    table = READ.validate_python({"type": "table", "rows": [[84_000, 1.5], [None, 1234.25]], **shape})
    for language, rows in (
        ("de", ["84.000      1,50", " fehlt  1.234,25", "(2 von 9.000 Zeilen)"]),
        ("fr-CA", ["84 000      1,50", "manquant  1 234,25", "(2 lignes sur 9 000)"]),
        ("pt", ["84,000      1.50", "missing  1,234.25", "(2 of 9,000 rows)"]),
    ):
        lines = result_text(table, replace(READABLE, language=language)).replace("\u202f", " ").splitlines()[1:]
        assert [line.split() for line in lines] == [row.split() for row in rows]


def test_names_of_tables_have_spaces_and_keys_of_numbers_and_files_stay() -> None:
    table = (("n",), (1,))
    assert readable({"by_month": table, "p_value": 0.5}) == "by month:\n  n\n  1\np_value: 0.5"
    assert readable({"by_month.csv": table}) == "by_month.csv:\n  n\n  1"


def test_omissions_are_reported() -> None:
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
