"""How a text file writes its table: the separator, quotes, what stands before the table, and its header."""

from __future__ import annotations

import csv
import io
import re
from dataclasses import dataclass, replace
from itertools import islice

from graphwright.files.tables.cells import MISSING, is_comma_number, is_number
from graphwright.files.tables.headers import Layout, layout, usual_width

SEPARATORS = ("\t", ";", "|", ",")
"""Those that are known. Of two that fit equally well the first: a comma may be a decimal sign."""

TITLES = {"\t": "tabs", ";": "semicolons", "|": "pipes", ",": "commas"}

_MOST_ROWS = 400
_PLAIN = re.compile(r"[\w .:/@+#%()&'-]*")


@dataclass(frozen=True, slots=True)
class Dialect:
    """`separator` is empty where there is but one column. `data_start` is the place in the sample, in characters, where
    the first row of data begins. `ragged` says that rows of the sample differ in length, or hold comments."""

    separator: str
    layout: Layout
    data_start: int
    ragged: bool


def dialect(sample: str, *, whole: bool) -> Dialect:
    """The dialect of a text by its beginning; `whole` when the sample is all of it, so that its last line is complete.

    Raises ValueError where no row is in it.
    """
    if not whole:
        sample = sample[: max(sample.rfind("\n"), sample.rfind("\r")) + 1] or sample
    best, best_score, best_rows = "", -1.0, [[line] for line in sample.splitlines()[:_MOST_ROWS] if line.strip()]
    for separator in SEPARATORS:
        if separator not in sample:
            continue
        rows = parsed(sample, separator)
        score = _score(rows, separator)
        if score > best_score + 1e-9:
            best, best_score, best_rows = separator, score, rows
    if best_score <= 0.5:
        # It separates nothing regularly.
        best, best_rows = "", parsed(sample, "\0")
    found = layout(best_rows)
    if not found.width:
        raise ValueError("no row")
    data = [row for row in best_rows[found.rows_before_data :] if row]
    marked = [row for row in data if row[0].startswith("#")]
    # Where one line with # is no row, none of them is.
    if any(len(row) != found.width for row in marked):
        found = replace(found, comments=True)
    ragged = bool(marked) or any(len(row) != found.width for row in data)
    return Dialect(best, found, _start(sample, best or "\0", found), ragged)


def parsed(sample: str, separator: str) -> list[list[str]]:
    """The first rows of the sample; an empty line is a row without cells."""
    rows: list[list[str]] = []
    reader = csv.reader(io.StringIO(sample, newline=""), delimiter=separator)
    try:
        for row in reader:
            rows.append(row)
            if len(rows) >= _MOST_ROWS:
                break
    except csv.Error:
        pass
    return rows


def _score(rows: list[list[str]], separator: str) -> float:
    """How well a separator fits: the share of rows that are equally long, times that of cells that look like one."""
    rows = [row for row in rows if row and not row[0].lstrip().startswith("#")]
    width = usual_width(rows)
    if width < 2:
        return 0.0
    regular = [row for row in rows if len(row) == width]
    # A row that lacks a cell, or has one too many, still speaks for the separator.
    nearly = sum(len(row) > 1 and abs(len(row) - width) == 1 for row in rows)
    # One row less: that of a header of another length, or the title over the table, says little.
    even = (len(regular) + nearly / 2) / max(len(rows) - (len(rows) > 2), 1)
    cells = [cell for row in regular[:100] for cell in row[:50]]
    plain = sum(_plain(cell, separator) for cell in cells) / len(cells)
    return min(even, 1.0) * plain


def _plain(cell: str, separator: str) -> float:
    """1 for what is surely one value, less for what may be several."""
    text = cell.strip()
    if text in MISSING or is_number(text):
        # "1" and "5" of "1,5" look like numbers as well: what holds both tells more.
        return 1.0
    if any(other in text for other in SEPARATORS if other != separator):
        parts = re.split(r"[;|\t]", text)
        return 0.3 if len(parts) > 1 and any(is_comma_number(part.strip()) for part in parts) else 0.7
    return 1.0 if _PLAIN.fullmatch(text) else 0.95


def _start(sample: str, separator: str, found: Layout) -> int:
    """Where the data begins: behind as many rows as stand before it, of which each may be several lines long."""
    reader = csv.reader(io.StringIO(sample, newline=""), delimiter=separator)
    for _ in range(found.rows_before_data):
        next(reader)
    return sum(len(line) for line in islice(io.StringIO(sample, newline=""), reader.line_num))
