"""Graph files as JSON, JSON Lines and CSV; and what every format needs: checked elements with their places, a spool."""

from __future__ import annotations

import csv
import json
import re
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType
from typing import Any, TextIO, TypeAlias

from graphwright.flow.near_names import Names
from graphwright.graphstore.elements import (
    MOST_TEXT,
    Edge,
    Element,
    Value,
    checked_element,
    checked_name,
    element,
    quote,
)
from graphwright.graphstore.errors import BadElement

_WHOLE = re.compile(r"[+-]?[0-9]{1,19}")

Located: TypeAlias = tuple[str, Element]
"""An element, after its place in a file: the path, with a line or the number of the element."""

NODE_FIELDS = ("label", "key")
EDGE_FIELDS = ("from_label", "from_key", "type", "to_label", "to_key")


def file_error(place: str, message: str, hint: str = "") -> BadElement:
    """The error for something in a file; `place` is a place as in `Located`."""
    return BadElement("bad_file", f"{place}: {message}", hint)


@contextmanager
def locating_errors(place: str) -> Iterator[None]:
    """Inside, errors about names and values get the place in front."""
    try:
        yield
    except BadElement as error:
        raise file_error(place, error.message, error.hint) from None


def checked_at(place: str, identity: Mapping[str, Any], properties: Any) -> Element:
    """An element from the fields of its identity: an edge where they have a `type`, else a node. Raises BadElement."""
    with locating_errors(place):
        return checked_element(element({**identity, "properties": properties}))


_TRUTHS = {"true": True, "1": True, "false": False, "0": False}

VALUE_TYPES: Mapping[str, tuple[str, Callable[[str], Any]]] = {
    "text": ("a text", str),
    "integer": ("a whole number", lambda text: _whole(text)),
    "float": ("a number", lambda text: _number(text)),
    "boolean": ("true or false", lambda text: _TRUTHS[text.strip().lower()]),
    "json": ("JSON", json.loads),
}
"""By the type of a value that is written as text: what it is called, and how it is read."""


def read_value(place: str, where: str, type: str, text: str) -> Any:
    """A value of one of the types of `VALUE_TYPES`; `where` says what holds it. Raises BadElement."""
    what, read = VALUE_TYPES[type]
    try:
        return read(text)
    except (ValueError, KeyError, RecursionError):
        raise file_error(place, f"{quote(text)} {where} is not {what}", "Correct the value.") from None


def written_value(value: Value) -> tuple[str, str]:
    """The type of a value, and its text."""
    match value:
        case bool():
            return "boolean", "true" if value else "false"
        case int():
            return "integer", repr(value)
        case float():
            return "float", repr(value)
        case str():
            return "text", value
    return "json", json.dumps(value)


def _whole(text: str) -> int:
    """A whole number as people and programs write it. Raises ValueError."""
    if not _WHOLE.fullmatch(text.strip()):
        raise ValueError
    return int(text)


def _number(text: str) -> float:
    if "_" in text:
        raise ValueError
    return float(text)


_IN_MEMORY = 16 * 1024 * 1024


class Spool:
    """A queue of elements that may be larger than memory; it can be iterated several times."""

    def __init__(self) -> None:
        self._file = tempfile.SpooledTemporaryFile(_IN_MEMORY)  # noqa: SIM115 (closed by __exit__)

    def add(self, one: Element) -> None:
        self._file.write(json.dumps(one.to_json()).encode() + b"\n")

    def __iter__(self) -> Iterator[Element]:
        self._file.seek(0)
        for line in self._file:
            yield element(json.loads(line))

    def __enter__(self) -> Spool:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._file.close()


_PARTS = {"nodes": False, "edges": True}
_SHAPE = 'It is {"nodes": [...], "edges": [...]}.'


def _from_json(place: str, data: Any, *, edge: bool) -> Element:
    """An element from its JSON form; `properties` may be left out."""
    if not isinstance(data, dict):
        raise file_error(
            place, f"{quote(data)} is not an element", "Each is an object such as {label, key, properties}."
        )
    fields = EDGE_FIELDS if edge else NODE_FIELDS
    known = (*fields, "properties")
    for name in data:
        if name not in known:
            hint = Names(known).hint(name, f"It has {', '.join(known)}.")
            raise file_error(place, f"{'an edge' if edge else 'a node'} has no field {quote(name)}", hint)
    for name in fields:
        if name not in data:
            raise file_error(place, f"the field `{name}` is missing", f"Needed are {', '.join(fields)}.")
    return checked_at(place, {name: data[name] for name in fields}, data.get("properties", {}))


class _RepeatedName(ValueError):
    pass


def _unique_names(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        names = [name for name, _ in pairs]
        raise _RepeatedName(next(name for name in names if names.count(name) > 1))
    return found


def _parsed(path: Path, text: str, line: int = 0) -> Any:
    """The value of a JSON text: a whole file, or one line of it."""
    place = f"{path}, line {line:,}" if line else str(path)
    try:
        return json.loads(text, object_pairs_hook=_unique_names)
    except _RepeatedName as error:
        raise file_error(place, f"the name {quote(str(error))} occurs twice in one object", "Keep one.") from None
    except json.JSONDecodeError as error:
        place = f"{path}, line {line or error.lineno:,}"
        if error.msg == "Extra data":
            raise file_error(place, f"there is more than one value (column {error.colno:,})", "Keep one.") from None
        raise file_error(
            place, f"this is not JSON ({error.msg}, column {error.colno:,})", "Correct it, or export it again."
        ) from None
    except (RecursionError, ValueError):
        raise file_error(
            place, "this is nested too deeply, or holds a number that is too long", "Give flat values."
        ) from None


def read_json(path: Path) -> Iterator[Located]:
    """The elements of a document, which is read whole."""
    data = _parsed(path, path.read_text("utf-8-sig"))
    if not isinstance(data, dict):
        raise file_error(str(path), f"{quote(data)} is not a graph", _SHAPE)
    for name, elements in data.items():
        if name not in _PARTS or not isinstance(elements, list):
            what = f"`{name}` is not a list" if name in _PARTS else f"{quote(name)} does not belong here"
            raise file_error(str(path), what, _SHAPE)
        for number, each in enumerate(elements, 1):
            place = f"{path}, {name.removesuffix('s')} {number:,}"
            yield place, _from_json(place, each, edge=_PARTS[name])


def read_lines(path: Path) -> Iterator[Located]:
    """The elements of a file that has one a line; one with `type` is an edge."""
    with path.open(encoding="utf-8-sig") as file:
        for number, line in enumerate(file, 1):
            if line.strip():
                data = _parsed(path, line, number)
                place = f"{path}, line {number:,}"
                yield place, _from_json(place, data, edge=isinstance(data, dict) and "type" in data)


def write_lines(files: Sequence[TextIO], elements: Iterable[Element]) -> None:
    """One element a line."""
    for each in elements:
        files[0].write(json.dumps(each.to_json(), ensure_ascii=False) + "\n")


def write_json(files: Sequence[TextIO], elements: Iterable[Element]) -> None:
    """One document, one element a line; nodes come first."""
    file = files[0]
    file.write('{"nodes": [')
    between, edges = "\n", False
    for each in elements:
        if isinstance(each, Edge) and not edges:
            file.write('\n],\n"edges": [')
            between, edges = "\n", True
        file.write(between + json.dumps(each.to_json(), ensure_ascii=False))
        between = ",\n"
    file.write("\n]}\n" if edges else '\n],\n"edges": []}\n')


Column: TypeAlias = tuple[str, str]
"""The name of a property and the type of its cells."""

_OTHERS = {";": "semicolons", "\t": "tabs"}
"""What spreadsheets separate the columns by where they do not take commas."""


def read_table(path: Path) -> Iterator[Located]:
    """The rows of a table. It is one of edges when its header has `from_key` and no `key`, else one of nodes."""
    # A cell may be as long as a value; the limit belongs to the whole program, so it is only ever raised.
    csv.field_size_limit(max(csv.field_size_limit(), 16 * MOST_TEXT))
    with path.open(encoding="utf-8-sig", newline="") as file:
        rows = csv.reader(file, strict=True)
        try:
            header = next(rows, None)
            if header is None:
                raise file_error(str(path), "the file is empty", "Its first line names the columns: label,key,...")
            place = f"{path}, line 1"
            for sign, name in _OTHERS.items():
                if len(header) == 1 and sign in header[0]:
                    raise file_error(place, f"the columns are separated by {name}", "Separate them by commas.")
            # `key` is the name of no property, and `from_key` may be one of a node.
            edge = "from_key" in header and "key" not in header
            fields = EDGE_FIELDS if edge else NODE_FIELDS
            columns = _columns(place, header, fields)
            at = [_position(place, header, field) for field in fields]
            for row in rows:
                if row:
                    place = f"{path}, line {rows.line_num:,}"
                    if len(row) != len(header):
                        raise file_error(
                            place,
                            f"there are {len(row)} cells in a table of {len(header)} columns",
                            "Cells with commas, quotes or line ends are enclosed in double quotes.",
                        )
                    identity = dict(zip(fields, (row[each] for each in at), strict=True))
                    yield place, checked_at(place, identity, _properties(place, row, columns))
        except csv.Error as error:
            raise file_error(
                f"{path}, line {rows.line_num:,}",
                f"this is not CSV ({error})",
                "Cells are separated by commas; those with commas, quotes or line ends are enclosed in double quotes.",
            ) from None


def _position(place: str, header: Sequence[str], field: str) -> int:
    if header.count(field) != 1:
        raise file_error(
            place,
            f"the header has no column `{field}`" if field not in header else f"the column `{field}` occurs twice",
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
        if colon and type not in VALUE_TYPES:
            raise file_error(
                place,
                f"the column {quote(title)} has a type that is not known",
                Names(VALUE_TYPES).hint(type, f"Types are {', '.join(VALUE_TYPES)}; without one it holds texts."),
            )
        with locating_errors(place):
            checked_name(name, "property name")
        column = (name, type or "text")
        if column in columns.values():
            raise file_error(place, f"the column {quote(title)} occurs twice", "Rename one of them.")
        columns[at] = column
    return columns


def _properties(place: str, row: Sequence[str], columns: Mapping[int, Column]) -> dict[str, Any]:
    properties: dict[str, Any] = {}
    for at, (name, type) in columns.items():
        cell = row[at]
        if not cell:
            continue
        if name in properties:
            raise file_error(place, f"`{name}` has two values", "Only one of its columns is filled.")
        properties[name] = read_value(place, f"in the column `{name}:{type}`", type, cell)
    return properties


def write_tables(files: Sequence[TextIO], elements: Iterable[Element]) -> None:
    """A table of nodes and one of edges. Which columns there are is known only at the end of the elements."""
    with Spool() as spool:
        columns: tuple[dict[Column, None], dict[Column, None]] = ({}, {})
        for each in elements:
            columns[isinstance(each, Edge)].update(dict.fromkeys(_cells(each)))
            spool.add(each)
        sorted_columns = [sorted(each) for each in columns]
        writers = [csv.writer(file) for file in files]
        for writer, fields, titles in zip(writers, (NODE_FIELDS, EDGE_FIELDS), sorted_columns, strict=True):
            writer.writerow([*fields, *(_title(column, fields) for column in titles)])
        for each in spool:
            edge = isinstance(each, Edge)
            cells = _cells(each)
            writers[edge].writerow([*each.identity[1:], *(cells.get(column, "") for column in sorted_columns[edge])])


def _title(column: Column, fields: Sequence[str]) -> str:
    name, type = column
    return name if type == "text" and name not in fields else f"{name}:{type}"


def _cells(of: Element) -> dict[Column, str]:
    """The properties of an element as cells, by their columns."""
    cells: dict[Column, str] = {}
    for name, value in of.properties.items():
        # The empty text would not differ from no value.
        type, text = written_value(value) if value != "" else ("json", '""')
        cells[name, type] = text
    return cells
