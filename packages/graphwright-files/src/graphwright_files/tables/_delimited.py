"""Tables in text files: their position, DuckDB's options, and the numbers and times in their text columns.

The first lines show the position of a table. DuckDB reads it, with other options if that fails. A text column gets a
type if all its values fit without loss.
"""

from __future__ import annotations

import csv
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from itertools import groupby, pairwise
from pathlib import Path
from typing import Any

import duckdb

from graphwright_files._notes import Note, note, note_on_columns
from graphwright_files.errors import UnusableFile, quotable
from graphwright_files.source import SEPARATORS
from graphwright_files.tables._engine import TableSource, call, count, literal, quoted

MISSING = (
    *("", "NA", "N/A", "n/a", "#N/A", "#N/A N/A", "#NA", "NaN", "nan", "-NaN", "-nan", "NULL", "null", "None"),
    *("<NA>", "1.#IND", "-1.#IND", "1.#QNAN", "-1.#QNAN"),
)
"""The texts that are read as missing values, as in pandas."""

_WORDS = frozenset(MISSING) - {""}
_MOST_ABOVE, _FEW_ZONES, _FEW_WORDS, _MOST_BEYOND = 250, 4, 10, 64
_LOOKED_AT = 50
"""The number of rows below a header that distinguish a second header row from values."""

_HEAD, _SAMPLE, _EVEN = 1 << 16, 1_000, 0.8
"""The bytes and rows that are examined, and the minimum proportion of even lines.

A text is a table if at least this proportion of its lines has equal numbers of cells.
"""

_PADDED: Mapping[str, Any] = {"null_padding": True, "strict_mode": False, "parallel": False}
_ALL: Mapping[str, Any] = {"sample_size": -1, "max_line_size": 1 << 24}
_ATTEMPTS: tuple[Mapping[str, Any], ...] = (
    {},
    _ALL,
    {**_ALL, **_PADDED},
    {**_ALL, **_PADDED, "quote": ""},
)
"""Options that are tried in this order until the whole file can be read."""

_YEAR, _DECIMAL_COMMA = re.compile(r"(1[5-9]|20|21)\d\d"), re.compile(r"[+-]?\d+,\d+")
_UNCLEAR = tuple(f"{order}{year}" for order in ("%d/%m/", "%m/%d/", "%d-%m-", "%m-%d-") for year in ("%Y", "%y"))
_LONG = ("HUGEINT", "UBIGINT", "UHUGEINT")


@dataclass
class _Layout:
    """The position of the table, from the first lines: options of `read_csv`, and names outside of its header."""

    options: dict[str, Any] = field(default_factory=dict)
    names: list[str] = field(default_factory=list)
    even: float = 0.0
    parted: float = 0.0
    """The proportion of lines, from its first line on, with the usual number of cells, and with several cells."""
    above: list[str] = field(default_factory=list)
    """The text of each line above the table that is not part of its names: titles, remarks."""
    comments: list[str] = field(default_factory=list)
    """The lines among the rows that begin with `#`."""
    joined: list[str] = field(default_factory=list)
    """The names that were joined from two header rows, such as `2024 Q1`."""


@dataclass
class _Dialect:
    """How DuckDB reads a file: `options` of `read_csv`, the types of the columns, and the formats of its dates."""

    options: dict[str, Any]
    types: list[str]
    formats: dict[str, str]


def read_delimited(
    connection: duckdb.DuckDBPyConnection,
    path: Path,
    *,
    one_column: bool,
    table: str = "",
    notes: Sequence[Note] = (),
    options: Mapping[str, Any] | None = None,
    names: Sequence[str] = (),
    merged: bool = False,
) -> Iterator[TableSource]:
    """The table of a UTF-8 text file, read with more and more tolerant options; the first that work are used.

    `one_column`: the table may have only one column. `options` are known options, `names` the column names if the file
    does not have them. `merged`: the sheet has merged cells, each with the value. Raises UnusableFile if there is no
    table.
    """
    layout = _Layout(names=list(names)) if names else _layout(path, (options or {}).get("delim"), merged=merged)
    known = {**layout.options, **(options or {})}
    if not one_column and layout.even < _EVEN:
        raise UnusableFile(
            "not_a_table",
            "The text has no separator (comma, semicolon, tab or pipe) that would make columns of its lines.",
            "If each line is a row of one column, name the file .csv.",
        )
    for attempt in _ATTEMPTS[0 if layout.even == 1 or "skip" not in layout.options else 2 :]:
        asked = {**attempt, **known}
        if "null_padding" in attempt and not layout.options.get("skip", 1):
            # DuckDB uses the width of the given line, not that of the longest one.
            del asked["skip"]
        try:
            source = _source(connection, path, asked, layout)
        except duckdb.Error as error:
            if attempt is _ATTEMPTS[-1]:
                why = f"Its rows cannot be separated ({quotable(str(error).partition(chr(10))[0], 100)})."
                raise UnusableFile("not_a_table", why) from None
            continue
        source.table, source.notes = table, [*notes, *source.notes]
        # The cells of a workbook or a database were written with commas.
        source.separator = "" if options else asked.get("delim", ",")
        yield source


def _layout(path: Path, separator: str | None, *, merged: bool) -> _Layout:
    """The separator that most lines have equally often, and the first line with nearly all cells filled."""
    with path.open("rb") as file:
        text = file.read(_HEAD).decode("utf-8", errors="replace").replace("\r\n", "\n").replace("\r", "\n")
    # The last line may be cut.
    lines = text.split("\n") if len(text) < _HEAD // 4 else text.split("\n")[:-1]
    best, most = _Layout(), 1
    for sign in separator or SEPARATORS:
        rows, reader, before = list[tuple[int, list[str]]](), csv.reader(lines, delimiter=sign), 0
        for cells in reader:
            rows.append((before, cells))
            before = reader.line_num
        widths = Counter(len(cells) for _, cells in rows if len(cells) > 1 and not cells[0].startswith("#"))
        width, count = widths.most_common(1)[0] if widths else (1, 0)
        if count > most:
            found = _begin(rows, width, merged=merged)
            found.options["delim"] = sign
            best, most = (found, count) if found.parted >= 0.5 else (best, most)
    return best


def _begin(rows: Sequence[tuple[int, list[str]]], width: int, *, merged: bool) -> _Layout:
    """The layout of a table with `width` columns; the rows have their line numbers."""

    def cells_in(cells: list[str]) -> int:
        """The number of cells with a value; merged neighbours count as one."""
        return sum(bool(cell) and not (merged and cell == before) for before, cell in pairwise(["", *cells]))

    filled = Counter(sum(map(bool, cells)) for _, cells in rows if len(cells) >= width)
    enough = min(filled.most_common(1)[0][0], (width + 3) // 2)
    plain = [place for place, (_, cells) in enumerate(rows) if cells and not cells[0].startswith("#")]
    wide = (p for p in plain if len(rows[p][1]) >= width and cells_in(rows[p][1]) >= enough)
    begin = next(wide, 0)
    while begin + 1 < len(rows) and _are_repeated_groups(*_stripped(rows[begin : begin + _LOOKED_AT])):
        begin += 1
    below = [len(rows[place][1]) for place in plain if place >= begin]
    parted = sum(cells > 1 for cells in below) / max(len(below), 1)
    layout = _Layout({"skip": rows[begin][0]}, even=below.count(width) / max(len(below), 1), parted=parted)
    comments = [place for place, (_, cells) in enumerate(rows) if cells and cells[0].startswith("#")]
    if comments and comments[-1] > begin:
        # DuckDB does not count comments that it skips.
        layout.options |= {"comment": "#", "skip": rows[begin][0] - sum(place < begin for place in comments)}
    title = begin
    above = [cell.strip() for cell in rows[begin - 1][1]] if begin else []
    if all(above) and len(above) == width - (not "".join(above[:1]).startswith("#")):
        # Names in a comment; or one name less, because the first column contains names of rows.
        layout.names = [above[0].lstrip("# "), *above[1:]] if len(above) == width else ["", *above]
        title -= bool(above)
    elif not comments and (head := _joined_header(rows, begin, width)):
        title = head.first
        cells = {cell.strip() for _, row in rows[head.first : head.last + 1] for cell in row}
        layout.names, layout.joined = head.names, [name for name in head.names if name not in cells]
        layout.options |= {"header": False, "skip": rows[head.last + 1][0]}
    # A title over merged cells appears once.
    texts = [" ".join(cell for cell, _ in groupby(cells) if cell) for cells in _stripped(rows)]
    layout.above = [text for text in texts[:title] if text]
    layout.comments = [texts[place] for place in comments if place > begin]
    return layout


@dataclass
class _Header:
    """A header of several rows, `first` to `last`, and the names joined from them."""

    first: int
    last: int
    names: list[str]


def _joined_header(rows: Sequence[tuple[int, list[str]]], begin: int, width: int) -> _Header | None:
    """The header with a row of groups above the names, or a row of parts or units below them; otherwise None."""
    cells = _stripped(rows)
    first, last, names = begin, begin, cells[begin]
    below = [row for row in cells[begin + 1 : begin + 1 + _LOOKED_AT] if len(row) == width]
    while first and (_are_groups(cells[first - 1], names) or _are_repeated_groups(cells[first - 1], names, *below)):
        first, names = first - 1, _joined(_spread(cells[first - 1], width), names)
    if len(below) > 2 and _are_parts(cells[begin], cells[begin + 1], below[1:]):
        last, names = begin + 1, _joined(_spread(names, width), cells[begin + 1])
    there = len(names) == width and last + 1 < len(rows) and (first, last) != (begin, begin)
    return _Header(first, last, names) if there else None


def _stripped(rows: Sequence[tuple[int, list[str]]]) -> list[list[str]]:
    return [[cell.strip() for cell in row] for _, row in rows]


def _are_groups(upper: Sequence[str], names: Sequence[str]) -> bool:
    """Whether a row names groups of the columns below: without it, names are missing or occur twice."""
    if len([cell for cell in upper if cell]) < 2 or len(upper) > len(names) or upper[0].startswith("#"):
        return False
    twice = len(set(filter(None, names))) < len([name for name in names if name])
    return twice or any(group and not name for group, name in zip(upper, names, strict=False))


def _are_repeated_groups(upper: Sequence[str], names: Sequence[str] = (), *below: Sequence[str]) -> bool:
    """Whether a row repeats groups over neighbouring columns: `x, Q1, Q1` above `x, plan, actual`.

    The names are in the row below; a group of one column may be in either row or both.
    """
    if len(upper) != len(names) or not all(map("".join, zip(upper, names, strict=True))):
        return False
    groups = [
        [name for _, name in cells] for group, cells in groupby(zip(upper, names, strict=True), lambda c: c[0]) if group
    ]
    wide = [group for group in groups if len(group) > 1]
    if not wide or not all(all(group) and len(set(group)) == len(group) for group in wide):
        return False
    columns = list(zip(*(row for row in below if len(row) == len(names)), strict=True)) or [()] * len(names)
    years = not any(_YEAR.fullmatch(cell) for cells in columns for cell in cells)
    words = [name for name in names if name and not (years and _YEAR.fullmatch(name))]
    if any(_is_value(word) or word in MISSING for word in words):
        return False
    typed = any(name and _mostly_values(cells) for name, cells in zip(names, columns, strict=True))
    return typed or (len(wide) > 1 and upper[0] != upper[1] and all(group == wide[0] for group in wide))


def _are_parts(names: Sequence[str], row: Sequence[str], below: Sequence[Sequence[str]]) -> bool:
    """Whether a row below the names is part of the header: it has words above numbers or dates, and no value."""
    if len(row) != len(names):
        return False
    words = typed = 0
    for name, cell, values in zip(names, row, zip(*below, strict=True), strict=True):
        if _mostly_values(values):
            typed += 1
            words += cell not in MISSING
            if _is_value(cell):
                return False
        elif cell not in ("", name):
            return False
    return words > 0 and 2 * words >= typed


def _mostly_values(cells: Sequence[str]) -> bool:
    """Whether most of the cells of a column are numbers or dates."""
    present = [cell for cell in cells if cell not in MISSING]
    return len(present) > 1 and sum(map(_is_value, present)) >= _EVEN * len(present)


def _is_value(cell: str) -> bool:
    """Whether a cell is a number or a date, in any style."""
    return bool(
        any(number_pattern(style).fullmatch(cell) for style in GROUP_SIGNS) or _ISO.fullmatch(cell) or _DATE.match(cell)
    )


def _spread(upper: Sequence[str], width: int) -> list[str]:
    """A row of groups, each repeated up to the next one, unless the row repeats them itself."""
    if any(cell and cell == before for before, cell in pairwise(upper)):
        return [*upper, *[""] * (width - len(upper))]
    spread, last = list[str](), ""
    for cell in (*upper, *[""] * (width - len(upper))):
        last = cell or last
        spread.append(last)
    return spread


def _joined(upper: Sequence[str], lower: Sequence[str]) -> list[str]:
    return [above if above == below else f"{above} {below}".strip() for above, below in zip(upper, lower, strict=False)]


def _source(
    connection: duckdb.DuckDBPyConnection, path: Path, options: Mapping[str, Any], layout: _Layout
) -> TableSource:
    """The table with these options. Raises duckdb.Error if no dialect fits."""
    dialect = _widened(connection, path, _sniffed(connection, path, options))
    width, notes, names = len(dialect.types), list[Note](), list(layout.names)
    as_text = {f"c{place}": "VARCHAR" for place in range(width)}
    text = {**dialect.options, "header": False, "columns": as_text}
    first = connection.execute(f"FROM {call('read_csv', path, auto_detect=False, **text)} LIMIT {_SAMPLE + 1}")
    rows = [[cell or "" for cell in row] for row in first.fetchall()] or [[""] * width]
    header = _is_header(rows, dialect) if "header" not in options else bool(options["header"])
    if header != dialect.options["header"]:
        dialect = _sniffed(connection, path, {**options, **dialect.options, "header": header})
    if header:
        names = ["" if cell in MISSING else cell for cell in rows[0]]
        names[0] = names[0].lstrip("# ")
    elif len(names) != width:
        names = [f"column_{place}" for place in range(1, width + 1)]
        notes.append(note("no_header"))
    notes += _notes_on_header(layout, dialect)
    if dialect.options.get("null_padding"):
        notes.append(note("short_rows"))
    columns = list(zip(*rows[header:], strict=True)) or [()] * width
    style = style_of([[cell for cell in cells if cell not in MISSING] for cells in columns], dialect.options["delim"])
    as_texts = call("read_csv", path, auto_detect=False, **{**text, "header": header})
    zoned = [place for place, kind in enumerate(dialect.types) if kind == "TIMESTAMP WITH TIME ZONE"]
    zones = {names[place]: _zones(connection, as_texts, f"c{place}") for place in zoned}
    types = {f"c{place}": _type_to_read(kind, dialect, style) for place, kind in enumerate(dialect.types)}
    asked = {**dialect.options, **dialect.formats, "nullstr": list(MISSING), "columns": types}
    return TableSource(
        table="",
        relation=call("read_csv", path, auto_detect=False, **asked),
        size=path.stat().st_size,
        names=names,
        notes=notes,
        style=style,
        untyped=True,
        zones=zones,
        texts=as_texts,
    )


def _widened(connection: duckdb.DuckDBPyConnection, path: Path, dialect: _Dialect) -> _Dialect:
    """The dialect with an additional text column for each cell that some row has beyond the first rows' columns."""
    width = len(dialect.types)
    if not dialect.options.get("null_padding"):
        return dialect
    places = range(width, width + _MOST_BEYOND)
    options = {**dialect.options, "columns": {f"c{place}": "VARCHAR" for place in range(places.stop)}}
    asked = ", ".join(f"count(c{place})" for place in places)
    found = connection.execute(f"SELECT {asked} FROM {call('read_csv', path, auto_detect=False, **options)}").fetchone()
    used = [place for place, cells in zip(places, found or (), strict=True) if cells]
    more = used[-1] + 1 - width if used else 0
    return _Dialect(dialect.options, [*dialect.types, *["VARCHAR"] * more], dialect.formats)


def _notes_on_header(layout: _Layout, dialect: _Dialect) -> Iterator[Note]:
    """Notes on the text above a table, and on joined names."""
    if layout.above:
        text = " / ".join(layout.above)[:_MOST_ABOVE]
        yield note("begins_below", line=len(layout.above), above=quotable(text, _MOST_ABOVE))
    elif not layout.names and (before := dialect.options["skip"]) > 0:
        yield note("passed_over", line=before)
    if layout.comments:
        listed = quotable(" / ".join(layout.comments), _MOST_ABOVE)
        yield note("comments", lines=listed)
    if layout.joined:
        yield note_on_columns("joined_header", layout.joined)


def missing_words(
    connection: duckdb.DuckDBPyConnection, relation: str, names: Mapping[int, str]
) -> dict[str, dict[str, int]]:
    """The counts of each text that is read as missing in these columns; also of the empty text, if there is a word.

    The relation has the columns as text, `c0` first.
    """
    places = list(names)
    among = literal(sorted(_WORDS))
    asked = ", ".join(f"count(*) FILTER (list_contains({among}, c{place}))" for place in places)
    counts = connection.execute(f"SELECT {asked} FROM {relation}").fetchone() if places else None
    having = [place for place, times in zip(places, counts or (), strict=True) if times][:_FEW_WORDS]
    found = dict[str, dict[str, int]]()
    for place in having:
        text = f"coalesce(c{place}, '')"
        there = f"WHERE {text} = '' OR list_contains({among}, {text})"
        query = f"SELECT {text} AS t, count(*) AS n FROM {relation} {there} GROUP BY t ORDER BY n DESC, t"
        found[quotable(names[place])] = dict(connection.execute(query).fetchall())
    return found


def _zones(connection: duckdb.DuckDBPyConnection, relation: str, column: str) -> str:
    """The UTC offsets of the times of a column, the most frequent first."""
    offset = f"regexp_extract({column}, '(Z|z|[+-][0-9]{{2}}(:?[0-9]{{2}})?)$')"
    query = (
        f"SELECT {offset} AS o FROM {relation} WHERE o <> '' GROUP BY o ORDER BY count(*) DESC, o LIMIT {_FEW_ZONES}"
    )
    return ", ".join(str(found) for (found,) in connection.execute(query).fetchall())


def _sniffed(connection: duckdb.DuckDBPyConnection, path: Path, options: Mapping[str, Any]) -> _Dialect:
    asked = {name: value for name, value in options.items() if name != "parallel"}
    result = connection.execute(f"FROM {call('sniff_csv', path, **{'nullstr': list(MISSING), **asked})}")
    found = dict(zip((column[0] for column in result.description), result.fetchall()[0], strict=True))
    signs = {"delim": "Delimiter", "quote": "Quote", "escape": "Escape", "comment": "Comment"}
    fixed = {name: "" if found[title] in ("(empty)", "\0") else found[title] for name, title in signs.items()}
    kept = {name: value for name, value in options.items() if name != "sample_size"}
    formats = {"dateformat": found["DateFormat"], "timestampformat": found["TimestampFormat"]}
    return _Dialect(
        {**kept, **fixed, "skip": int(found["SkipRows"]), "header": bool(found["HasHeader"])},
        [column["type"] for column in found["Columns"]],
        {name: form for name, form in formats.items() if form},
    )


def _is_header(rows: Sequence[Sequence[str]], found: _Dialect) -> bool:
    """Whether the first row contains names; DuckDB decides by types alone."""
    first, *rest = rows
    columns = list(zip(*rest, strict=True)) or [()] * len(first)
    if found.options["header"]:
        if any(map(_DECIMAL_COMMA.fullmatch, first)):
            return False
        # The first row is a header if none of its texts is one of the values below it.
        typed = any(kind != "VARCHAR" for kind in found.types)
        return typed or not any(cell and cell in cells for cell, cells in zip(first, columns, strict=True))
    # A letter above words like true is a name, and so are years without years below; DuckDB decides by types alone.
    read = zip(found.types, first, columns, strict=True)
    if any(kind == "BOOLEAN" and len(cell) == 1 < max(map(len, below), default=0) for kind, cell, below in read):
        return True
    years = [cells for cell, cells in zip(first, columns, strict=True) if _YEAR.fullmatch(cell)]
    return len(years) > 1 and not any(_YEAR.fullmatch(cell) for cells in years for cell in cells)


def _type_to_read(kind: str, found: _Dialect, style: str) -> str:
    """The type to read a column with: text if its format can be seen only from all of its values."""
    form = found.formats.get({"DATE": "dateformat", "TIMESTAMP": "timestampformat"}.get(kind, ""), "")
    return "VARCHAR" if form.startswith(_UNCLEAR) or kind in _LONG or (kind == "DOUBLE" and style) else kind


_FIRST_CELLS = 100

_WHOLE = r"[+-]?(0|[1-9]\d{0,17})"
"""A whole number that fits into a BIGINT and has no leading zeros, which would be lost."""

GROUP_SIGNS = {"": "", ".": "[,' \xa0\u202f]", ",": "[.' \xa0\u202f]"}
"""The thousands separators of each number style: a style is the decimal sign, empty for DuckDB's own numbers."""

_THREE = re.compile(r"[+-]?[1-9]\d{0,2},\d{3}")
_ISO = re.compile(r"\d{4}[/-]\d{1,2}[/-]\d{1,2}([ T].*)?")
_DATE = re.compile(r"\d{1,2}([./-])\d{1,2}\1(\d{4}|\d{2})([ T]\d{1,2}:\d{2}(:\d{2})?)?")
_TIMES = ("", " %H:%M:%S", " %H:%M", "T%H:%M:%S", "T%H:%M")


@cache
def number_pattern(style: str) -> re.Pattern[str]:
    """A number with the signs of a style at their places; DuckDB alone would read 1.5 as 15."""
    decimal, group = re.escape(style or "."), GROUP_SIGNS[style]
    whole = rf"([1-9]\d{{0,2}}({group}\d{{3}})+|\d+)" if group else r"\d+"
    return re.compile(rf"[+-]?({whole}({decimal}\d*)?|{decimal}\d+)([eE][+-]?\d+)?")


def style_of(columns: Sequence[Sequence[str]], separator: str) -> str:
    """The style of numbers with the most numeric columns, then cells; otherwise the separator decides."""

    def numeric(style: str) -> tuple[int, int]:
        matches = number_pattern(style).fullmatch
        found = [sum(bool(matches(cell.strip())) for cell in cells) for cells in columns]
        return sum(bool(n) and n == len(cells) for n, cells in zip(found, columns, strict=True)), sum(found)

    return max(("", ".", ",") if separator == "," else ("", ",", "."), key=numeric)


def with_point(text: str, style: str) -> str:
    """The SQL that converts a number in this style for DuckDB; NULL if its signs are at other places."""
    if not style:
        return text
    plain = f"replace(regexp_replace({text}, {literal(GROUP_SIGNS[style])}, '', 'g'), ',', '.')"
    return f"CASE WHEN regexp_full_match({text}, {literal(number_pattern(style).pattern)}) THEN {plain} END"


class TextColumns:
    """Types the text columns of a relation, whose numbers are written in `style`, and collects `notes` on that."""

    def __init__(self, connection: duckdb.DuckDBPyConnection, relation: str, style: str) -> None:
        self._connection, self._relation, self._style = connection, relation, style
        self._notes: list[Note] = []
        self._commas: list[str] = []

    @property
    def notes(self) -> list[Note]:
        """Notes on how numbers and dates were read, and which dates were left as text."""
        commas = [note_on_columns("decimal_commas", self._commas)] if self._commas else []
        return [*commas, *self._notes]

    def typed(self, name: str, present: int, values: Sequence[str]) -> tuple[str, str] | None:
        """The SQL and the type of a column with `present` values, the first of which are `values`; None for text."""
        cells = [value.strip() for value in values]
        fitting = []
        for wanted, kind in self._candidates(f"trim({quoted(name)})", cells[:_FIRST_CELLS]):
            sql = f"TRY_CAST({wanted} AS {kind})"
            if count(self._connection, f"{self._relation} WHERE {sql} IS NOT NULL") == present:
                fitting.append((sql, kind))
                if kind != "TIMESTAMP":
                    self._note_commas(name, cells)
                    break
        if len(fitting) > 1:
            self._notes.append(note_on_columns("unclear_dates", [name]))
        return fitting[0] if len(fitting) == 1 else None

    def _candidates(self, text: str, cells: Sequence[str]) -> Iterator[tuple[str, str]]:
        """The possible types by the first values: SQL that is NULL for other values, and the type."""
        if all(map(number_pattern(self._style).fullmatch, cells)):
            number = with_point(text, self._style)
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

    def _note_commas(self, name: str, cells: Sequence[str]) -> None:
        """Note decimal commas, and commas that may be thousands separators."""
        with_comma = [cell for cell in cells if "," in cell]
        if with_comma and self._style == ",":
            self._commas.append(name)
        if with_comma and all(map(_THREE.fullmatch, with_comma)) and not any("." in cell for cell in cells):
            read = "1.234" if self._style == "," else "1234"
            self._notes.append(note_on_columns("thousands", [name], read=read))
