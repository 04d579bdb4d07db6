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
from datetime import date, datetime, time
from pathlib import Path
from typing import Any

from graphwright.logbook.cleaning import clean, one_line
from graphwright.logbook.errors import LogbookError
from graphwright.logbook.port import Entry
from graphwright.logbook.records import ATTRIBUTES, BadRecord, decode, moment_of, read_raw, read_xml
from graphwright.logbook.words import fold

MOST_BYTES = 200 * 1024 * 1024
MOST_TEXT = 1_000_000
MOST_DAYS = 36_500

_LINES = ("author", "category", "system", "subject", "language")
_MOST_LINE = 1_000
_MOST_ATTACHMENTS = 200
_LARGEST_ID = 2**63 - 1
_TIME = re.compile(r"([01]?\d|2[0-3]):([0-5]\d)(?::([0-5]\d))?$")
# What a column of a table may be called, by the field it holds; the attributes of ELOG come to these.
_COLUMNS = {
    "id": ("id", "message id", "mid", "entry id", "nr", "nummer"),
    "date": ("date", "datum", "when", "timestamp"),
    "time": ("time", "uhrzeit", "zeit"),
    "days_ago": ("days_ago", "days ago"),
    "reply_to": ("reply_to", "in reply to", "reply to", "antwort auf"),
    "text": ("text", "body", "message", "entry", "content", "eintrag"),
    "language": ("language", "sprache"),
    "attachments": ("attachments", "attachment", "anlage", "anlagen"),
    **ATTRIBUTES,
}


@dataclass(frozen=True, slots=True)
class Read:
    """An entry of a file, where it stands, and how many days before today it was, if the file says it that way."""

    place: str
    entry: Entry
    days_ago: int | None = None


@dataclass(frozen=True, slots=True)
class Bad:
    """What could not be read: where it stands, and why."""

    place: str
    reason: str


def read_file(file: Path) -> Iterator[Read | Bad]:
    """What a file holds, in its order. Raises LogbookError for one that cannot be opened or is of no known kind."""
    text = decode(_content(file))
    start = text.lstrip()[:2_000]
    if not start:
        raise LogbookError("bad_file", f"{file} is empty.", "See the documentation for the files that can be read.")
    if start.startswith("["):
        return _from_list(file, text)
    if start.startswith("{"):
        return _from_objects(file, text)
    if start.startswith("$@MID@$:"):
        return _from_records(read_raw(text))
    if start.startswith("<"):
        if "<ELOG_LIST" not in start:
            raise _unknown(file, "HTML or XML that is no export of ELOG")
        return _from_records(read_xml(text))
    return _from_table(file, text)


def _content(file: Path) -> bytes:
    """The bytes of a regular file. Raises LogbookError."""
    try:
        # A pipe without a writer would be waited for when it is opened.
        with open(os.open(file, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0)), "rb") as stream:
            if not stat.S_ISREG(os.fstat(stream.fileno()).st_mode):
                raise LogbookError(
                    "bad_file", f"{file} is no regular file.", "Save what it holds as a file, and import that."
                )
            # What the system says of its size need not be true, and it may grow meanwhile.
            content = stream.read(MOST_BYTES + 1)
    except OSError as error:
        raise LogbookError(
            "unreadable_file", f"{file} cannot be read: {error.strerror}.", "Check the path and its permissions."
        ) from error
    if len(content) > MOST_BYTES:
        raise LogbookError("bad_file", f"{file} has more than {MOST_BYTES:,} bytes.", "Split it into several.")
    return content


def _from_list(file: Path, text: str) -> Iterator[Read | Bad]:
    try:
        held = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise LogbookError(
            "bad_file", f"{file} is not valid JSON: {error}.", "Mend it, or make it JSON Lines."
        ) from None
    return (_checked(f"item {number}", item) for number, item in enumerate(held, 1))


def _from_objects(file: Path, text: str) -> Iterator[Read | Bad]:
    try:
        whole = json.loads(text)
    except (ValueError, RecursionError):
        return _from_lines(text)
    if isinstance(whole, dict) and isinstance(whole.get("entries"), list):
        return (_checked(f"item {number}", item) for number, item in enumerate(whole["entries"], 1))
    return iter((_checked("line 1", whole),))


def _from_lines(text: str) -> Iterator[Read | Bad]:
    # Not splitlines(): a text may hold U+2028, which JSON does not escape.
    for number, line in enumerate(text.split("\n"), 1):
        if not line.strip():
            continue
        try:
            item = json.loads(line)
        except (ValueError, RecursionError) as error:
            yield Bad(f"line {number}", f"it is not valid JSON ({error})")
        else:
            yield _checked(f"line {number}", item)


def _from_records(records: Iterator[Any]) -> Iterator[Read | Bad]:
    for record in records:
        if isinstance(record, BadRecord):
            place, _, reason = str(record).partition(": ")
            yield Bad(place, reason)
            continue
        place = f"entry {record.id}"
        try:
            entry = record.entry()
            _fits(entry)
        except ValueError as error:
            yield Bad(place, str(error))
        else:
            yield Read(place, entry)


def _from_table(file: Path, text: str) -> Iterator[Read | Bad]:
    first = text.lstrip("\n").partition("\n")[0]
    separator = max(",;\t", key=first.count)
    reader = csv.reader(io.StringIO(clean(text).lstrip("\n"), newline=""), delimiter=separator)
    csv.field_size_limit(MOST_TEXT + 1)
    heading = next(reader, [])
    by_fold = {fold(name): field for field, names in _COLUMNS.items() for name in names}
    fields = [by_fold.get(fold(name), "") for name in heading]
    if "id" not in fields or not {"date", "days_ago"} & set(fields):
        raise _unknown(file, "no JSON, no export of ELOG, and as a table it has no columns 'id' and 'date'")
    return _rows(reader, fields)


def _rows(reader: Any, fields: list[str]) -> Iterator[Read | Bad]:
    while True:
        try:
            row = next(reader)
        except StopIteration:
            return
        except csv.Error as error:
            yield Bad(f"line {reader.line_num}", f"it cannot be read as a table ({error})")
            continue
        if not any(cell.strip() for cell in row):
            continue
        item: dict[str, Any] = {}
        for name, cell in zip(fields, row, strict=False):
            if name and cell.strip():
                item.setdefault(name, cell)
        if attachments := item.get("attachments"):
            item["attachments"] = [name.strip() for name in attachments.split(",")]
        yield _checked(f"line {reader.line_num}", item)


def _checked(place: str, item: Any) -> Read | Bad:
    try:
        if not isinstance(item, dict):
            raise ValueError("it is no entry: an object with id, date and text is expected")
        days_ago, moment = _moment(item)
        lines = {name: one_line(_text(item, name)) for name in _LINES}
        reply_to = item.get("reply_to")
        entry = Entry(
            id=_id(item.get("id"), "id"),
            moment=moment,
            text=clean(_text(item, "text")).strip(),
            reply_to=None if reply_to in (None, "") else _id(reply_to, "reply_to"),
            attachments=_attachments(item.get("attachments")),
            author=lines["author"],
            category=lines["category"],
            system=lines["system"],
            subject=lines["subject"],
            language=lines["language"],
        )
        _fits(entry)
        return Read(place, entry, days_ago)
    except ValueError as error:
        return Bad(place, str(error))


def _moment(item: Mapping[str, Any]) -> tuple[int | None, datetime]:
    at = _text(item, "time").strip()
    found = _TIME.match(at)
    if at and not found:
        raise ValueError(f"time {at[:40]!r} is no time of day: write it as 14:30")
    clock = time(int(found[1]), int(found[2]), int(found[3] or 0)) if found else None
    days_ago = item.get("days_ago")
    if days_ago not in (None, ""):
        if isinstance(days_ago, bool) or not str(days_ago).isdecimal() or int(days_ago) > MOST_DAYS:
            raise ValueError(f"days_ago {str(days_ago)[:40]!r} is no number of days from 0 to {MOST_DAYS:,}")
        return int(days_ago), datetime.combine(date(2000, 1, 1), clock or time(0))
    moment = moment_of(_text(item, "date"))
    return None, datetime.combine(moment.date(), clock) if clock is not None else moment


def _id(value: Any, name: str) -> int:
    if value is None or value == "":
        raise ValueError(f"it has no {name}")
    if isinstance(value, bool) or not re.fullmatch(r"\d{1,19}", str(value).strip()):
        raise ValueError(f"{name} {str(value)[:40]!r} is no whole number")
    if not 1 <= int(value) <= _LARGEST_ID:
        raise ValueError(f"{name} {value} is out of range")
    return int(value)


def _text(item: Mapping[str, Any], name: str) -> str:
    value = item.get(name)
    if value is None:
        return ""
    if not isinstance(value, str):
        raise ValueError(f"{name} is no text")
    return value


def _attachments(value: Any) -> tuple[str, ...]:
    if value is None:
        return ()
    if not isinstance(value, list) or not all(isinstance(name, str) for name in value):
        raise ValueError("attachments is no list of names")
    return tuple(name for name in map(one_line, value) if name)


def _fits(entry: Entry) -> None:
    for name in _LINES:
        if len(getattr(entry, name)) > _MOST_LINE:
            raise ValueError(f"{name} is longer than {_MOST_LINE:,} characters")
    if len(entry.text) > MOST_TEXT:
        raise ValueError(f"the text is longer than {MOST_TEXT:,} characters")
    if len(entry.attachments) > _MOST_ATTACHMENTS:
        raise ValueError(f"it has more than {_MOST_ATTACHMENTS} attachments")
    if not (entry.text or entry.subject):
        raise ValueError("it has neither a text nor a subject")


def _unknown(file: Path, what: str) -> LogbookError:
    return LogbookError(
        "bad_file",
        f"{file} is no file of log entries that can be read: it is {what}.",
        "JSON, JSON Lines, CSV, and ELOG's exports Raw and XML can be; see the documentation.",
    )
