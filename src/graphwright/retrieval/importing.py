"""Entries out of files: JSON, JSON Lines, CSV, and the Raw and XML exports of ELOG, told by content."""

from __future__ import annotations

import csv
import io
import json
import os
import re
import stat
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from pathlib import Path
from typing import Any

from graphwright.retrieval.errors import LogbookError
from graphwright.retrieval.exports import ATTRIBUTES, BadRecord, decode, moment_of, read_raw, read_xml
from graphwright.retrieval.index import folded
from graphwright.retrieval.logbook import Entry
from graphwright.text.markup import clean, one_line

MOST_BYTES = 200 * 1024 * 1024
MOST_TEXT = 1_000_000

_MOST_LINE = 1_000
_MOST_ATTACHMENTS = 200
_MOST_DAYS = 36_500
# What a column of a table may be called, by the field it holds; the attributes of ELOG come to these.
_COLUMNS = {
    "id": ("id", "message id", "mid", "entry id", "nummer"),
    "date": ("date", "datum", "timestamp"),
    "time": ("time", "uhrzeit"),
    "days_ago": ("days_ago",),
    "reply_to": ("reply_to", "in reply to", "antwort auf"),
    "text": ("text", "body", "message", "eintrag"),
    "attachments": ("attachments", "attachment", "anlagen"),
    **ATTRIBUTES,
}
_FIELDS = {name: column for column, names in _COLUMNS.items() for name in names}


@dataclass(frozen=True, slots=True)
class Read:
    """An entry of a file, and where it stands."""

    place: str
    entry: Entry


@dataclass(frozen=True, slots=True)
class Bad:
    """What could not be read: where it stands, and why."""

    place: str
    reason: str


def read_file(file: Path, today: date) -> Iterator[Read | Bad]:
    """What a file holds, in its order; days before `today` count from it.

    Raises LogbookError for one that cannot be opened or is of no known kind.
    """
    text = decode(_content(file))
    start = text.lstrip()[:2_000]
    if start.startswith(("[", "{")):
        return _checked(_objects(file, text), today)
    if start.startswith("$@MID@$:"):
        return _from_records(read_raw(text))
    if "<ELOG_LIST" in start:
        return _from_records(read_xml(text))
    heading = [_FIELDS.get(folded(name), "") for name in re.split("[,;\t]", start.partition("\n")[0].replace('"', ""))]
    if start.startswith("<") or "id" not in heading or not {"date", "days_ago"} & set(heading):
        raise LogbookError(
            "bad_file",
            f"{file} holds no log entries that can be read.",
            "JSON, JSON Lines, CSV with columns 'id' and 'date', and ELOG's exports Raw and XML can be.",
        )
    return _checked(_rows(text), today)


def _content(file: Path) -> bytes:
    """The bytes of a regular file. Raises LogbookError."""
    try:
        # A pipe without a writer would be waited for when it is opened.
        with open(os.open(file, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0)), "rb") as stream:
            regular = stat.S_ISREG(os.fstat(stream.fileno()).st_mode)
            # What the system says of its size need not be true, and it may grow meanwhile.
            content = stream.read(MOST_BYTES + 1) if regular else b""
    except OSError as error:
        raise LogbookError(
            "unreadable_file", f"{file} cannot be read: {error.strerror}.", "Check the path and its permissions."
        ) from error
    if not regular or not content.strip() or len(content) > MOST_BYTES:
        what = "no regular file" if not regular else "empty" if not content.strip() else "too large"
        raise LogbookError(
            "bad_file", f"{file} is {what}.", f"Give a file with entries, of up to {MOST_BYTES:,} bytes."
        )
    return content


def _objects(file: Path, text: str) -> Iterator[tuple[str, Any]]:
    """The items of JSON or JSON Lines with their places; a ValueError instead of what is no JSON."""
    try:
        whole = json.loads(text)
    except (ValueError, RecursionError) as error:
        if text.lstrip().startswith("["):
            told = f"{file} is not valid JSON: {error}."
            raise LogbookError("bad_file", told, "Mend it, or make it JSON Lines.") from None
    else:
        held = whole.get("entries", [whole]) if isinstance(whole, dict) else whole
        yield from ((f"item {number}", item) for number, item in enumerate(held, 1))
        return
    # Not splitlines(): a text may hold U+2028, which JSON does not escape.
    for number, line in enumerate(text.split("\n"), 1):
        if line.strip():
            try:
                yield f"line {number}", json.loads(line)
            except (ValueError, RecursionError) as error:
                yield f"line {number}", ValueError(f"it is not valid JSON ({error})")


def _rows(text: str) -> Iterator[tuple[str, Any]]:
    text = clean(text).lstrip("\n")
    csv.field_size_limit(MOST_TEXT + 1)
    rows = csv.reader(io.StringIO(text, newline=""), delimiter=max(",;\t", key=text.partition("\n")[0].count))
    fields = [_FIELDS.get(folded(name), "") for name in next(rows)]
    while True:
        try:
            row = next(rows)
        except StopIteration:
            return
        except csv.Error as error:
            yield f"line {rows.line_num}", ValueError(f"it cannot be read as a table ({error})")
            continue
        # Of two columns of one kind the first one counts.
        cells = [(name, cell) for name, cell in zip(fields, row, strict=False) if name and cell.strip()]
        if item := dict[str, Any](reversed(cells)):
            if "attachments" in item:
                item["attachments"] = item["attachments"].split(",")
            yield f"line {rows.line_num}", item


def _from_records(records: Iterator[Any]) -> Iterator[Read | Bad]:
    for record in records:
        place, _, reason = (
            str(record).partition(": ") if isinstance(record, BadRecord) else (f"entry {record.id}", "", "")
        )
        try:
            if reason:
                raise ValueError(reason)
            yield Read(place, _fitting(record.entry()))
        except ValueError as error:
            yield Bad(place, str(error))


def _checked(items: Iterator[tuple[str, Any]], today: date) -> Iterator[Read | Bad]:
    for place, item in items:
        try:
            if isinstance(item, ValueError):
                raise item
            if not isinstance(item, dict):
                raise ValueError("it is no entry: an object with id, date and text is expected")
            yield Read(place, _entry(item, today))
        except ValueError as error:
            yield Bad(place, str(error))


def _entry(item: Mapping[str, Any], today: date) -> Entry:
    reply_to, attachments = item.get("reply_to"), item.get("attachments") or ()
    if isinstance(attachments, str) or not all(isinstance(name, str) for name in attachments):
        raise ValueError("attachments is no list of names")
    lines = {name: one_line(_text(item, name)) for name in ATTRIBUTES}
    return _fitting(
        Entry(
            id=_id(item.get("id"), "id"),
            moment=_moment(item, today),
            text=clean(_text(item, "text")).strip(),
            reply_to=None if reply_to in (None, "") else _id(reply_to, "reply_to"),
            attachments=tuple(filter(None, map(one_line, attachments))),
            author=lines["author"],
            category=lines["category"],
            system=lines["system"],
            domain=lines["domain"],
            subject=lines["subject"],
        )
    )


def _moment(item: Mapping[str, Any], today: date) -> datetime:
    at, days_ago = _text(item, "time").strip(), item.get("days_ago")
    try:
        clock = time.fromisoformat(at.rjust(5, "0")) if at else None
    except ValueError:
        raise ValueError(f"time {at[:40]!r} is no time of day: write it as 14:30") from None
    if days_ago in (None, ""):
        moment = moment_of(_text(item, "date"))
        return datetime.combine(moment.date(), clock) if clock is not None else moment
    if isinstance(days_ago, bool) or not str(days_ago).isdecimal() or int(days_ago) > _MOST_DAYS:
        raise ValueError(f"days_ago {str(days_ago)[:40]!r} is no number of days from 0 to {_MOST_DAYS:,}")
    return datetime.combine(today - timedelta(days=int(days_ago)), clock or time(0))


def _id(value: Any, name: str) -> int:
    if isinstance(value, bool) or not re.fullmatch(r"\d{1,19}", str(value).strip()) or not 0 < int(value) < 2**63:
        raise ValueError(f"{name} {str(value)[:40]!r} is no whole number from 1 on")
    return int(value)


def _text(item: Mapping[str, Any], name: str) -> str:
    value = item.get(name)
    if value is not None and not isinstance(value, str):
        raise ValueError(f"{name} is no text")
    return value or ""


def _fitting(entry: Entry) -> Entry:
    for name in ATTRIBUTES:
        if len(getattr(entry, name)) > _MOST_LINE:
            raise ValueError(f"{name} is longer than {_MOST_LINE:,} characters")
    if len(entry.text) > MOST_TEXT or len(entry.attachments) > _MOST_ATTACHMENTS:
        raise ValueError(f"it has more than {MOST_TEXT:,} characters or {_MOST_ATTACHMENTS} attachments")
    if not (entry.text or entry.subject):
        raise ValueError("it has neither a text nor a subject")
    return entry
