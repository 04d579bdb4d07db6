"""Columns of text that hold numbers, truth values or times: typed where all values fit and nothing gets lost."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import cache

import duckdb

from graphwright.files.errors import few, shown
from graphwright.files.tables.engine import count, literal, quoted

PLAIN = (".", "")
"""How numbers are written where nothing says otherwise: the decimal sign, and the sign between thousands."""

_POINT_STYLES = ((".", ","), (".", " "), (".", "'"))
_COMMA_STYLES = ((",", ""), (",", "."), (",", " "), (",", "'"))
_SAMPLE = 100
_MOSTLY, _SOMETIMES = 0.5, 0.1
"""The share of numbers from which on a column is called mixed, and that in the first rows for which all are counted."""

_EXACT_DIGITS = 18
"""Digits of a whole number that a BIGINT surely holds."""

_WHOLE = r"[+-]?(0|[1-9]\d{0,17})"
_DIGITS = re.compile(r"[+-]?\d+")
_NUMBER_SIGNS = re.compile(r"[+-]?[\d.,' ]+")
_THREE = re.compile(r"[+-]?[1-9]\d{0,2},\d{3}")
_ISO = re.compile(r"\d{4}[/-]\d{1,2}[/-]\d{1,2}([ T].*)?")
_DATE = re.compile(r"\d{1,2}([./-])\d{1,2}\1(\d{4}|\d{2})([ T]\d{1,2}:\d{2}(:\d{2})?)?")
_TIMES = ("", " %H:%M:%S", " %H:%M", "T%H:%M:%S", "T%H:%M")
_UNITS = "$€£¥%‰ \xa0"


@cache
def _number(style: tuple[str, str]) -> re.Pattern[str]:
    """A number with the signs of a style where they belong: DuckDB alone would read 1.5 as 15."""
    decimal, group = map(re.escape, style)
    whole = rf"([1-9]\d{{0,2}}({group}\d{{3}})+|\d+)" if group else r"\d+"
    return re.compile(rf"[+-]?({whole}({decimal}\d*)?|{decimal}\d+)([eE][+-]?\d+)?")


def style_of(columns: Sequence[Sequence[str]], separator: str) -> tuple[str, str]:
    """The style of numbers that makes the most columns numeric; where two do, the separator decides."""

    def numeric(style: tuple[str, str]) -> int:
        matches = _number(style).fullmatch
        return sum(bool(cells) and all(matches(cell.strip()) for cell in cells) for cells in columns)

    best, most = PLAIN, numeric(PLAIN)
    for style in (*_POINT_STYLES, *_COMMA_STYLES) if separator == "," else (*_COMMA_STYLES, *_POINT_STYLES):
        sign = style[1] or style[0]
        if any(sign in cell for cells in columns for cell in cells) and (found := numeric(style)) > most:
            best, most = style, found
    return best


class TextColumns:
    """Types the text columns of a relation, of which numbers are written in `style`, and collects `notes` on that."""

    def __init__(self, connection: duckdb.DuckDBPyConnection, relation: str, style: tuple[str, str]) -> None:
        self._connection, self._relation, self._style = connection, relation, style
        self._notes: list[str] = []
        self._signs: dict[str, list[str]] = {"Decimal commas": [], "Thousands separators": []}

    @property
    def notes(self) -> list[str]:
        """How numbers and dates were read, and which columns were left as text."""
        return [*(f"{what} were read in {few(names)}." for what, names in self._signs.items() if names), *self._notes]

    def typed(self, name: str, present: int, values: Sequence[str]) -> tuple[str, str] | None:
        """The SQL and the type of a column with `present` values, the first of which are `values`; None: it is text."""
        cells = [value.strip() for value in values[:_SAMPLE]]
        if not present:
            return f"{quoted(name)}::DOUBLE", "DOUBLE"
        for wanted, kind in self._candidates(f"trim({quoted(name)})", cells):
            sql = f"TRY_CAST({wanted} AS {kind})"
            if count(self._connection, f"{self._relation} WHERE {sql} IS NOT NULL") == present:
                if kind == "TIMESTAMP" and not self._order_is_clear(name, sql, cells[0]):
                    break
                if kind in ("BIGINT", "DOUBLE"):
                    self._note_style(name, [value.strip() for value in values])
                return sql, kind
        return None

    def numbers_among(self, name: str, present: int, values: Sequence[str], *, left_as_text: bool) -> int:
        """How many values of a text column are numbers, 0 where few are; a note says why they are left as text."""
        cells, is_number = [value.strip() for value in values], _number(self._style).fullmatch
        numbers = [cell for cell in cells if is_number(cell)]
        if len(numbers) <= _SOMETIMES * len(cells):
            if left_as_text and all(is_number(cell.strip(_UNITS)) for cell in cells):
                self._notes.append(f"`{shown(name)}` has numbers with a currency or per cent sign: left as text.")
            return 0
        column = quoted(name)
        number = f"TRY_CAST({self._with_point(f'trim({column})')} AS DOUBLE)"
        among = f"{self._relation} WHERE {column} IS NOT NULL AND {number} IS NULL"
        others = count(self._connection, among)
        if not others and left_as_text:
            long = any(len(each) > _EXACT_DIGITS for each in numbers)
            why = "too long to be exact" if long else "that would lose something, leading zeros perhaps"
            self._notes.append(f"`{shown(name)}` has numbers {why}: left as text.")
        if not others or present - others <= _MOSTLY * present:
            return 0
        distinct = self._connection.execute(f"SELECT DISTINCT {column} FROM {among} ORDER BY 1 LIMIT 4").fetchall()
        odd = [text for (text,) in distinct]
        if all(map(_NUMBER_SIGNS.fullmatch, odd)):
            self._notes.append(f"Numbers are written in more than one way in `{shown(name)}`: left as text.")
        else:
            such = ", ".join(f"`{shown(text, 20)}`" for text in odd[:3]) + (", ..." if len(odd) > 3 else "")
            why = f"is mixed: {others:,} of {present:,} values are no numbers ({such}). It was read as text"
            self._notes.append(f"`{shown(name)}` {why}.")
        return present - others

    def _candidates(self, text: str, cells: Sequence[str]) -> Iterator[tuple[str, str]]:
        """What the values may be, by the first ones: SQL that is NULL where another value is not that, and its type."""
        if cells and all(map(_number(self._style).fullmatch, cells)):
            number = self._with_point(text)
            yield f"CASE WHEN regexp_full_match({number}, {literal(_WHOLE)}) THEN {number} END", "BIGINT"
            if not all(map(_DIGITS.fullmatch, cells)):
                yield number, "DOUBLE"
        elif {cell.lower() for cell in cells} <= {"true", "false"}:
            yield text, "BOOLEAN"
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
        if self._style == PLAIN:
            return text
        decimal, group = self._style
        plain = f"replace(replace({text}, {literal(group)}, ''), {literal(decimal)}, '.')"
        return f"CASE WHEN regexp_full_match({text}, {literal(_number(self._style).pattern)}) THEN {plain} END"

    def _order_is_clear(self, name: str, sql: str, first: str) -> bool:
        """Whether something distinguishes the day from the month; a note says in which order they were read."""
        written = _DATE.fullmatch(first)
        if not written or written[1] == ".":
            return True
        name = f"`{shown(name)}`"
        if not count(self._connection, f"{self._relation} WHERE greatest(day({sql}), month({sql})) > 12"):
            self._notes.append(f"{name} has dates of which nothing tells the day from the month: it was left as text.")
            return False
        order = "day, month, year" if f"%d{written[1]}%m" in sql else "month, day, year"
        self._notes.append(f"{name}: dates were read as {order}.")
        return True

    def _note_style(self, name: str, cells: Sequence[str]) -> None:
        decimal, group = self._style
        for sign, names in zip((decimal if decimal == "," else "", group), self._signs.values(), strict=True):
            if sign and any(sign in cell for cell in cells):
                names.append(name)
        with_comma = [cell for cell in cells if "," in cell]
        if with_comma and all(map(_THREE.fullmatch, with_comma)) and not any("." in cell for cell in cells):
            read = "1.234" if decimal == "," else "1234"
            self._notes.append(f"`{shown(name)}`: numbers like 1,234 were read as {read}.")
