"""Workbooks: each sheet with something in it is a table. Formulas are not run: their saved values are read."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain, islice
from pathlib import Path
from typing import Any

import python_calamine as calamine

from graphwright.files.errors import NotData
from graphwright.files.kinds import XLS, Kind
from graphwright.files.limits import Limits
from graphwright.files.naming import shown
from graphwright.files.tables.found import Found, column_note
from graphwright.files.tables.headers import layout
from graphwright.files.tables.selecting import Even
from graphwright.files.tables.unpacking import weighed
from graphwright.files.tables.value_columns import ValueRows

_FIRST_ROWS = 200
_ROWS_AT_ONCE = 5_000


def read_sheets(path: Path, kind: Kind, limits: Limits) -> Iterator[Found]:
    """The tables of a workbook. Raises NotData where it is damaged or protected, TooMuch where it is too large."""
    formulas = 0
    if kind is not XLS:
        for name, chunk in weighed(path, limits):
            if "sheet" in name:
                formulas += chunk.count(b"<f>") + chunk.count(b"<f ")
    try:
        with calamine.load_workbook(path) as book:
            for sheet in book.sheets_metadata:
                if sheet.typ != calamine.SheetTypeEnum.WorkSheet:
                    continue
                found = _read(book, sheet.name, limits)
                if found is None:
                    continue
                if formulas:
                    found.notes.append("Formulas were not run: the values that they had when it was saved were read.")
                if sheet.visible != calamine.SheetVisibleEnum.Visible:
                    found.notes.append("The sheet is hidden.")
                yield found
    except calamine.PasswordError:
        raise NotData(
            "protected_file", "the workbook is protected by a password", "Save it without a password."
        ) from None
    except calamine.CalamineError as error:
        raise NotData(
            "damaged_file",
            f"the workbook cannot be read ({shown(str(error), 100)})",
            "Save it once more, or export the sheet as CSV.",
        ) from None


def _read(book: Any, name: str, limits: Limits) -> Found | None:
    sheet = book.get_sheet_by_name(name)
    if not sheet.height:
        return None
    rows = map(_cells, sheet.iter_rows())
    first = list(islice(rows, _FIRST_ROWS))
    # A row of a sheet is as long as its longest: columns without anything at its sides are none.
    place = layout(first)
    if not place.width:
        return None
    there, held_columns = place.width, min(place.width, limits.columns)
    names = place.names or [f"column_{number}" for number in range(1, there + 1)]
    notes = place.notes("row")
    data = chain(first[place.rows_before_data :], rows)
    kept = ValueRows(names[:held_columns], Even(sheet.height, limits.rows_held(held_columns)))
    empty = 0
    while batch := list(islice(data, _ROWS_AT_ONCE)):
        filled = [row for row in batch if any(cell is not None for cell in row)]
        empty += len(batch) - len(filled)
        kept.add(filled)
    table = kept.table(notes, whole=True)
    return Found(name, names[:held_columns], table, kept.seen, there, notes + column_note(there, held_columns))


def _cells(row: list[Any]) -> list[Any]:
    return [None if cell == "" else cell for cell in row]
