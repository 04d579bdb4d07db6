"""Text files with a table: DuckDB tells the dialect; what it gets wrong is tried again with its own options."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from itertools import islice, pairwise
from pathlib import Path
from typing import Any

import duckdb

from graphwright.files.errors import NotData
from graphwright.files.naming import few, shown
from graphwright.files.tables.engine import Found, call, literal

MISSING = (
    *("", "NA", "N/A", "n/a", "#N/A", "#N/A N/A", "#NA", "NaN", "nan", "-NaN", "-nan", "NULL", "null", "None"),
    *("<NA>", "1.#IND", "-1.#IND", "1.#QNAN", "-1.#QNAN"),
)
"""What is read as missing: the same texts that pandas takes for it."""

_TITLES = {";": "semicolons", "|": "pipes", " ": "spaces"}
_LINE_BYTES = 1 << 24
_SAMPLE = 1_000
_MOST_BEFORE = 30
"""Lines before a table that are looked over for its beginning."""

_PADDED: Mapping[str, Any] = {"null_padding": True, "strict_mode": False, "parallel": False}
_ATTEMPTS: tuple[Mapping[str, Any], ...] = (
    {},
    {"sample_size": -1, "max_line_size": _LINE_BYTES},
    {"sample_size": -1, "max_line_size": _LINE_BYTES, **_PADDED},
    {"sample_size": -1, "max_line_size": _LINE_BYTES, **_PADDED, "quote": ""},
    {"sample_size": -1, "max_line_size": _LINE_BYTES, "parallel": False, "ignore_errors": True, "store_rejects": True},
)
"""Options that are tried one after the other until the whole file can be read with some."""

_POINT_STYLES = ((".", ","), (".", " "), (".", "'"))
_COMMA_STYLES = ((",", ""), (",", "."), (",", " "), (",", "'"))
"""How numbers may be written otherwise: the decimal sign, and what stands between thousands."""

_NUMBERS = ("BIGINT", "DOUBLE", "HUGEINT")
_LONG = ("HUGEINT", "UBIGINT", "UHUGEINT")
_UNCLEAR = ("%d/%m/%Y", "%m/%d/%Y", "%d-%m-%Y", "%m-%d-%Y", "%d/%m/%y", "%m/%d/%y", "%d-%m-%y", "%m-%d-%y")
_DIALECT = ("delim", "quote", "escape", "comment", "skip", "header")


@dataclass
class _Dialect:
    """What DuckDB found out. `options` are those that it reads the file with, `columns` its names and types."""

    options: dict[str, Any]
    columns: list[tuple[str, str]]
    date: str = ""
    stamp: str = ""
    names: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    @property
    def numbers(self) -> int:
        return sum(kind in _NUMBERS for _, kind in self.columns)

    @property
    def typed(self) -> int:
        return sum(kind != "VARCHAR" for _, kind in self.columns)

    @property
    def nameless(self) -> int:
        """How many columns have no name of their own."""
        return sum(bool(re.fullmatch(r"column\d+", name)) for name, _ in self.columns)


def read_delimited(
    connection: duckdb.DuckDBPyConnection,
    path: Path,
    *,
    table_by_name: bool,
    given: Mapping[str, Any] | None = None,
    titles: Sequence[str] = (),
) -> Iterator[Found]:
    """The table of a text file in UTF-8, read with ever more forgiving options: the first one that works is meant.

    `table_by_name`: its name says that it is one, so that it may have but one column. `given` are options that are
    known, `titles` the names of the columns where the file does not hold them. Raises NotData where there is no table.
    """
    reader = _Reader(connection, path, dict(given or {}), list(titles), by_name=table_by_name)
    for attempt in _ATTEMPTS:
        try:
            dialect = reader.dialect(attempt)
        except duckdb.Error as error:
            if attempt is _ATTEMPTS[-1]:
                why = shown(str(error).partition("\n")[0], 100)
                raise NotData(
                    "not_a_table",
                    f"no rows can be told apart in it ({why})",
                    "Give a file with at least a row of names.",
                ) from None
            continue
        source, texts, notes = reader.source(dialect)
        if "quote" in attempt and not (given or {}).get("quote") and dialect.options.get("quote") == "":
            notes = [*notes, "The double quotes in it do not pair up: they were read as ordinary characters."]
        yield Found(
            table="",
            source=source,
            size=path.stat().st_size,
            names=dialect.names,
            notes=notes,
            written=True,
            texts=texts,
            rejects="store_rejects" in attempt,
            row_size=reader.row_size,
        )


class _Reader:
    """Finds the dialect of one file."""

    def __init__(
        self,
        connection: duckdb.DuckDBPyConnection,
        path: Path,
        given: dict[str, Any],
        titles: list[str],
        *,
        by_name: bool,
    ) -> None:
        self._connection, self._path, self._given, self._titles = connection, path, given, titles
        self._by_name = by_name
        with path.open("rb") as file:
            self._lines = file.read(1 << 16).decode("utf-8", errors="replace").splitlines()[: 2 * _MOST_BEFORE]

    @property
    def row_size(self) -> float:
        """The bytes of a line, by the first ones."""
        return sum(len(line) + 1 for line in self._lines) / max(len(self._lines), 1)

    def dialect(self, attempt: Mapping[str, Any]) -> _Dialect:
        """The dialect as it is tried now. Raises duckdb.Error where none fits, NotData where it is no table."""
        found = self._begun({**attempt, **self._given})
        if not self._by_name and (len(found.columns) < 2 or found.options["skip"] > 1):
            raise NotData(
                "not_a_table",
                "the text has no separator (comma, semicolon, tab or pipe) that would make columns of its lines",
                "If each line is a row of one column, name the file .csv.",
            )
        if self._titles:
            found.names = self._titles
        elif found.options["header"]:
            first = self._rows(found, 1, header=False)
            found.names = ["" if cell is None else cell for cell in first[0]] if first else []
            found.names[:1] = [name.lstrip("# ") for name in found.names[:1]]
        elif not found.names:
            found.names = [f"column_{place}" for place in range(1, len(found.columns) + 1)]
            found.notes.append("There is no header: the columns are called by their places, `column_1` first.")
        return self._numbered(found)

    def source(self, found: _Dialect) -> tuple[str, frozenset[int], list[str]]:
        """The relation that reads the file so, which columns are to stay text, and what a person should know."""
        rows = self._rows(found, _SAMPLE, nulls=[""])
        words = [name for place, name in enumerate(found.names) if any(row[place] in _WORDS for row in rows)]
        notes = [*self._told(found), *found.notes]
        if words:
            notes.append(f"Words like NA or null were read as missing in {few(words)}.")
        types, texts = [kind for _, kind in found.columns], self._ungrouped(found)
        if texts:
            uneven = few([found.names[place] for place in sorted(texts)])
            notes.append(f"Numbers are written in more than one way in {uneven}: left as text.")
        for place, kind in enumerate(types):
            name = f"`{shown(found.names[place])}`"
            if kind in _LONG:
                texts.add(place)
                notes.append(f"{name} has numbers too long to be exact: it was left as text.")
            elif kind == "DATE" and found.date in _UNCLEAR:
                if self._unclear(found, place, [row[place] or "" for row in rows]):
                    texts.add(place)
                    notes.append(
                        f"{name} has dates of which nothing tells the day from the month: it was left as text."
                    )
                else:
                    order = "day, month, year" if found.date.startswith("%d") else "month, day, year"
                    notes.append(f"{name}: dates were read as {order}.")
        types = ["VARCHAR" if place in texts else kind for place, kind in enumerate(types)]
        return self._relation(found, types), frozenset(texts), notes

    def _begun(self, options: dict[str, Any]) -> _Dialect:
        """Where the table begins, and whether its first row holds names."""
        marked = [line.startswith("#") for line in self._lines[:_MOST_BEFORE]]
        if any(marked) and "comment" not in options and not self._names_marked(marked):
            options["comment"] = "#"
        found = self._sniffed(options)
        even = self._even() if "delim" not in options else ()
        if even and found.options["delim"] not in even:
            # Words with other signs in them may look like more columns than there are.
            found = self._sniffed({**options, "delim": even[0]})
        before = [line for line in self._lines[: found.options["skip"]] if found.options["delim"] in line]
        if "skip" not in options and (len(before) > 1 or len(found.columns) == 1):
            # Rows of different lengths: what was taken for lines before the table may be rows of it.
            padded = self._sniffed({**options, **_PADDED})
            found = padded if len(padded.columns) > 1 else found
        elif len(before) == 1 and not found.options["header"]:
            cells = [cell.strip('" ') for cell in before[0].split(found.options["delim"])]
            if len(cells) == len(found.columns) - 1:
                # One name less than columns: the first column holds the names of the rows.
                found.names = ["", *cells]
        if found.options["header"] and found.nameless and "skip" not in options:
            found = self._below_titles(found, options)
        if not found.options["header"] and not found.names and (self._are_years(found) or self._is_letter(found)):
            found = self._sniffed({**options, **_fixed(found), "header": True})
        elif found.options["header"] and not found.typed and "header" not in options and self._repeats(found):
            found = self._sniffed({**options, **_fixed(found), "header": False})
        return found

    def _even(self) -> list[str]:
        """The separators that part all of the first lines into the same number of cells."""
        found = []
        for sign in ",;\t|":
            with suppress(csv.Error):
                # The last row may be cut.
                widths = {len(row) for row in list(csv.reader(self._lines, delimiter=sign))[:-1] if row}
                if len(widths) == 1 and widths != {1}:
                    found.append(sign)
        return found

    def _names_marked(self, marked: Sequence[bool]) -> bool:
        """Whether the only line that begins with # is the first one, and has the names of the columns."""
        if sum(marked) != 1 or not marked[0] or len(self._lines) < 2:
            return False
        counts = [{sign: line.count(sign) for sign in ",;|\t"} for line in self._lines[:2]]
        return counts[0] == counts[1] and any(counts[0].values())

    def _below_titles(self, found: _Dialect, options: Mapping[str, Any]) -> _Dialect:
        """Where titles are filled up to the width of the table (`Report;;`), the table below them."""
        for place in range(1, min(len(self._lines) - 1, _MOST_BEFORE)):
            skip = found.options["skip"] + place
            if skip >= len(self._lines) - 1:
                break
            try:
                lower = self._sniffed({**options, **_fixed(found), "skip": skip, "header": True})
            except duckdb.Error:
                break
            parted = not self._lines[skip - 1].strip(found.options["delim"] + ' "')
            is_header = self._sniffed({**options, **_fixed(found, "header"), "skip": skip}).options["header"]
            if is_header and lower.nameless < found.nameless and (lower.typed > found.typed or parted):
                return lower
        return found

    def _are_years(self, found: _Dialect) -> bool:
        """A row of consecutive years is one of names, though they are numbers."""
        rows = self._rows(found, 1)
        first = [cell or "" for cell in rows[0]] if rows else []
        years = [int(cell) for cell in first if re.fullmatch(r"(1[5-9]|20|21)\d\d", cell)]
        steps = {later - former for former, later in pairwise(years)}
        return len(years) > 1 and len(years) >= len(found.columns) - 3 and len(steps) == 1 and steps <= {1, 5, 10}

    def _is_letter(self, found: _Dialect) -> bool:
        """Whether a name of one letter was taken for a boolean: the values below it are written in full."""
        first, *rows = self._rows(found, _SAMPLE, header=False) or [()]
        return any(
            kind == "BOOLEAN" and len(name or "") == 1 and any(column) and all(len(cell or "  ") > 1 for cell in column)
            for (_, kind), name, column in zip(found.columns, first, zip(*rows, strict=True), strict=False)
        )

    def _repeats(self, found: _Dialect) -> bool:
        """Whether a name in the first row of text is one of the values below it, which a name seldom is."""
        first, *rows = self._rows(found, _SAMPLE, header=False) or [()]
        return any(cell and cell in column for cell, column in zip(first, zip(*rows, strict=True), strict=False))

    def _numbered(self, found: _Dialect) -> _Dialect:
        """The dialect with the style of numbers that makes the most columns ones of numbers."""
        if all(kind in ("BIGINT", "BOOLEAN", "DATE", "TIMESTAMP") for _, kind in found.columns):
            return found
        best, rows = found, self._rows(found, _SAMPLE)
        cells = list(zip(*rows, strict=True)) or [()] * len(found.columns)
        styles = (*_POINT_STYLES, *_COMMA_STYLES) if found.options["delim"] == "," else (*_COMMA_STYLES, *_POINT_STYLES)
        for decimal, group in styles:
            if not any((group or decimal) in (cell or "").strip() for column in cells for cell in column):
                continue
            style = {"decimal_separator": decimal} | ({"thousands": group} if group else {})
            tried = self._sniffed({**self._given, **found.options, **style})
            if tried.numbers > best.numbers and _grouped(tried, cells, decimal, group):
                tried.names = found.names
                tried.notes = [*found.notes, *_style_notes(tried, cells, decimal, group)]
                best = tried
        return best

    def _ungrouped(self, found: _Dialect) -> set[int]:
        """The columns of numbers in which the sign for thousands stands elsewhere, beyond the first rows perhaps."""
        places = [place for place, (_, kind) in enumerate(found.columns) if kind in _NUMBERS]
        if not (group := found.options.get("thousands")) or not places:
            return set()
        exact = literal(_exact(group, found.options["decimal_separator"]).pattern)
        asked = (
            f"count_if(contains(trim(c{place}), {literal(group)}) AND NOT regexp_full_match(c{place}, {exact}))"
            for place in places
        )
        plain = {name: each for name, each in found.options.items() if name not in ("thousands", "decimal_separator")}
        source = self._relation(replace(found, options=plain), ["VARCHAR"] * len(found.columns))
        counts = self._connection.execute(f"SELECT {', '.join(asked)} FROM {source}").fetchone() or ()
        return {place for place, count in zip(places, counts, strict=True) if count}

    def _unclear(self, found: _Dialect, place: int, cells: Sequence[str]) -> bool:
        """Whether no value of a column has a day that could not be a month."""
        if any(max(map(int, re.findall(r"\d+", cell)[:2])) > 12 for cell in cells if re.match(r"\d+[/-]\d+", cell)):
            return False
        source = self._relation(found, [kind for _, kind in found.columns])
        highest = self._connection.execute(
            f"SELECT max(greatest(day(c{place}), month(c{place}))) FROM {source}"
        ).fetchone()
        return bool(highest and (highest[0] or 0) <= 12)

    def _told(self, found: _Dialect) -> list[str]:
        """The separator, where it is a rare one, and what stands before the table."""
        notes = []
        if len(found.columns) == 1:
            notes.append("There is no separator: each line is a row of one column.")
        elif (title := _TITLES.get(found.options["delim"])) and "delim" not in self._given:
            notes.append(f"The columns are separated by {title}.")
        before = found.options["skip"] - (bool(found.names) and not found.options["header"] and "" in found.names[:1])
        if before > 0:
            many = "1 line stands" if before == 1 else f"{before} lines stand"
            notes.append(f"{many} before the table and {'was' if before == 1 else 'were'} passed over.")
        if found.options["comment"]:
            notes.append("Lines that begin with # were passed over as comments.")
        if found.options.get("null_padding"):
            notes.append("Some rows are shorter than others: they were filled with missing values.")
        return notes

    def _sniffed(self, options: Mapping[str, Any]) -> _Dialect:
        told = {"nullstr": list(MISSING), **options}
        asked = {name: value for name, value in told.items() if name not in ("store_rejects", "parallel")}
        result = self._connection.execute(f"FROM {call('sniff_csv', self._path, asked)}")
        row = result.fetchone()
        assert row is not None
        found = dict(zip((column[0] for column in result.description), row, strict=True))
        signs = {"delim": "Delimiter", "quote": "Quote", "escape": "Escape", "comment": "Comment"}
        fixed = {name: "" if found[title] in ("(empty)", "\0") else found[title] for name, title in signs.items()}
        kept = {name: value for name, value in options.items() if name != "sample_size"}
        return _Dialect(
            {**kept, **fixed, "skip": int(found["SkipRows"]), "header": bool(found["HasHeader"])},
            [(column["name"], column["type"]) for column in found["Columns"]],
            found["DateFormat"] or "",
            found["TimestampFormat"] or "",
        )

    def _relation(self, found: _Dialect, types: Sequence[str]) -> str:
        options = {
            "auto_detect": False,
            "nullstr": list(MISSING),
            **found.options,
            "columns": {f"c{place}": kind for place, kind in enumerate(types)},
        }
        if found.date:
            options["dateformat"] = found.date
        if found.stamp:
            options["timestampformat"] = found.stamp
        return call("read_csv", self._path, options)

    def _rows(
        self, found: _Dialect, most: int, *, header: bool | None = None, nulls: Sequence[str] = MISSING
    ) -> list[tuple[str | None, ...]]:
        """The first rows, as text, each as long as the table is wide."""
        options, width, rows = found.options, len(found.columns), list[tuple[str | None, ...]]()
        mark, quote = options["comment"], options["quote"]
        csv.field_size_limit(_LINE_BYTES)
        with self._path.open(encoding="utf-8-sig", errors="replace", newline="") as file, suppress(csv.Error):
            reader = csv.reader(
                (line for line in islice(file, options["skip"], None) if not mark or not line.startswith(mark)),
                delimiter=options["delim"] or "\0",
                quotechar=quote or None,
                quoting=csv.QUOTE_MINIMAL if quote else csv.QUOTE_NONE,
            )
            for row in islice(filter(None, reader), most + 1):
                cells = [None if cell in nulls else cell for cell in row[:width]]
                rows.append((*cells, *[None] * (width - len(cells))))
        keep = options["header"] if header is None else header
        return rows[1:] if keep else rows[:most]


_WORDS = frozenset(MISSING) - {""}


def _fixed(found: _Dialect, *but: str) -> dict[str, Any]:
    return {name: found.options[name] for name in _DIALECT if name not in but}


def _grouped(tried: _Dialect, columns: Sequence[Sequence[str | None]], decimal: str, group: str) -> bool:
    """Whether what stands between thousands stands nowhere else: DuckDB would read 1.5 as 15."""
    if not group:
        return True
    exact = _exact(group, decimal)
    return all(
        exact.fullmatch(cell)
        for (_, kind), column in zip(tried.columns, columns, strict=True)
        if kind in _NUMBERS
        for cell in column
        if cell and group in cell.strip()
    )


def _exact(group: str, decimal: str) -> re.Pattern[str]:
    """A number with signs between its thousands."""
    return re.compile(rf"\s*[+-]?\d{{1,3}}([{group}]\d{{3}})+([{decimal}]\d*)?\s*")


def _style_notes(tried: _Dialect, columns: Sequence[Sequence[str | None]], decimal: str, group: str) -> list[str]:
    """In which columns a sign was read as what, and where it may as well have been another."""
    numbers = [
        (name, [cell for cell in column if cell])
        for name, (_, kind), column in zip(tried.names, tried.columns, columns, strict=True)
        if kind in _NUMBERS
    ]
    notes = []
    for sign, told in ((decimal if decimal == "," else "", "Decimal commas"), (group, "Thousands separators")):
        found = [name for name, cells in numbers if sign and any(sign in cell for cell in cells)]
        if found:
            notes.append(f"{told} were read in {few(found)}.")
    unclear = re.compile(r"[+-]?[1-9]\d{0,2},\d{3}")
    for name, cells in numbers:
        written = [cell for cell in cells if "," in cell]
        if written and all(map(unclear.fullmatch, written)) and "." not in "".join(cells):
            read = "1.234" if decimal == "," else "1234"
            notes.append(f"`{shown(name)}`: numbers like 1,234 were read as {read}.")
    return notes
