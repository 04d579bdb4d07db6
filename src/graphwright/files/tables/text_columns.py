"""Columns of text that are numbers, truth values or times: typed where all values are that and nothing gets lost."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import cache

import duckdb

from graphwright.files.naming import few, shown
from graphwright.files.tables.engine import count, literal, quoted

PLAIN = (".", "")
"""How numbers are written where nothing says otherwise: the decimal sign, and what stands between thousands."""

_POINT_STYLES = ((".", ","), (".", " "), (".", "'"))
_COMMA_STYLES = ((",", ""), (",", "."), (",", " "), (",", "'"))
_TELLING = 100
_MIXED = 0.5
"""The share of numbers from which on a column of text is said to be mixed."""

_LONG = 18
"""Digits of a whole number that is surely exact."""

_WHOLE = r"[+-]?(0|[1-9]\d{0,17})"
_DIGITS = re.compile(r"[+-]?\d+")
_SIGNS = re.compile(r"[+-]?[\d.,' ]+")
_THREE = re.compile(r"[+-]?[1-9]\d{0,2},\d{3}")
_ISO = re.compile(r"\d{4}[/-]\d{1,2}[/-]\d{1,2}([ T].*)?")
_DATE = re.compile(r"\d{1,2}([./-])\d{1,2}\1(\d{4}|\d{2})([ T]\d{1,2}:\d{2}(:\d{2})?)?")
_TIMES = ("", " %H:%M:%S", " %H:%M", "T%H:%M:%S", "T%H:%M")


@cache
def _number(style: tuple[str, str]) -> re.Pattern[str]:
    """A number with the signs of a style where they belong: DuckDB alone would read 1.5 as 15."""
    decimal, group = map(re.escape, style)
    whole = rf"([1-9]\d{{0,2}}({group}\d{{3}})+|\d+)" if group else r"\d+"
    return re.compile(rf"[+-]?({whole}({decimal}\d*)?|{decimal}\d+)([eE][+-]?\d+)?")


def style_of(columns: Sequence[Sequence[str]], separator: str) -> tuple[str, str]:
    """The style that makes the most columns of values ones of numbers; where two do, the separator decides."""

    def many(style: tuple[str, str]) -> int:
        written = _number(style).fullmatch
        return sum(bool(cells) and all(written(cell.strip()) for cell in cells) for cells in columns)

    best, most = PLAIN, many(PLAIN)
    for style in (*_POINT_STYLES, *_COMMA_STYLES) if separator == "," else (*_COMMA_STYLES, *_POINT_STYLES):
        sign = style[1] or style[0]
        if any(sign in cell for cells in columns for cell in cells) and (numbers := many(style)) > most:
            best, most = style, numbers
    return best


class TextColumns:
    """Types the columns of a relation that were read as text; `style` is how numbers are written in all of them."""

    def __init__(self, connection: duckdb.DuckDBPyConnection, source: str, style: tuple[str, str]) -> None:
        self._connection, self._source, self._style = connection, source, style
        self._notes: list[str] = []
        self._commas, self._grouped = list[str](), list[str]()

    def typed(self, name: str, there: int, some: Sequence[str]) -> tuple[str, str]:
        """The SQL and the type of a column with so many values, of which `some` are given."""
        sql, cells = quoted(name), [cell.strip() for cell in some]
        first = cells[:_TELLING]
        if not there:
            return f"{sql}::DOUBLE", "DOUBLE"
        numbers = [cell for cell in first if _number(self._style).fullmatch(cell)]
        for wanted, kind in self._candidates(f"trim({sql})", first, len(numbers) == len(first)):
            found = f"TRY_CAST({wanted} AS {kind})"
            if count(self._connection, f"{self._source} WHERE {found} IS NOT NULL") == there:
                if kind == "TIMESTAMP" and not self._is_clear(name, found, first):
                    break
                if kind in ("BIGINT", "DOUBLE"):
                    self._tell_style(name, cells)
                return found, kind
        if len(numbers) > _MIXED * len(first):
            self._tell_mixed(name, there, numbers)
        return sql, "VARCHAR"

    def notes(self) -> list[str]:
        """What a person should know of how they were read."""
        told = (("Decimal commas", self._commas), ("Thousands separators", self._grouped))
        return [*(f"{what} were read in {few(names)}." for what, names in told if names), *self._notes]

    def _candidates(self, text: str, cells: Sequence[str], numbers: bool) -> Iterator[tuple[str, str]]:
        """What the first values may be, as SQL that is NULL where another value is not, and its type."""
        if numbers and cells:
            number = self._plain(text)
            yield f"CASE WHEN regexp_full_match({number}, {literal(_WHOLE)}) THEN {number} END", "BIGINT"
            if not all(map(_DIGITS.fullmatch, cells)):
                yield number, "DOUBLE"
        elif {cell.lower() for cell in cells} <= {"true", "false"}:
            yield text, "BOOLEAN"
        elif all(map(_ISO.fullmatch, cells)):
            yield f"replace({text}, '/', '-')", "TIMESTAMP"
        elif dates := list(filter(None, map(_DATE.fullmatch, cells))):
            sign, digits = dates[0][1], len(dates[0][2])
            year = "%Y" if digits == 4 else "%y"
            orders = (("%d", "%m"), ("%m", "%d")) if sign != "." else (("%d", "%m"),)
            for one, other in orders if len(dates) == len(cells) else ():
                forms = [f"{one}{sign}{other}{sign}{year}{time}" for time in _TIMES]
                date = f"try_strptime({text}, {literal(forms)})"
                yield f"CASE WHEN regexp_matches({text}, '[./-]\\d{{{digits}}}(\\D|$)') THEN {date} END", "TIMESTAMP"

    def _plain(self, text: str) -> str:
        """A number in the style of the file as one that DuckDB reads; NULL where its signs stand elsewhere."""
        if self._style == PLAIN:
            return text
        decimal, group = self._style
        plain = f"replace(replace({text}, {literal(group)}, ''), {literal(decimal)}, '.')"
        return f"CASE WHEN regexp_full_match({text}, {literal(_number(self._style).pattern)}) THEN {plain} END"

    def _is_clear(self, name: str, found: str, cells: Sequence[str]) -> bool:
        """Whether something tells the day from the month; it is told what was taken for which."""
        written = _DATE.fullmatch(cells[0])
        if not written or written[1] == ".":
            return True
        days = count(self._connection, f"{self._source} WHERE greatest(day({found}), month({found})) > 12")
        name = f"`{shown(name)}`"
        if not days:
            self._notes.append(f"{name} has dates of which nothing tells the day from the month: it was left as text.")
            return False
        order = "day, month, year" if "%d" + written[1] + "%m" in found else "month, day, year"
        self._notes.append(f"{name}: dates were read as {order}.")
        return True

    def _tell_style(self, name: str, cells: Sequence[str]) -> None:
        decimal, group = self._style
        for sign, names in (("," if decimal == "," else "", self._commas), (group, self._grouped)):
            if sign and any(sign in cell for cell in cells):
                names.append(name)
        written = [cell for cell in cells if "," in cell]
        if written and all(map(_THREE.fullmatch, written)) and "." not in "".join(cells):
            read = "1.234" if decimal == "," else "1234"
            self._notes.append(f"`{shown(name)}`: numbers like 1,234 were read as {read}.")

    def _tell_mixed(self, name: str, there: int, numbers: Sequence[str]) -> None:
        column = quoted(name)
        number = f"TRY_CAST({self._plain(f'trim({column})')} AS DOUBLE)"
        among = f"{self._source} WHERE {column} IS NOT NULL AND {number} IS NULL"
        others = count(self._connection, among)
        if not others:
            long = any(len(each) > _LONG for each in numbers)
            why = "too long to be exact" if long else "that would lose something, leading zeros perhaps"
            self._notes.append(f"`{shown(name)}` has numbers {why}: left as text.")
            return
        odd = self._connection.execute(f"SELECT DISTINCT {column} FROM {among} ORDER BY 1 LIMIT 4").fetchall()
        if all(_SIGNS.fullmatch(text) for (text,) in odd):
            self._notes.append(f"Numbers are written in more than one way in {few([name])}: left as text.")
            return
        such = ", ".join(f"`{shown(text, 20)}`" for (text,) in odd[:3]) + (", ..." if len(odd) > 3 else "")
        why = f"is mixed: {others:,} of {there:,} values are no numbers ({such}). It was read as text"
        self._notes.append(f"`{shown(name)}` {why}.")
