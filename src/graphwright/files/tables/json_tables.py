"""JSON: lists of records and records a line, which DuckDB reads; documents of other shapes are made such."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain
from pathlib import Path
from typing import Any

from graphwright.files.errors import NotData, TooMuch
from graphwright.files.limits import MB, Limits
from graphwright.files.naming import shown
from graphwright.files.tables.engine import Found, call

_HEAD = 1 << 16
_OPTIONS = {
    "maximum_depth": 3,
    "map_inference_threshold": -1,
    "field_appearance_threshold": 0,
    "maximum_object_size": 1 << 25,
}


def read_json(path: Path, scratch: Path, limits: Limits, notes: Sequence[str]) -> tuple[str, Iterator[Iterable[Found]]]:
    """`json` or `jsonl`, and the tables in a text in UTF-8. A document in another shape is rewritten to `scratch`.

    Raises NotData where it holds no table, ValueError and RecursionError where it is no JSON, TooMuch where it can only
    be read as a whole and is too large.
    """
    with path.open(encoding="utf-8", errors="replace") as file:
        head = file.read(_HEAD).lstrip("\ufeff \t\r\n")
    if head.startswith("[") and head[1:].lstrip()[:1] in ("{", ""):
        return "json", iter([_tries(path, "array", "", notes)])
    if head.startswith("{") and _is_lines(head):
        return "jsonl", iter([_tries(path, "newline_delimited", "", notes)])
    if path.stat().st_size > limits.document_bytes:
        why = f"only a list of records is read in parts; other JSON can have {limits.document_bytes // MB} MB"
        raise TooMuch("too_large", why, "Write one record a line (JSON lines), or CSV.")
    return "json", _rewritten(json.loads(path.read_text("utf-8-sig", errors="replace")), scratch, notes)


def _tries(path: Path, form: str, table: str, notes: Sequence[str]) -> Iterator[Found]:
    """The ways to read records: typed by the first ones, typed by all of them, and damaged values as text."""
    for more in ({}, {"sample_size": -1}):
        source = call("read_json", path, {**_OPTIONS, "format": form, **more})
        yield Found(table, source, path.stat().st_size, notes=list(notes))


def _is_lines(head: str) -> bool:
    """Whether the first line is a record of its own and another one follows."""
    first, end, rest = head.partition("\n")
    if not end or not rest.strip():
        return False
    try:
        return isinstance(json.loads(first), dict)
    except (ValueError, RecursionError):
        return False


def _rewritten(document: Any, scratch: Path, given: Sequence[str]) -> Iterator[Iterable[Found]]:
    """The tables of a document, each written to `scratch` as a record a line when it is its turn."""
    for table, records, notes in _tables(document):
        with scratch.open("w", encoding="utf-8") as out:
            for record in records:
                flat = record if isinstance(record, dict) else {"value": record}
                out.write(json.dumps(flat, ensure_ascii=True) + "\n")
        yield _tries(scratch, "newline_delimited", table, [*given, *notes])


def _tables(value: Any) -> Iterator[tuple[str, Iterable[Any], list[str]]]:
    """The name, the records and notes of each table in a document."""
    if isinstance(value, list):
        if not value:
            raise NotData("empty_file", "the list in it is empty", "Give a list of records.")
        yield "", _by_row(value) if all(isinstance(row, list) for row in value) else value, []
        return
    if not isinstance(value, dict):
        raise NotData("not_a_table", "the JSON in it is a single value", "Give a list of records.")
    if not value:
        raise NotData("empty_file", "the JSON object in it is empty", "Give a list of records.")
    inner = list(value.values())
    if isinstance(value.get("columns"), list) and isinstance(value.get("data"), list):
        yield "", (dict(zip(map(str, value["columns"]), row, strict=False)) for row in value["data"]), []
    elif _are_columns(inner):
        yield "", (dict(zip(value, row, strict=True)) for row in zip(*inner, strict=True)), []
    elif len(inner) > 1 and all(isinstance(each, dict) and each and each.keys() == inner[0].keys() for each in inner):
        if all(str(name).isdigit() for name in inner[0]):
            yield "", ({name: value[name][row] for name in value} for row in inner[0]), []
        else:
            yield "", ({"key": name, **each} for name, each in value.items()), []
    elif lists := list(_lists(value)):
        alone = len(lists) == 1
        for name, records in lists:
            left = f"The list `{shown(name)}` of the document was read, and nothing else of it."
            yield "" if alone else name, records, [left] if alone and len(value) > 1 else []
    else:
        yield "", [value], []


def _by_row(rows: Sequence[Sequence[Any]]) -> Iterator[dict[str, Any]]:
    """Lists as records: under the names in the first, where it holds names; else under their places."""
    head = rows[0]
    named = len(rows) > 1 and bool(head) and all(isinstance(cell, str) for cell in head) and len(set(head)) == len(head)
    places = (f"column_{place}" for place in range(1, max(map(len, rows)) + 1))
    names = list(chain(head, list(places)[len(head) :])) if named else list(places)
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
