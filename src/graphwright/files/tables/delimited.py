"""Text files with a table: DuckDB finds the dialect; what it gets wrong is tried again with its own options."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cached_property
from itertools import pairwise
from pathlib import Path
from typing import Any

import duckdb

from graphwright.files.errors import UnusableFile, few, shown
from graphwright.files.tables.engine import TableSource, call
from graphwright.files.tables.text_columns import PLAIN, style_of

MISSING = (
    *("", "NA", "N/A", "n/a", "#N/A", "#N/A N/A", "#NA", "NaN", "nan", "-NaN", "-nan", "NULL", "null", "None"),
    *("<NA>", "1.#IND", "-1.#IND", "1.#QNAN", "-1.#QNAN"),
)
"""What is read as missing: the same texts that pandas takes for it."""

_WORDS = frozenset(MISSING) - {""}
_RARE_SEPARATORS = {";": "semicolons", "|": "pipes", " ": "spaces"}
_SAMPLE = 1_000
_MOST_BEFORE = 30
"""Lines before a table that are looked over for its beginning."""

_PADDED: Mapping[str, Any] = {"null_padding": True, "strict_mode": False, "parallel": False}
_ALL: Mapping[str, Any] = {"sample_size": -1, "max_line_size": 1 << 24}
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


@dataclass
class _Dialect:
    """How DuckDB reads a file: `options` of `read_csv`, and the names and types of the columns as it found them."""

    options: dict[str, Any]
    columns: list[tuple[str, str]]
    formats: dict[str, str]
    """The `dateformat` and `timestampformat` that it found."""
    row_names: list[str] = field(default_factory=list)
    """The names of the columns where the header has one less, because the first column holds names of rows."""

    @property
    def typed(self) -> int:
        return sum(kind != "VARCHAR" for _, kind in self.columns)

    @property
    def nameless(self) -> int:
        return sum(bool(re.fullmatch(r"column\d+", name)) for name, _ in self.columns)

    def fixed(self) -> dict[str, Any]:
        return {name: self.options[name] for name in ("delim", "quote", "escape", "comment", "skip", "header")}


def read_delimited(
    connection: duckdb.DuckDBPyConnection,
    path: Path,
    *,
    one_column: bool,
    table: str = "",
    notes: Sequence[str] = (),
    options: Mapping[str, Any] | None = None,
    names: Sequence[str] = (),
) -> Iterator[TableSource]:
    """The table of a text file in UTF-8, read with ever more forgiving options: the first one that works is meant.

    `one_column`: it may have but one. `options` are those that are known, `names` those of the columns where the file
    does not hold them. Raises UnusableFile where there is no table.
    """
    reader = _Reader(connection, path, dict(options or {}), list(names), one_column)
    for attempt in _ATTEMPTS:
        try:
            source = reader.source(attempt)
        except duckdb.Error as error:
            if attempt is _ATTEMPTS[-1]:
                why = f"its rows cannot be separated ({shown(str(error).partition(chr(10))[0], 100)})"
                raise UnusableFile("not_a_table", why) from None
            continue
        source.table, source.notes = table, [*notes, *source.notes]
        yield source


@dataclass
class _Reader:
    """Finds the dialect of one file."""

    connection: duckdb.DuckDBPyConnection
    path: Path
    known: dict[str, Any]
    names: list[str]
    one_column: bool

    @cached_property
    def lines(self) -> list[str]:
        """The first ones."""
        with self.path.open("rb") as file:
            return file.read(1 << 16).decode("utf-8", errors="replace").splitlines()[: 2 * _MOST_BEFORE]

    def source(self, attempt: Mapping[str, Any]) -> TableSource:
        """The table by the options of an attempt. Raises duckdb.Error where no dialect fits, UnusableFile where it is
        none."""
        dialect = self._dialect({**attempt, **self.known})
        options, width = dialect.options, len(dialect.columns)
        if not self.one_column and (width < 2 or options["skip"] > 1):
            raise UnusableFile(
                "not_a_table",
                "the text has no separator (comma, semicolon, tab or pipe) that would make columns of its lines",
                "If each line is a row of one column, name the file .csv.",
            )
        rows, notes = self._rows(dialect), self._notes(dialect)
        names = self.names or dialect.row_names
        if not names and options["header"]:
            names = ["" if cell in MISSING else cell for cell in rows[0]]
            names[0] = names[0].lstrip("# ")
        elif not names:
            names = [f"column_{place}" for place in range(1, width + 1)]
            notes.append("There is no header: the columns are called by their places, `column_1` first.")
        columns = list(zip(*rows[options["header"] :], strict=True)) or [()] * width
        if words := [name for name, cells in zip(names, columns, strict=False) if not _WORDS.isdisjoint(cells)]:
            notes.append(f"Words like NA or null were read as missing in {few(words)}.")
        if options.get("quote") == "" == attempt.get("quote") and not self.known.get("quote"):
            notes.append("The double quotes in it do not pair up: they were read as ordinary characters.")
        style = style_of([[cell for cell in cells if cell not in MISSING] for cells in columns], options["delim"])
        types = [_type_to_read(kind, dialect, style) for _, kind in dialect.columns]
        return TableSource(
            table="",
            relation=self._relation(dialect, types, nullstr=list(MISSING), **dialect.formats),
            size=self.path.stat().st_size,
            names=names,
            notes=notes,
            style=style,
            untyped=True,
            rejects="store_rejects" in attempt,
        )

    def _dialect(self, options: dict[str, Any]) -> _Dialect:
        """The dialect, where the table begins, and whether its first row holds names."""
        marked = [line.startswith("#") for line in self.lines[:_MOST_BEFORE]]
        if any(marked) and "comment" not in options and not self._is_header_marked(marked):
            options["comment"] = "#"
        found = self._sniffed(options)
        even = self._even_separators() if "delim" not in options else []
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
            found.row_names = ["", *cells] if len(cells) == len(found.columns) - 1 else []
        if found.options["header"] and found.nameless and "skip" not in options:
            found = self._below_titles(found, options)
        if "header" not in options and (header := self._is_header(found)) != found.options["header"]:
            found = self._sniffed({**options, **found.fixed(), "header": header})
        return found

    def _even_separators(self) -> list[str]:
        """The separators that divide all of the first lines into the same number of cells."""
        found = []
        for sign in ",;\t|":
            with suppress(csv.Error):
                # The last row may be cut.
                widths = {len(row) for row in list(csv.reader(self.lines, delimiter=sign))[:-1] if row}
                found += [sign] if len(widths) == 1 and widths != {1} else []
        return found

    def _is_header_marked(self, marked: Sequence[bool]) -> bool:
        """Whether the only line that begins with # is the first one, and has the names of the columns."""
        if sum(marked) != 1 or not marked[0] or len(self.lines) < 2:
            return False
        first, second = ([line.count(sign) for sign in ",;|\t"] for line in self.lines[:2])
        return first == second and any(first)

    def _below_titles(self, found: _Dialect, options: Mapping[str, Any]) -> _Dialect:
        """Where titles are filled up to the width of the table (`Report;;`), the table below them."""
        begin = found.options["skip"]
        for skip in range(begin + 1, min(len(self.lines) - 1, begin + _MOST_BEFORE)):
            fixed = {**options, **found.fixed(), "skip": skip}
            try:
                lower = self._sniffed({**fixed, "header": True})
            except duckdb.Error:
                break
            fixed.pop("header")
            parted = not self.lines[skip - 1].strip(found.options["delim"] + ' "')
            is_header = self._sniffed(fixed).options["header"]
            if is_header and lower.nameless < found.nameless and (lower.typed > found.typed or parted):
                return lower
        return found

    def _is_header(self, found: _Dialect) -> bool:
        """Whether the first row holds names, where DuckDB goes by types alone."""
        first, *rows = self._rows(found)
        columns = list(zip(*rows, strict=True)) or [()] * len(first)
        if found.options["header"]:
            # In a row of text that is one of names, none is one of the values below it.
            return bool(found.typed) or not any(
                cell and cell in cells for cell, cells in zip(first, columns, strict=True)
            )
        # Consecutive years are names, though they are numbers.
        years = [int(cell) for cell in first if re.fullmatch(r"(1[5-9]|20|21)\d\d", cell)]
        steps = {later - former for former, later in pairwise(years)}
        are_years = len(years) >= max(len(first) - 3, 2) and len(steps) == 1 and steps <= {1, 5, 10}
        # One letter is no truth value where others are words.
        is_letter = any(
            kind == "BOOLEAN" and len(name) == 1 and any(cells) and all(len(cell or "  ") > 1 for cell in cells)
            for (_, kind), name, cells in zip(found.columns, first, columns, strict=True)
        )
        return not found.row_names and (are_years or is_letter)

    def _notes(self, found: _Dialect) -> list[str]:
        """The separator, where it is a rare one, and what stands before and between the rows."""
        options, notes = found.options, []
        if len(found.columns) == 1:
            notes.append("There is no separator: each line is a row of one column.")
        elif (separator := _RARE_SEPARATORS.get(options["delim"])) and "delim" not in self.known:
            notes.append(f"The columns are separated by {separator}.")
        if before := options["skip"] - bool(found.row_names):
            many = "1 line stands" if before == 1 else f"{before} lines stand"
            notes.append(f"{many} before the table and {'was' if before == 1 else 'were'} passed over.")
        if options["comment"]:
            notes.append("Lines that begin with # were passed over as comments.")
        if options.get("null_padding"):
            notes.append("Some rows are shorter than others: they were filled with missing values.")
        return notes

    def _sniffed(self, options: Mapping[str, Any]) -> _Dialect:
        asked = {name: value for name, value in options.items() if name not in ("store_rejects", "parallel")}
        result = self.connection.execute(f"FROM {call('sniff_csv', self.path, **{'nullstr': list(MISSING), **asked})}")
        found = dict(zip((column[0] for column in result.description), result.fetchall()[0], strict=True))
        signs = {"delim": "Delimiter", "quote": "Quote", "escape": "Escape", "comment": "Comment"}
        fixed = {name: "" if found[title] in ("(empty)", "\0") else found[title] for name, title in signs.items()}
        kept = {name: value for name, value in options.items() if name != "sample_size"}
        formats = {"dateformat": found["DateFormat"], "timestampformat": found["TimestampFormat"]}
        return _Dialect(
            {**kept, **fixed, "skip": int(found["SkipRows"]), "header": bool(found["HasHeader"])},
            [(column["name"], column["type"]) for column in found["Columns"]],
            {name: form for name, form in formats.items() if form},
        )

    def _relation(self, found: _Dialect, types: Sequence[str], **options: Any) -> str:
        columns = {f"c{place}": kind for place, kind in enumerate(types)}
        return call("read_csv", self.path, auto_detect=False, **{**found.options, **options, "columns": columns})

    def _rows(self, found: _Dialect) -> list[list[str]]:
        """The first rows, as text."""
        as_text = ["VARCHAR"] * len(found.columns)
        relation = self._relation(found, as_text, header=False, store_rejects=False)
        rows = self.connection.execute(f"FROM {relation} LIMIT {_SAMPLE + 1}").fetchall()
        return [[cell or "" for cell in row] for row in rows] or [[""] * len(as_text)]


def _type_to_read(kind: str, found: _Dialect, style: tuple[str, str]) -> str:
    """The type that a column is read with: text where only all of its values show how they are written."""
    form = found.formats.get({"DATE": "dateformat", "TIMESTAMP": "timestampformat"}.get(kind, ""), "")
    unclear = form.startswith(_UNCLEAR) or kind in _LONG or (kind == "DOUBLE" and style != PLAIN)
    return "VARCHAR" if unclear else kind
