"""A table as its file has it, before its columns got their types."""

from __future__ import annotations

from dataclasses import dataclass, field

import pyarrow as pa


@dataclass
class Found:
    """`data` has the columns under their places ("0", "1", ...), `names` what they are called.

    With `written` the text in it is how numbers, dates and missing values were written; else text is text, of which at
    most ISO dates are read. `separator` is that of a text file.
    """

    table: str
    names: list[str]
    data: pa.Table
    there: int
    columns_there: int
    notes: list[str] = field(default_factory=list)
    written: bool = False
    separator: str = ""


def column_note(there: int, held: int) -> list[str]:
    """The note on columns that were left out."""
    if held == there:
        return []
    return [f"{there:,} columns are there; the first {held:,} were read."]
