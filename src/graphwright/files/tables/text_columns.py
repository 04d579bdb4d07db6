"""Columns of text that hold numbers or times: typed where all values fit and nothing gets lost."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import cache

import duckdb

from graphwright.files.errors import few, shown
from graphwright.files.tables.engine import count, literal, quoted

_SAMPLE = 100
_SOMETIMES, _MOSTLY = 0.1, 0.5
"""The share of numbers in the first rows from which on all are counted, and that in all rows that is worth a word."""

_WHOLE = r"[+-]?(0|[1-9]\d{0,17})"
"""A whole number that a BIGINT surely holds, and that has no leading zeros to lose."""

_GROUPS = {"": "", ".": "[,' \xa0\u202f]", ",": "[.' \xa0\u202f]"}
"""By the style of numbers, the signs between thousands: a style is the decimal sign, empty for DuckDB's own numbers."""

_THREE = re.compile(r"[+-]?[1-9]\d{0,2},\d{3}")
_ISO = re.compile(r"\d{4}[/-]\d{1,2}[/-]\d{1,2}([ T].*)?")
_DATE = re.compile(r"\d{1,2}([./-])\d{1,2}\1(\d{4}|\d{2})([ T]\d{1,2}:\d{2}(:\d{2})?)?")
_TIMES = ("", " %H:%M:%S", " %H:%M", "T%H:%M:%S", "T%H:%M")


@cache
def _number(style: str) -> re.Pattern[str]:
    """A number with the signs of a style where they belong: DuckDB alone would read 1.5 as 15."""
    decimal, group = re.escape(style or "."), _GROUPS[style]
    whole = rf"([1-9]\d{{0,2}}({group}\d{{3}})+|\d+)" if group else r"\d+"
    return re.compile(rf"[+-]?({whole}({decimal}\d*)?|{decimal}\d+)([eE][+-]?\d+)?")


def style_of(columns: Sequence[Sequence[str]], separator: str) -> str:
    """The style of numbers that makes the most columns numeric; where two do, the separator decides."""

    def numeric(style: str) -> int:
        matches = _number(style).fullmatch
        return sum(bool(cells) and all(matches(cell.strip()) for cell in cells) for cells in columns)

    return max(("", ".", ",") if separator == "," else ("", ",", "."), key=numeric)


class TextColumns:
    """Types the text columns of a relation, of which numbers are written in `style`, and collects `notes` on that."""

    def __init__(self, connection: duckdb.DuckDBPyConnection, relation: str, style: str) -> None:
        self._connection, self._relation, self._style = connection, relation, style
        self._notes: list[str] = []
        self._commas: list[str] = []

    @property
    def notes(self) -> list[str]:
        """How numbers and dates were read, and which dates were left as text."""
        return [*([f"Decimal commas were read in {few(self._commas)}."] if self._commas else []), *self._notes]

    def typed(self, name: str, present: int, values: Sequence[str]) -> tuple[str, str] | None:
        """The SQL and the type of a column with `present` values, the first of which are `values`; None: it is text."""
        cells = [value.strip() for value in values]
        fitting = []
        for wanted, kind in self._candidates(f"trim({quoted(name)})", cells[:_SAMPLE]):
            sql = f"TRY_CAST({wanted} AS {kind})"
            if count(self._connection, f"{self._relation} WHERE {sql} IS NOT NULL") == present:
                fitting.append((sql, kind))
                if kind != "TIMESTAMP":
                    self._note_commas(name, cells)
                    break
        if len(fitting) > 1:
            why = "has dates of which nothing tells the day from the month: it was left as text"
            self._notes.append(f"`{shown(name)}` {why}.")
        return fitting[0] if len(fitting) == 1 else None

    def numbers_among(self, name: str, present: int, values: Sequence[str]) -> int:
        """How many values of a text column are numbers; 0 where these are few, or all of them."""
        is_number = _number(self._style).fullmatch
        if sum(bool(is_number(value.strip())) for value in values) <= _SOMETIMES * len(values):
            return 0
        number = f"TRY_CAST({self._with_point(f'trim({quoted(name)})')} AS DOUBLE)"
        numbers = count(self._connection, f"{self._relation} WHERE {number} IS NOT NULL")
        return numbers if _MOSTLY * present < numbers < present else 0

    def _candidates(self, text: str, cells: Sequence[str]) -> Iterator[tuple[str, str]]:
        """What the values may be, by the first ones: SQL that is NULL where another value is not that, and its type."""
        if all(map(_number(self._style).fullmatch, cells)):
            number = self._with_point(text)
            yield f"CASE WHEN regexp_full_match({number}, {literal(_WHOLE)}) THEN {number} END", "BIGINT"
            if not all(cell.lstrip("+-").isdigit() for cell in cells):
                yield number, "DOUBLE"
        elif all(map(_ISO.fullmatch, cells)):
            yield f"replace({text}, '/', '-')", "TIMESTAMP"
        elif (dates := [date for date in map(_DATE.fullmatch, cells) if date]) and len(dates) == len(cells):
            sign, digits = dates[0][1], len(dates[0][2])
            for order in ("%d{0}%m{0}", "%m{0}%d{0}")[: 1 if sign == "." else 2]:
                forms = [f"{order.format(sign)}{'%Y' if digits == 4 else '%y'}{time}" for time in _TIMES]
                date = f"try_strptime({text}, {literal(forms)})"
                yield f"CASE WHEN regexp_matches({text}, '[./-]\\d{{{digits}}}(\\D|$)') THEN {date} END", "TIMESTAMP"

    def _with_point(self, text: str) -> str:
        """A number in the style of the file as one that DuckDB reads; NULL where its signs stand elsewhere."""
        if not self._style:
            return text
        plain = f"replace(regexp_replace({text}, {literal(_GROUPS[self._style])}, '', 'g'), ',', '.')"
        return f"CASE WHEN regexp_full_match({text}, {literal(_number(self._style).pattern)}) THEN {plain} END"

    def _note_commas(self, name: str, cells: Sequence[str]) -> None:
        """Note decimal commas, and those that may be ones for thousands."""
        with_comma = [cell for cell in cells if "," in cell]
        if with_comma and self._style == ",":
            self._commas.append(name)
        if with_comma and all(map(_THREE.fullmatch, with_comma)) and not any("." in cell for cell in cells):
            read = "1.234" if self._style == "," else "1234"
            self._notes.append(f"`{shown(name)}`: numbers like 1,234 were read as {read}.")
