"""Where a table begins in rows of cells: what stands before it, and whether its first row holds the names."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, time
from itertools import pairwise
from typing import Any

from graphwright.files.tables.cells import MISSING, is_number

_MOST_BEFORE = 50
"""Rows before a table that are looked over for its beginning."""

_DATE = re.compile(r"\d{4}-\d{2}-\d{2}|\d{1,2}[./]\d{1,2}[./]\d{2,4}")
_YEAR = re.compile(r"(1[5-9]|20|21)\d{2}")


@dataclass(frozen=True, slots=True)
class Layout:
    """`before` rows stand before the table; `names` are those of its first row, None where that is data already.
    `width` is the number of its columns; `comments` whether lines that begin with # are none of its rows."""

    before: int
    names: list[str] | None
    width: int
    comments: bool = False

    def notes(self, row: str) -> list[str]:
        """What a person should know of it; `row` is what a row is called in the file."""
        notes = []
        if self.before == 1:
            notes.append(f"1 {row} stands before the table and was passed over.")
        elif self.before:
            notes.append(f"{self.before} {row}s stand before the table and were passed over.")
        if self.names is None:
            notes.append("There is no header: the columns are called by their places, `column_1` first.")
        return notes

    @property
    def rows_before_data(self) -> int:
        return self.before + (self.names is not None)


def layout(rows: Sequence[Sequence[Any]]) -> Layout:
    """The layout of a table by its first rows. Missing cells are None or empty."""
    width = usual_width(rows)
    before, comments = 0, False
    for place, row in enumerate(rows[:_MOST_BEFORE]):
        filled = _filled(row)
        comment = _is_comment(row)
        if comment and not (_reaches(row, width) and _names_what_follows(row, rows[place + 1 :])):
            comments, before = True, place + 1
        elif not filled or (width > 1 and filled <= max(1, width // 4) and len(row) < width):
            before = place + 1
        elif len(row) < width - 1 and any(map(_typed, row)):
            # Too short for the names of the columns, and numbers in it: counts of what follows, or the like.
            before = place + 1
        elif width > 1 and filled == 1 and place + 1 < len(rows) and _filled(rows[place + 1]) > max(1, width // 2):
            # A title over a table, in a sheet whose rows are all equally long.
            before = place + 1
        else:
            break
    before = _below_titles(rows, before, width)
    rest = [row for row in rows[before:] if _filled(row)]
    if not rest:
        return Layout(0, None, width, False)
    first, data = list(rest[0]), rest[1:]
    if not _is_header(first, data):
        return Layout(before, None, width, comments)
    names = ["" if cell is None else _named(cell) for cell in first]
    if names and _is_comment(first):
        names[0] = names[0].lstrip("# ")
    if len(names) == width - 1 and data and all(len(row) == width for row in data):
        # One name less than columns: the first column holds the names of the rows.
        names = ["", *names]
    names += [""] * (width - len(names))
    return Layout(before, names[:width], width, comments)


def _below_titles(rows: Sequence[Sequence[Any]], before: int, width: int) -> int:
    """Where the names stand below titles whose rows are filled up to the width of the table; else `before` as it is.

    Spreadsheets write a title as `Report;;`, with empty rows below it as `;;`.
    """
    if width < 2:
        return before
    for place in range(before, min(before + _MOST_BEFORE, len(rows))):
        row = rows[place]
        if _is_comment(row):
            return before
        if sum(not _missing(cell) for cell in row) < width:
            continue
        rest = [other for other in rows[place + 1 :] if _filled(other)]
        whole = sum(_filled(other) >= width - 1 for other in rest) > 0.8 * len(rest)
        parted = place > before and not _filled(rows[place - 1])
        is_one = not any(map(_typed, row)) and len(set(row)) == len(row) and _is_header(row, rest)
        return (
            place if is_one and whole and len(rest) > (not parted) and (parted or _has_typed(rest, width)) else before
        )
    return before


def _has_typed(rows: Sequence[Sequence[Any]], width: int) -> bool:
    """Whether a column holds hardly anything but numbers, dates and truth values."""
    columns = [[row[place] for row in rows if place < len(row) and not _missing(row[place])] for place in range(width)]
    return any(column and sum(map(_typed, column)) > 0.6 * len(column) for column in columns)


def usual_width(rows: Sequence[Sequence[Any]]) -> int:
    """How many columns most rows have; of equally frequent numbers the first one's, which is that of the names."""
    counts = Counter(len(row) for row in rows if _filled(row))
    return counts.most_common(1)[0][0] if counts else 0


def _is_header(first: Sequence[Any], data: Sequence[Sequence[Any]]) -> bool:
    if not data:
        return not any(_typed(cell) for cell in first)
    typed_below = typed_here = repeated = 0
    for place, cell in enumerate(first):
        below = [row[place] for row in data if place < len(row) and not _missing(row[place])]
        if not below:
            continue
        if sum(map(_typed, below)) > 0.6 * len(below):
            typed_below += 1
            typed_here += _typed(cell)
        elif not _missing(cell) and cell in below:
            repeated += 1
    if typed_below:
        return typed_here <= typed_below / 2 or _are_years(first)
    # All is text: a name is seldom one of the values under it.
    return repeated == 0


def _names_what_follows(row: Sequence[Any], data: Sequence[Sequence[Any]]) -> bool:
    rest = [other for other in data if _filled(other)][:20]
    return bool(rest) and not _is_comment(rest[0]) and len(rest[0]) == len(row) and _is_header(row, rest)


def _are_years(cells: Sequence[Any]) -> bool:
    """A row of consecutive years is one of names, though they are numbers."""
    years = [int(_named(cell)) for cell in cells if _YEAR.fullmatch(_named(cell))]
    steps = {later - former for former, later in pairwise(years)}
    return len(years) > 1 and len(steps) == 1 and steps <= {1, 5, 10}


def _reaches(row: Sequence[Any], width: int) -> bool:
    return len(row) >= width - 1 and len(row) > 0


def _named(cell: Any) -> str:
    if isinstance(cell, float) and cell.is_integer():
        cell = int(cell)
    return str(cell)


def _filled(row: Sequence[Any]) -> int:
    return sum(cell is not None and cell != "" for cell in row)


def _is_comment(row: Sequence[Any]) -> bool:
    return bool(row) and isinstance(row[0], str) and row[0].lstrip().startswith("#")


def _missing(cell: Any) -> bool:
    return cell is None or (isinstance(cell, str) and cell.strip() in MISSING)


def _typed(cell: Any) -> bool:
    """Whether a cell holds what names are not: a number, a date, a truth value."""
    if isinstance(cell, str):
        text = cell.strip()
        return is_number(text) or bool(_DATE.match(text)) or text.lower() in ("true", "false")
    return isinstance(cell, bool | int | float | date | time)
