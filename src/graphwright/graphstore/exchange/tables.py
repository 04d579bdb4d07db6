"""CSV: a table of nodes and a table of edges, whose headers say how cells are read."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, TextIO

from graphwright.flow.names import Names
from graphwright.graphstore.elements import Edge, Element, Value
from graphwright.graphstore.exchange.checking import (
    EDGE_FIELDS,
    NODE_FIELDS,
    Placed,
    bad,
    made_edge,
    made_node,
    number,
    placed,
    whole,
)
from graphwright.graphstore.exchange.spool import Spool
from graphwright.graphstore.names import MOST_TEXT, checked_name, shown

Column = tuple[str, str]
"""The name of a property and the type of its cells."""


def _truth(cell: str) -> bool:
    return {"true": True, "false": False}[cell.strip().lower()]


_TYPES: Mapping[str, tuple[str, Callable[[str], Any]]] = {
    "text": ("a text", str),
    "integer": ("a whole number", whole),
    "float": ("a number", number),
    "boolean": ("true or false", _truth),
    "json": ("JSON", json.loads),
}
"""By the type of a column: what its cells are called, and how one is read. An empty cell is no value."""


_OTHERS = {";": "semicolons", "\t": "tabs"}
"""What spreadsheets separate the columns by where they do not take commas."""


def read(path: Path) -> Iterator[Placed]:
    """The rows of a table. It is one of edges when its header has `from_key` and no `key`, else one of nodes."""
    # A cell may be as long as a value; the limit belongs to the whole program, so it is only ever raised.
    csv.field_size_limit(max(csv.field_size_limit(), 16 * MOST_TEXT))
    with path.open(encoding="utf-8-sig", newline="") as file:
        rows = csv.reader(file, strict=True)
        try:
            header = next(rows, None)
            if header is None:
                raise bad(str(path), "the file is empty", "Its first line names the columns: label,key,...")
            place = f"{path}, line 1"
            for sign, name in _OTHERS.items():
                if len(header) == 1 and sign in header[0]:
                    raise bad(place, f"the columns are separated by {name}", "Separate them by commas.")
            # `key` is the name of no property, and `from_key` may be one of a node.
            edge = "from_key" in header and "key" not in header
            fields = EDGE_FIELDS if edge else NODE_FIELDS
            columns = _columns(place, header, fields)
            at = [_position(place, header, field) for field in fields]
            for row in rows:
                if row:
                    place = f"{path}, line {rows.line_num:,}"
                    if len(row) != len(header):
                        raise bad(
                            place,
                            f"there are {len(row)} cells in a table of {len(header)} columns",
                            "Cells with commas, quotes or line ends stand in double quotes.",
                        )
                    found = [row[each] for each in at]
                    properties = _properties(place, row, columns)
                    if edge:
                        ends = (found[0], found[1], found[3], found[4])
                        yield place, made_edge(place, ends, found[2], properties)
                    else:
                        yield place, made_node(place, found[0], found[1], properties)
        except csv.Error as error:
            raise bad(
                f"{path}, line {rows.line_num:,}",
                f"this is not CSV ({error})",
                "Cells are separated by commas; those with commas, quotes or line ends stand in double quotes.",
            ) from None


def _position(place: str, header: Sequence[str], field: str) -> int:
    if header.count(field) != 1:
        raise bad(
            place,
            f"the header has no column `{field}`" if field not in header else f"the column `{field}` stands twice",
            f"Tables of nodes have {', '.join(NODE_FIELDS)}, those of edges {', '.join(EDGE_FIELDS)}, "
            "separated by commas.",
        )
    return header.index(field)


def _columns(place: str, header: Sequence[str], fields: Sequence[str]) -> dict[int, Column]:
    """By their number, the columns that hold properties. One property may have several, of different types."""
    columns: dict[int, Column] = {}
    for at, title in enumerate(header):
        if title in fields:
            continue
        name, colon, type = title.partition(":")
        if colon and type not in _TYPES:
            raise bad(
                place,
                f"the column {shown(title)} has a type that is not known",
                Names(_TYPES).hint(type, f"Types are {', '.join(_TYPES)}; without one it holds texts."),
            )
        with placed(place):
            checked_name(name, "property name")
        column = (name, type or "text")
        if column in columns.values():
            raise bad(place, f"the column {shown(title)} stands twice", "Rename one of them.")
        columns[at] = column
    return columns


def _properties(place: str, row: Sequence[str], columns: Mapping[int, Column]) -> dict[str, Any]:
    properties: dict[str, Any] = {}
    for at, (name, type) in columns.items():
        cell = row[at]
        if not cell:
            continue
        if name in properties:
            raise bad(place, f"`{name}` has two values", "Only one of its columns is filled.")
        what, read_cell = _TYPES[type]
        try:
            properties[name] = read_cell(cell)
        except (ValueError, KeyError, RecursionError):
            raise bad(place, f"{shown(cell)} in the column `{name}:{type}` is not {what}", "Mend the cell.") from None
    return properties


def write(files: Sequence[TextIO], elements: Iterable[Element]) -> None:
    """A table of nodes and one of edges. Which columns there are is known only at the end of the elements."""
    with Spool() as spool:
        columns: tuple[dict[Column, None], dict[Column, None]] = ({}, {})
        for element in elements:
            edge = isinstance(element, Edge)
            columns[edge].update((_column(name, value), None) for name, value in element.properties.items())
            spool.add(element)
        sorted_columns = [sorted(each) for each in columns]
        writers = [csv.writer(file) for file in files]
        for writer, fields, titles in zip(writers, (NODE_FIELDS, EDGE_FIELDS), sorted_columns, strict=True):
            writer.writerow([*fields, *(_title(column, fields) for column in titles)])
        for element in spool:
            edge = isinstance(element, Edge)
            cells = {_column(name, value): _cell(value) for name, value in element.properties.items()}
            writers[edge].writerow([*element.identity[1:], *(cells.get(column, "") for column in sorted_columns[edge])])


def _title(column: Column, fields: Sequence[str]) -> str:
    name, type = column
    return name if type == "text" and name not in fields else f"{name}:{type}"


def _column(name: str, value: Value) -> Column:
    match value:
        case bool():
            return name, "boolean"
        case int():
            return name, "integer"
        case float():
            return name, "float"
        case str() if value:
            return name, "text"
    # Lists; and the empty text, which would not differ from no value.
    return name, "json"


def _cell(value: Value) -> str:
    match value:
        case bool():
            return "true" if value else "false"
        case str() if value:
            return value
        case int() | float():
            return repr(value)
    return json.dumps(value, ensure_ascii=False)
