"""Text files with a table: read by Arrow, as text; row by row where rows differ in length or hold comments."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Iterator
from itertools import islice
from typing import Any, Literal

import pyarrow as pa
import pyarrow.csv as pacsv

from graphwright.files.errors import NotData
from graphwright.files.limits import MB, Limits
from graphwright.files.naming import shown
from graphwright.files.tables.cells import MISSING, is_number
from graphwright.files.tables.dialect import TITLES, Dialect, dialect
from graphwright.files.tables.encodings import Text
from graphwright.files.tables.found import Found, column_note
from graphwright.files.tables.selecting import Even

_SAMPLE_BYTES = 1 << 18
_BLOCKS = (1 << 22, 1 << 26)
"""Bytes that are parsed at once; a row must be shorter. The second is tried when the first does not do."""

_MOST_CELL = 1 << 24
"""Bytes of one cell."""

_ROWS_AT_ONCE = 20_000
_CELLS_AT_ONCE = 1_000_000


def read_delimited(text: Text, limits: Limits, *, table_by_name: bool) -> Found:
    """The table of a text file. `table_by_name`: its name says that it is one, so that it may have but one column.

    Raises NotData where there is none.
    """
    found = _looked_at(text)
    if not found.separator and not table_by_name and not _all_numbers(text):
        raise NotData(
            "not_a_table",
            "the text has no separator (comma, semicolon, tab or pipe) that would make columns of its lines",
            "If each line is a row of one column, name the file .csv.",
        )
    notes = _notes(found)
    place = found.layout
    there, held_columns = place.width, min(place.width, limits.columns)
    names = place.names or [f"column_{number}" for number in range(1, there + 1)]
    held = limits.rows_held(held_columns, text.bytes / max(text.lines, 1))
    most_rows = max(text.lines - place.rows_before_data, 0)
    data: Any = None
    rows, more = 0, list[str]()
    if not found.ragged and found.separator and there <= limits.columns:
        data, rows = _by_arrow(text, found, held, most_rows)
    if data is None:
        data, rows, more = _row_by_row(text, found, held, most_rows, held_columns)
    return Found(
        table="",
        names=names[:held_columns],
        data=data,
        there=rows,
        columns_there=there,
        notes=notes + more + column_note(there, held_columns),
        written=True,
        separator=found.separator,
    )


def _looked_at(text: Text) -> Dialect:
    """The dialect, by the beginning of the file; by more of it where not even the header ends in there."""
    size = _SAMPLE_BYTES
    while True:
        with text.path.open("rb") as file:
            file.seek(text.start)
            raw = file.read(size)
        whole = len(raw) < size
        sample = raw.decode("utf-8", errors="ignore")
        lines = sample.count("\n") + sample.count("\r")
        if whole or lines >= 20 or (lines and size >= _MOST_CELL):
            break
        if size >= _MOST_CELL:
            raise NotData(
                "not_a_table", f"its first line is longer than {size / MB:.0f} MB", "Give a table with shorter rows."
            )
        size *= 8
    csv.field_size_limit(_MOST_CELL)
    try:
        return dialect(sample, whole=whole)
    except (ValueError, StopIteration):
        raise NotData(
            "not_a_table", "no rows can be told apart in it", "Give a file with at least a row of names."
        ) from None


def _notes(found: Dialect) -> list[str]:
    notes = []
    if found.separator not in ("", ",", "\t"):
        notes.append(f"The columns are separated by {TITLES[found.separator]}.")
    if not found.separator:
        notes.append("There is no separator: each line is a row of one column.")
    notes += found.layout.notes("line")
    return notes


def _all_numbers(text: Text) -> bool:
    with text.path.open("rb") as file:
        file.seek(text.start)
        lines = file.read(1 << 16).decode("utf-8", errors="ignore").splitlines()[1:-1][:400]
    return bool(lines) and all(line.strip() in MISSING or is_number(line.strip()) for line in lines)


def _by_arrow(text: Text, found: Dialect, held: int, most_rows: int) -> tuple[Any, int]:
    """The table and the number of rows there; None where its rows are not all alike."""
    names = [str(place) for place in range(found.layout.width)]
    options: dict[str, Any] = {
        "parse_options": pacsv.ParseOptions(
            delimiter=found.separator, quote_char='"', newlines_in_values=text.quotes > 0, ignore_empty_lines=True
        ),
        "convert_options": pacsv.ConvertOptions(
            column_types=dict.fromkeys(names, pa.string()),
            null_values=[""],
            strings_can_be_null=True,
            quoted_strings_can_be_null=True,
        ),
    }
    for block in _BLOCKS:
        options["read_options"] = pacsv.ReadOptions(column_names=names, block_size=block)
        try:
            return _streamed(text, found, options, held, most_rows)
        except pa.ArrowInvalid as error:
            if "straddling" not in str(error):
                return None, 0
    return None, 0


def _streamed(text: Text, found: Dialect, options: dict[str, Any], held: int, most_rows: int) -> tuple[Any, int]:
    with pa.OSFile(str(text.path)) as file:
        file.seek(text.start + _bytes_before(text, found))
        if most_rows <= held:
            table = pacsv.read_csv(file, **options)
            return table, table.num_rows
        if text.quotes:
            # A line end in quotes ends no row: how many there are takes a look of its own.
            most_rows = _counted(text, found, options)
        even, batches = Even(most_rows, held), []
        reader = pacsv.open_csv(file, **options)
        for batch in reader:
            taken = even.next(batch.num_rows)
            batches.append(batch if taken is None else batch.take(pa.array(taken)))
        return pa.Table.from_batches(batches, reader.schema), even.seen


def _counted(text: Text, found: Dialect, options: dict[str, Any]) -> int:
    """The rows of the table, of which only the first column is taken."""
    one = pacsv.ConvertOptions(include_columns=["0"], column_types={"0": pa.string()})
    with pa.OSFile(str(text.path)) as file:
        file.seek(text.start + _bytes_before(text, found))
        return sum(batch.num_rows for batch in pacsv.open_csv(file, **{**options, "convert_options": one}))


def _bytes_before(text: Text, found: Dialect) -> int:
    if not found.data_start:
        return 0
    with text.path.open("rb") as file:
        file.seek(text.start)
        # A character takes at most four bytes.
        before = file.read(4 * found.data_start).decode("utf-8", errors="ignore")[: found.data_start]
    return len(before.encode("utf-8"))


class _Rows:
    """Rows of a file, made equally long, and what had to be done for it."""

    def __init__(self, text: Text, found: Dialect, quoting: Literal[0, 3]) -> None:
        self._text, self._found, self._quoting = text, found, quoting
        self.short = self.long = self.comments = 0
        self.first_short: list[str] = []
        self.first_long: list[str] = []

    def __iter__(self) -> Iterator[list[str]]:
        width = self._found.layout.width
        comments = self._found.layout.comments
        with self._text.path.open("rb") as raw:
            raw.seek(self._text.start + _bytes_before(self._text, self._found))
            lines = io.TextIOWrapper(raw, encoding="utf-8", errors="replace", newline="")
            for row in csv.reader(lines, delimiter=self._found.separator or "\0", quoting=self._quoting):
                if not row:
                    continue
                if row[0].startswith("#") and (comments or len(row) != width):
                    self.comments += 1
                    continue
                if len(row) < width:
                    self.short += 1
                    self.first_short = self.first_short or list(row)
                    row += [""] * (width - len(row))
                elif len(row) > width:
                    if any(row[width:]):
                        self.long += 1
                        self.first_long = self.first_long or list(row)
                    del row[width:]
                yield row

    def notes(self) -> list[str]:
        notes = []
        if self.comments:
            many = "1 row" if self.comments == 1 else f"{self.comments:,} rows"
            notes.append(f"{many} beginning with # passed over as comments.")
        if self.short:
            first = shown(self._found.separator.join(self.first_short))
            notes.append(f"{_rows(self.short)} too short and filled with missing values, the first of them `{first}`.")
        if self.long:
            first = shown(self._found.separator.join(self.first_long))
            notes.append(f"{_rows(self.long)} too long and cut at the last column, the first of them `{first}`.")
        return notes


def _rows(count: int) -> str:
    return "1 row was" if count == 1 else f"{count:,} rows were"


def _row_by_row(text: Text, found: Dialect, held: int, most_rows: int, columns: int) -> tuple[pa.Table, int, list[str]]:
    try:
        return _collected(text, found, held, most_rows, columns, csv.QUOTE_MINIMAL)
    except csv.Error:
        # A quote that nothing closes makes one endless cell of the rest.
        pass
    try:
        data, there, notes = _collected(text, found, held, most_rows, columns, csv.QUOTE_NONE)
    except csv.Error as error:
        raise NotData(
            "damaged_file", f"its rows cannot be told apart ({shown(str(error), 100)})", "Export the table once more."
        ) from None
    return data, there, [*notes, "The double quotes in it do not pair up: they were read as ordinary characters."]


def _collected(
    text: Text, found: Dialect, held: int, most_rows: int, columns: int, quoting: Literal[0, 3]
) -> tuple[pa.Table, int, list[str]]:
    rows = _Rows(text, found, quoting)
    even = Even(most_rows, held)
    batches: list[pa.RecordBatch] = []
    schema = pa.schema([(str(place), pa.string()) for place in range(columns)])
    at_once = max(min(_ROWS_AT_ONCE, _CELLS_AT_ONCE // max(columns, 1)), 1)

    def keep(batch: list[list[str]]) -> None:
        taken = even.next(len(batch))
        if taken is not None:
            batch = [batch[place] for place in taken]
        if batch:
            cells = islice(zip(*batch, strict=True), columns)
            arrays = [pa.array([cell or None for cell in column], pa.string()) for column in cells]
            batches.append(pa.RecordBatch.from_arrays(arrays, schema=schema))

    _in_batches(rows, at_once, keep)
    return pa.Table.from_batches(batches, schema), even.seen, rows.notes()


def _in_batches(rows: _Rows, at_once: int, keep: Callable[[list[list[str]]], None]) -> None:
    batch: list[list[str]] = []
    for row in rows:
        batch.append(row)
        if len(batch) >= at_once:
            keep(batch)
            batch = []
    if batch:
        keep(batch)
