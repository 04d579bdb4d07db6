"""JSON: lists of records and records a line, which DuckDB reads; documents of other shapes are rewritten as records."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from graphwright.files.errors import TooMuch, UnusableFile
from graphwright.files.limits import MB, Limits
from graphwright.files.naming import shown
from graphwright.files.tables.engine import TableSource, call

_HEAD = 1 << 16
_OPTIONS = {
    "maximum_depth": 3,
    "map_inference_threshold": -1,
    "field_appearance_threshold": 0,
    "maximum_object_size": 1 << 25,
}


def read_json(path: Path, scratch: Path, limits: Limits, notes: Sequence[str]) -> Iterator[Iterator[TableSource]]:
    """The tables in a text in UTF-8. A document in another shape than records is rewritten to `scratch`.

    Raises UnusableFile where it holds no table, ValueError and RecursionError where it is no JSON, TooMuch where it can
    only be read as a whole and is too large.
    """
    with path.open(encoding="utf-8", errors="replace") as file:
        head = file.read(_HEAD).lstrip("\ufeff \t\r\n")
    if head.startswith("[") and head[1:].lstrip()[:1] in ("{", ""):
        yield _attempts(path, "array", "", notes)
    elif _is_lines(head):
        yield _attempts(path, "newline_delimited", "", notes)
    elif path.stat().st_size > limits.document_bytes:
        why = f"only a list of records is read in parts; other JSON can have {limits.document_bytes // MB} MB"
        raise TooMuch("too_large", why, "Write one record a line (JSON lines), or CSV.")
    else:
        for table, records, more in _tables(json.loads(path.read_text("utf-8-sig", errors="replace"))):
            with scratch.open("w", encoding="utf-8") as out:
                for record in records:
                    flat = record if isinstance(record, dict) else {"value": record}
                    out.write(json.dumps(flat, ensure_ascii=True) + "\n")
            yield _attempts(scratch, "newline_delimited", table, [*notes, *more])


def _attempts(path: Path, form: str, table: str, notes: Sequence[str]) -> Iterator[TableSource]:
    """The records, typed by the first ones, and typed by all of them."""
    for more in ({}, {"sample_size": -1}):
        relation = call("read_json", path, **_OPTIONS, format=form, **more)
        yield TableSource(table, relation, path.stat().st_size, notes=list(notes))


def _is_lines(head: str) -> bool:
    """Whether the first line is a record of its own and another one follows."""
    first, _, rest = head.partition("\n")
    try:
        return bool(rest.strip()) and isinstance(json.loads(first), dict)
    except (ValueError, RecursionError):
        return False


def _tables(value: Any) -> Iterator[tuple[str, Iterable[Any], list[str]]]:
    """The name, the records and notes of each table in a document."""
    if value in ([], {}) or not isinstance(value, list | dict):
        what = "it" if value in ([], {}) else "a single value"
        code = "empty_file" if value in ([], {}) else "not_a_table"
        raise UnusableFile(code, f"the JSON in it is {'empty' if what == 'it' else what}", "Give a list of records.")
    if isinstance(value, list):
        yield "", _by_row(value) if all(isinstance(row, list) for row in value) else value, []
        return
    fields = list(value.values())
    if isinstance(value.get("columns"), list) and isinstance(value.get("data"), list):
        yield "", (dict(zip(map(str, value["columns"]), row, strict=False)) for row in value["data"]), []
    elif _are_columns(fields):
        yield "", (dict(zip(value, row, strict=True)) for row in zip(*fields, strict=True)), []
    elif len(fields) > 1 and all(
        isinstance(each, dict) and each and each.keys() == fields[0].keys() for each in fields
    ):
        if all(str(name).isdigit() for name in fields[0]):
            yield "", ({name: value[name][row] for name in value} for row in fields[0]), []
        else:
            yield "", ({"key": name, **each} for name, each in value.items()), []
    elif len(lists := list(_lists(value))) == 1:
        note = f"The list `{shown(lists[0][0])}` of the document was read, and nothing else of it."
        yield "", lists[0][1], [note] if len(value) > 1 else []
    else:
        yield from ((name, records, []) for name, records in lists or [("", [value])])


def _by_row(rows: Sequence[Sequence[Any]]) -> Iterator[dict[str, Any]]:
    """Lists as records: under the names in the first, where it holds names; else under their places."""
    head, names = rows[0], [f"column_{place}" for place in range(1, max(map(len, rows)) + 1)]
    named = len(rows) > 1 and bool(head) and all(isinstance(cell, str) for cell in head) and len(set(head)) == len(head)
    if named:
        names[: len(head)] = head
    for row in rows[named:]:
        yield dict(zip(names, row, strict=False))


def _are_columns(values: Sequence[Any]) -> bool:
    """Whether these are equally long lists of plain values."""
    if not all(isinstance(each, list) for each in values) or len({len(each) for each in values}) != 1:
        return False
    return bool(values[0]) and not any(isinstance(cell, dict) for each in values for cell in each)


def _lists(value: Mapping[str, Any], depth: int = 2) -> Iterator[tuple[str, list[Any]]]:
    """The lists of records in an object, by name, and in the objects in it."""
    for name, each in value.items():
        if isinstance(each, list) and each and all(isinstance(record, dict) for record in each[:50]):
            yield name, each
        elif isinstance(each, dict) and depth > 1:
            yield from ((f"{name}.{inner}", records) for inner, records in _lists(each, depth - 1))
