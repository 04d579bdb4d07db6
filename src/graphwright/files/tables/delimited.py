"""Text files with a table: DuckDB tells the dialect; what it gets wrong is tried again with its own options."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cached_property
from itertools import islice, pairwise
from pathlib import Path
from typing import Any

import duckdb

from graphwright.files.errors import NotData
from graphwright.files.naming import few, shown
from graphwright.files.tables.engine import Found, call
from graphwright.files.tables.text_columns import PLAIN, style_of

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
_ALL: Mapping[str, Any] = {"sample_size": -1, "max_line_size": _LINE_BYTES}
_ATTEMPTS: tuple[Mapping[str, Any], ...] = (
    {},
    _ALL,
    {**_ALL, **_PADDED},
    {**_ALL, **_PADDED, "quote": ""},
    {**_ALL, "parallel": False, "ignore_errors": True, "store_rejects": True},
)
"""Options that are tried one after the other until the whole file can be read with some."""

_UNCLEAR = tuple(f"{order}{year}" for order in ("%d/%m/", "%m/%d/", "%d-%m-", "%m-%d-") for year in ("%Y", "%y"))
_LONG = ("HUGEINT", "UBIGINT", "UHUGEINT")
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
    table: str = "",
    notes: Sequence[str] = (),
    given: Mapping[str, Any] | None = None,
    titles: Sequence[str] = (),
) -> Iterator[Found]:
    """The table of a text file in UTF-8, read with ever more forgiving options: the first one that works is meant.

    `table_by_name`: its name says that it is one, so that it may have but one column. `given` are options that are
    known, `titles` the names of the columns where the file does not hold them. Raises NotData where there is no table.
    """
    reader = _Reader(connection, path, dict(given or {}), list(titles), table_by_name)
    for attempt in _ATTEMPTS:
        try:
            found = reader.found(attempt)
        except duckdb.Error as error:
            if attempt is _ATTEMPTS[-1]:
                why = f"no rows can be told apart in it ({shown(str(error).partition(chr(10))[0], 100)})"
                raise NotData("not_a_table", why) from None
            continue
        found.table, found.notes = table, [*notes, *found.notes]
        yield found


@dataclass
class _Reader:
    """Finds the dialect of one file."""

    connection: duckdb.DuckDBPyConnection
    path: Path
    given: dict[str, Any]
    titles: list[str]
    by_name: bool

    @cached_property
    def lines(self) -> list[str]:
        with self.path.open("rb") as file:
            return file.read(1 << 16).decode("utf-8", errors="replace").splitlines()[: 2 * _MOST_BEFORE]

    def found(self, attempt: Mapping[str, Any]) -> Found:
        """The table as it is tried now. Raises duckdb.Error where no dialect fits, NotData where it is no table."""
        dialect = self._begun({**attempt, **self.given})
        if not self.by_name and (len(dialect.columns) < 2 or dialect.options["skip"] > 1):
            raise NotData(
                "not_a_table",
                "the text has no separator (comma, semicolon, tab or pipe) that would make columns of its lines",
                "If each line is a row of one column, name the file .csv.",
            )
        first, rows = self._rows(dialect)
        if self.titles:
            dialect.names = self.titles
        elif dialect.options["header"]:
            dialect.names = ["" if cell in MISSING else cell for cell in first]
            dialect.names[:1] = [name.lstrip("# ") for name in dialect.names[:1]]
        elif not dialect.names:
            dialect.names = [f"column_{place}" for place in range(1, len(dialect.columns) + 1)]
            dialect.notes.append("There is no header: the columns are called by their places, `column_1` first.")
        columns = list(zip(*(rows if dialect.options["header"] else [first, *rows]), strict=True))
        words = [name for name, cells in zip(dialect.names, columns, strict=False) if not _WORDS.isdisjoint(cells)]
        notes = [*self._told(dialect), *dialect.notes]
        if words:
            notes.append(f"Words like NA or null were read as missing in {few(words)}.")
        if dialect.options.get("quote") == "" == attempt.get("quote") and not self.given.get("quote"):
            notes.append("The double quotes in it do not pair up: they were read as ordinary characters.")
        style = style_of(
            [[cell for cell in cells if cell not in MISSING] for cells in columns], dialect.options["delim"]
        )
        return Found(
            table="",
            source=self._relation(dialect, [_as_text(kind, dialect, style) for _, kind in dialect.columns]),
            size=self.path.stat().st_size,
            names=dialect.names,
            notes=notes,
            style=style,
            written=True,
            rejects="store_rejects" in attempt,
            row_size=sum(len(line) + 1 for line in self.lines) / max(len(self.lines), 1),
        )

    def _begun(self, options: dict[str, Any]) -> _Dialect:
        """Where the table begins, and whether its first row holds names."""
        marked = [line.startswith("#") for line in self.lines[:_MOST_BEFORE]]
        if any(marked) and "comment" not in options and not self._names_marked(marked):
            options["comment"] = "#"
        found = self._sniffed(options)
        even = self._even() if "delim" not in options else ()
        if even and found.options["delim"] not in even:
            # Words with other signs in them may look like more columns than there are.
            found = self._sniffed({**options, "delim": even[0]})
        before = [line for line in self.lines[: found.options["skip"]] if found.options["delim"] in line]
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
        if "header" not in options and (header := self._is_header(found)) != found.options["header"]:
            found = self._sniffed({**options, **_fixed(found), "header": header})
        return found

    def _even(self) -> list[str]:
        """The separators that part all of the first lines into the same number of cells."""
        found = []
        for sign in ",;\t|":
            with suppress(csv.Error):
                # The last row may be cut.
                widths = {len(row) for row in list(csv.reader(self.lines, delimiter=sign))[:-1] if row}
                if len(widths) == 1 and widths != {1}:
                    found.append(sign)
        return found

    def _names_marked(self, marked: Sequence[bool]) -> bool:
        """Whether the only line that begins with # is the first one, and has the names of the columns."""
        if sum(marked) != 1 or not marked[0] or len(self.lines) < 2:
            return False
        counts = [{sign: line.count(sign) for sign in ",;|\t"} for line in self.lines[:2]]
        return counts[0] == counts[1] and any(counts[0].values())

    def _below_titles(self, found: _Dialect, options: Mapping[str, Any]) -> _Dialect:
        """Where titles are filled up to the width of the table (`Report;;`), the table below them."""
        begin = found.options["skip"]
        for skip in range(begin + 1, min(len(self.lines) - 1, begin + _MOST_BEFORE)):
            try:
                lower = self._sniffed({**options, **_fixed(found), "skip": skip, "header": True})
            except duckdb.Error:
                break
            parted = not self.lines[skip - 1].strip(found.options["delim"] + ' "')
            is_header = self._sniffed({**options, **_fixed(found, "header"), "skip": skip}).options["header"]
            if is_header and lower.nameless < found.nameless and (lower.typed > found.typed or parted):
                return lower
        return found

    def _is_header(self, found: _Dialect) -> bool:
        """Whether the first row holds names, where DuckDB goes by types alone."""
        first, rows = self._rows(found)
        columns = list(zip(*rows, strict=True)) or [()] * len(first)
        if found.options["header"]:
            # In a row of text that is one of names, none is one of the values below it.
            repeats = any(cell and cell in cells for cell, cells in zip(first, columns, strict=True))
            return bool(found.typed) or not repeats
        # Consecutive years are names, though they are numbers.
        years = [int(cell) for cell in first if re.fullmatch(r"(1[5-9]|20|21)\d\d", cell)]
        steps = {later - former for former, later in pairwise(years)}
        are_years = len(years) >= max(len(first) - 3, 2) and len(steps) == 1 and steps <= {1, 5, 10}
        # One letter is no truth value where others are words.
        is_letter = any(
            kind == "BOOLEAN" and len(name) == 1 and any(cells) and all(len(cell or "  ") > 1 for cell in cells)
            for (_, kind), name, cells in zip(found.columns, first, columns, strict=True)
        )
        return not found.names and (are_years or is_letter)

    def _told(self, found: _Dialect) -> list[str]:
        """The separator, where it is a rare one, and what stands before the table."""
        notes = []
        if len(found.columns) == 1:
            notes.append("There is no separator: each line is a row of one column.")
        elif (title := _TITLES.get(found.options["delim"])) and "delim" not in self.given:
            notes.append(f"The columns are separated by {title}.")
        before = found.options["skip"] - (not found.options["header"] and "" in found.names[:1])
        if before > 0:
            many = "1 line stands" if before == 1 else f"{before} lines stand"
            notes.append(f"{many} before the table and {'was' if before == 1 else 'were'} passed over.")
        if found.options["comment"]:
            notes.append("Lines that begin with # were passed over as comments.")
        if found.options.get("null_padding"):
            notes.append("Some rows are shorter than others: they were filled with missing values.")
        return notes

    def _sniffed(self, options: Mapping[str, Any]) -> _Dialect:
        asked = {name: value for name, value in options.items() if name not in ("store_rejects", "parallel")}
        result = self.connection.execute(f"FROM {call('sniff_csv', self.path, {'nullstr': list(MISSING), **asked})}")
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
        formats = {"dateformat": found.date, "timestampformat": found.stamp}
        options = {
            "auto_detect": False,
            "nullstr": list(MISSING),
            **found.options,
            "columns": {f"c{place}": kind for place, kind in enumerate(types)},
            **{name: value for name, value in formats.items() if value},
        }
        return call("read_csv", self.path, options)

    def _rows(self, found: _Dialect) -> tuple[list[str], list[list[str]]]:
        """The first row and some more, as text, each as long as the table is wide."""
        options, width = found.options, len(found.columns)
        mark, quote = options["comment"], options["quote"]
        rows: list[list[str]] = []
        csv.field_size_limit(_LINE_BYTES)
        with self.path.open(encoding="utf-8-sig", errors="replace", newline="") as file, suppress(csv.Error):
            reader = csv.reader(
                (line for line in islice(file, options["skip"], None) if not mark or not line.startswith(mark)),
                delimiter=options["delim"] or "\0",
                quotechar=quote or None,
                quoting=csv.QUOTE_MINIMAL if quote else csv.QUOTE_NONE,
            )
            rows += ([*row, *[""] * width][:width] for row in islice(filter(None, reader), _SAMPLE + 1))
        return (rows[0], rows[1:]) if rows else ([""] * width, [])


_WORDS = frozenset(MISSING) - {""}


def _fixed(found: _Dialect, *but: str) -> dict[str, Any]:
    return {name: found.options[name] for name in _DIALECT if name not in but}


def _as_text(kind: str, found: _Dialect, style: tuple[str, str]) -> str:
    """The type that a column is read with: as text where only all of its values tell how they are written."""
    form = {"DATE": found.date, "TIMESTAMP": found.stamp}.get(kind, "")
    unclear = form.startswith(_UNCLEAR)
    return "VARCHAR" if unclear or kind in _LONG or (kind == "DOUBLE" and style != PLAIN) else kind
