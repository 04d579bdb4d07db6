"""JSON: lists of records, read one by one; documents of columns; and files with one record a line."""

from __future__ import annotations

import codecs
import json
import re
from collections.abc import Callable, Iterator
from itertools import chain, islice
from typing import Any

import pyarrow as pa

from graphwright.files.errors import NotData, TooMuch
from graphwright.files.limits import MB, Limits
from graphwright.files.naming import shown
from graphwright.files.tables.encodings import Text
from graphwright.files.tables.found import Found, column_note
from graphwright.files.tables.value_columns import ValueColumn

_CHUNK = 1 << 20
_MOST_RECORD = 1 << 25
_RECORDS_AT_ONCE = 2_000
_MOST_BEYOND = 100_000
"""Names of columns beyond the limit that are counted."""

_SPACE = re.compile(r"[ \t\r\n]*")
_DECODER = json.JSONDecoder()


def read_json(text: Text, limits: Limits) -> tuple[str, list[Found]]:
    """`json` or `jsonl`, and the tables in it.

    Raises NotData where it is no JSON or holds no table, TooMuch where it can only be read as a whole and is too large.
    """
    stream = _Stream(text)
    try:
        first = stream.peek()
        if first == "[":
            return "json", [_records("", stream.elements(), limits, lambda: stream.bytes)]
        if _is_lines(text) and text.lines > limits.rows:
            return "jsonl", [_some_lines(text, limits)]
        if _is_lines(text):
            return "jsonl", [_records("", stream.values(), limits, lambda: stream.bytes)]
        if text.bytes > limits.document_bytes:
            raise TooMuch(
                "too_large",
                f"only a list of records is read in parts; other JSON can have {limits.document_bytes // MB} MB",
                "Write one record a line (JSON lines), or CSV.",
            )
        with text.path.open(encoding="utf-8", errors="replace") as file:
            file.seek(text.start)
            return "json", list(_document(json.load(file), limits))
    except RecursionError:
        raise NotData(
            "damaged_file", "it is nested too deeply to be data", "Give a list of records, each a flat object."
        ) from None
    except json.JSONDecodeError as error:
        raise NotData(
            "damaged_file",
            f"it is no valid JSON{_where(stream, error)} ({shown(error.msg, 120)})",
            "Export the data once more.",
        ) from None


def _where(stream: _Stream, error: json.JSONDecodeError) -> str:
    if stream.count:
        return f" after {stream.count:,} record{'s' * (stream.count != 1)}"
    return f" at line {error.lineno:,}"


class _Stream:
    """The values of a JSON text one after the other, none of them larger than a record may be."""

    def __init__(self, text: Text) -> None:
        self._file = text.path.open("rb")
        self._file.seek(text.start)
        self._decoder = codecs.getincrementaldecoder("utf-8")(errors="replace")
        self._text, self._at, self._end = "", 0, False
        self.bytes = self.count = 0

    def peek(self) -> str:
        """The next character that is no space; empty at the end."""
        while True:
            self._at = _SPACE.match(self._text, self._at).end()  # type: ignore[union-attr]
            if self._at < len(self._text) or not self._more():
                return self._text[self._at : self._at + 1]

    def values(self) -> Iterator[Any]:
        """One value after the other, as in JSON lines."""
        while self.peek():
            yield self._value()

    def elements(self) -> Iterator[Any]:
        """The elements of the list that begins here."""
        self._at += 1
        if self.peek() == "]":
            return
        while True:
            if not self.peek():
                raise json.JSONDecodeError("the list has no end", "", 0)
            yield self._value()
            if (sign := self.peek()) == "]":
                self._at += 1
                return
            if sign != ",":
                raise json.JSONDecodeError("a comma or the end of the list is missing", self._near(), 0)
            self._at += 1
            self.peek()

    def _near(self) -> str:
        return self._text[self._at : self._at + 20]

    def _value(self) -> Any:
        while True:
            try:
                value, end = _DECODER.raw_decode(self._text, self._at)
                # A number at the end of what is known may go on.
                if end < len(self._text) or not self._more():
                    self._at = end
                    self.count += 1
                    return value
            except json.JSONDecodeError:
                if len(self._text) - self._at > _MOST_RECORD or not self._more():
                    raise

    def _more(self) -> bool:
        if self._end:
            return False
        # What a value did not end in is read on in growing steps, so that a long one is not parsed again and again.
        raw = self._file.read(max(_CHUNK, len(self._text) - self._at))
        self._end = not raw
        self.bytes += len(raw)
        self._text = self._text[self._at :] + self._decoder.decode(raw, final=self._end)
        self._at = 0
        return True


def _is_lines(text: Text) -> bool:
    """Whether the first line is a value of its own and another one follows."""
    with text.path.open("rb") as file:
        file.seek(text.start)
        first = file.readline(_MOST_RECORD)
        while first and not first.strip():
            first = file.readline(_MOST_RECORD)
        rest = file.read(_CHUNK).strip()
    try:
        json.loads(first)
    except (json.JSONDecodeError, UnicodeDecodeError):
        return False
    return bool(rest) and (rest[:1] in b'{["' or rest[:1].isalnum())


def _some_lines(text: Text, limits: Limits) -> Found:
    """The records of so many lines that not all of them can be held: the others are counted, and not parsed."""
    there, read = 0, 0

    def taken() -> Iterator[Any]:
        nonlocal there, read
        with text.path.open("rb") as file:
            file.seek(text.start)
            for line in file:
                read += len(line)
                if not line.strip():
                    continue
                there += 1
                if there * limits.rows // text.lines > (there - 1) * limits.rows // text.lines:
                    yield json.loads(line.decode("utf-8", errors="replace"))

    found = _records("", taken(), limits, lambda: read * limits.rows // text.lines)
    found.there = there
    return found


def _records(table: str, values: Iterator[Any], limits: Limits, size: Callable[[], int]) -> Found:
    """A table of records, of lists (of which the first may hold the names), or of single values.

    `size` is how many bytes were read for those that came by.
    """
    first = list(islice(values, 200))
    if not first:
        raise NotData("empty_file", "the list in it is empty", "Give a list with at least one record.")
    rows: Iterator[Any] = chain(first, values)
    if all(isinstance(each, list) for each in first):
        rows = _named(first, rows)
    gathered = _Gathered(limits)
    for batch in iter(lambda: list(islice(rows, _RECORDS_AT_ONCE)), []):
        gathered.add(batch, size())
    notes: list[str] = []
    data, names = gathered.table(notes)
    if not names:
        raise NotData("empty_file", "the records in it have no fields", "Give records with at least one field.")
    notes += column_note(gathered.columns_there, len(names))
    return Found(table, names, data, gathered.seen, gathered.columns_there, notes)


def _named(first: list[list[Any]], rows: Iterator[Any]) -> Iterator[Any]:
    """Lists as records: under the names in the first, where it holds names; else under their places."""
    width = max(map(len, first))
    names = [f"column_{place}" for place in range(1, width + 1)]
    head = first[0]
    if len(first) > 1 and all(isinstance(cell, str) for cell in head) and 0 < len(head) == len(set(head)):
        names[: len(head)] = head
        next(rows)
    for row in rows:
        yield dict(zip(names, row, strict=False)) if isinstance(row, list) else row


class _Gathered:
    """Records that are gathered into columns as they come by; every other row is let go where they become too many."""

    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        self._columns: dict[str, ValueColumn] = {}
        self._beyond: set[str] = set()
        self._stride, self._kept = 1, 0
        self.seen = 0

    @property
    def columns_there(self) -> int:
        return len(self._columns) + len(self._beyond)

    def add(self, records: list[Any], size: int) -> None:
        first = -self.seen % self._stride
        self.seen += len(records)
        rows = [_flat(record) for record in records[first :: self._stride]]
        if not rows:
            return
        for row in rows:
            for name in row:
                if name not in self._columns and name not in self._beyond:
                    self._found(name)
        for name, column in self._columns.items():
            column.add([row.get(name) for row in rows])
        self._kept += len(rows)
        held = self._limits.rows_held(len(self._columns), size / self.seen)
        while self._kept > held and self._kept > 1:
            for column in self._columns.values():
                column.thin()
            self._kept, self._stride = (self._kept + 1) // 2, 2 * self._stride

    def table(self, notes: list[str]) -> tuple[pa.Table, list[str]]:
        names = list(self._columns)
        columns = [column.finished(name, notes, whole=False) for name, column in self._columns.items()]
        return pa.Table.from_arrays(columns, [str(place) for place in range(len(names))]), names

    def _found(self, name: str) -> None:
        if len(self._columns) < self._limits.columns:
            column = self._columns[name] = ValueColumn()
            if self._kept:
                column.add_missing(self._kept)
        elif len(self._beyond) < _MOST_BEYOND:
            self._beyond.add(name)


def _flat(record: Any) -> dict[str, Any]:
    """A record with the objects in it flattened by one level; what is deeper stays as JSON text."""
    if not isinstance(record, dict):
        return {"value": _plain(record)}
    flat: dict[str, Any] = {}
    for name, value in record.items():
        if isinstance(value, dict) and value:
            for inner, deep in value.items():
                flat[f"{name}.{inner}"] = _plain(deep)
        else:
            flat[name] = _plain(value)
    return flat


def _plain(value: Any) -> Any:
    return json.dumps(value, ensure_ascii=False) if isinstance(value, list | dict) else value


def _document(value: Any, limits: Limits) -> Iterator[Found]:
    """The tables of a document that is an object."""
    if not isinstance(value, dict):
        raise NotData("not_a_table", "the JSON in it is a single value", "Give a list of records.")
    if isinstance(value.get("columns"), list) and isinstance(value.get("data"), list):
        names = [str(name) for name in value["columns"]]
        yield _of(iter([names, *value["data"]]) if value["data"] else iter([dict.fromkeys(names)]), limits)
        return
    inner = list(value.values())
    if _are_columns(inner):
        yield _of((dict(zip(value, row, strict=True)) for row in zip(*inner, strict=True)), limits)
        return
    if len(inner) > 0 and all(isinstance(each, dict) and each for each in inner) and _alike(inner):
        if all(str(name).isdigit() for name in inner[0]):
            rows = list(inner[0])
            yield _of(({name: value[name][row] for name in value} for row in rows), limits)
        else:
            yield _of(({"key": name, **each} for name, each in value.items()), limits)
        return
    lists = list(_lists(value))
    for name, records in lists:
        found = _of(iter(records), limits)
        found.table = name if len(lists) > 1 else ""
        if len(value) > 1 and len(lists) == 1:
            found.notes.append(f"The list `{shown(name)}` of the document was read, and nothing else of it.")
        yield found
    if not lists:
        if not value:
            raise NotData("empty_file", "the JSON object in it is empty", "Give a list of records.")
        yield _of(iter([value]), limits)


def _of(rows: Iterator[Any], limits: Limits) -> Found:
    return _records("", rows, limits, lambda: 0)


def _are_columns(values: list[Any]) -> bool:
    """Whether these are equally long lists of plain values."""
    if not all(isinstance(each, list) for each in values) or len({len(each) for each in values}) != 1:
        return False
    return bool(values[0]) and not any(isinstance(cell, dict) for each in values for cell in each)


def _alike(objects: list[dict[str, Any]]) -> bool:
    return len(objects) > 1 and all(each.keys() == objects[0].keys() for each in objects)


def _lists(value: dict[str, Any], depth: int = 2) -> Iterator[tuple[str, list[Any]]]:
    """The lists of records in an object, by name, and in the objects in it."""
    for name, each in value.items():
        if isinstance(each, list) and each and all(isinstance(record, dict) for record in each[:50]):
            yield name, each
        elif isinstance(each, dict) and depth > 1:
            yield from ((f"{name}.{inner}", records) for inner, records in _lists(each, depth - 1))
