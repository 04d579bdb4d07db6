"""Log entries from files: ELOG's exports Raw and XML, JSON, JSON Lines and CSV, recognised by content.

Each entry is read separately, as plain text: a broken entry does not affect others.
"""

from __future__ import annotations

import codecs
import csv
import io
import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import date, datetime, time, timedelta
from email.utils import parsedate_to_datetime
from itertools import chain
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

from graphwright.text.folding import folded
from graphwright.text.markup import clean, one_line, plain
from graphwright_assistant.retrieval._errors import LogbookError
from graphwright_assistant.retrieval._logbook import Entry
from graphwright_files.source import open_file

MOST_BYTES = 200 * 1024 * 1024
MOST_TEXT = 1_000_000

ATTRIBUTES: Mapping[str, tuple[str, ...]] = {
    "author": ("author", "autor", "entered by", "operator", "name"),
    "category": ("category", "kategorie", "type", "typ", "entry type"),
    "system": ("system", "subsystem", "section", "area", "bereich", "component", "location"),
    "domain": ("domain", "facility"),
    "subject": ("subject", "betreff", "title", "titel", "summary", "thema"),
}
"""The names of these attributes in configurations of logbooks; the first existing one is used."""

_MOST_LINE = 1_000
_MOST_ATTACHMENTS = 200
_MOST_DAYS = 36_500
# The names of a table's columns, by field; ELOG's attributes are mapped to them.
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
# The fields that ELOG writes for every entry.
_OWN = {
    **{"mid": "id", "date": "date", "text": "text", "encoding": "encoding"},
    **{"in reply to": "reply_to", "reply to": "replies", "attachment": "attachments"},
}
_MID = re.compile(r"^\$@MID@\$:[ \t]*(\d{1,18})[ \t]*$", re.MULTILINE)
_RULE = re.compile(r"^={40}[ \t]*$", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Record:
    """An entry as written: the common fields (`own`, by the names of an Entry), and the fields of its logbook."""

    own: Mapping[str, Any]
    attributes: Mapping[str, str] = field(default_factory=dict)

    def attribute(self, role: str) -> str:
        """The name of the attribute with this role (a name of `ATTRIBUTES`), or an empty text."""
        names = {folded(name): name for name in self.attributes}
        return next((names[name] for name in ATTRIBUTES[role] if name in names), "")

    def entry(self, url: str = "", today: date = date.min) -> Entry:
        """The entry for readers; attributes without a role are appended to its text. Raises ValueError."""
        roles = {role: self.attribute(role) for role in ATTRIBUTES}
        lines = {role: one_line(self.attributes.get(name) or self._text(role)) for role, name in roles.items()}
        others = [f"{name}: {value}" for name, value in self.attributes.items() if value and name not in roles.values()]
        text = plain(self._text("text"), self._text("encoding"))
        names = self.own.get("attachments") or ()
        if not isinstance(names, list | tuple) or not all(isinstance(name, str) for name in names):
            raise ValueError("attachments is not a list of names")
        return Entry(
            id=self.number("id"),
            moment=self._moment(today),
            text="\n\n".join(filter(None, (text, "\n".join(map(one_line, others))))),
            reply_to=None if self.own.get("reply_to") in (None, "") else self.number("reply_to"),
            replies=tuple(map(int, re.findall(r"(?<!\d)\d{1,18}(?!\d)", self._text("replies")))),
            attachments=tuple(filter(None, map(one_line, names))),
            url=url,
            **lines,
        )

    def number(self, name: str) -> int:
        """The id in a field, the first of several. Raises ValueError."""
        value = self.own.get(name)
        first = str(value).partition(",")[0].strip()
        if isinstance(value, bool) or not re.fullmatch(r"\d{1,19}", first) or not 0 < int(first) < 2**63:
            raise ValueError(f"{name} {str(value)[:40]!r} is not a whole number of at least 1")
        return int(first)

    def _moment(self, today: date) -> datetime:
        at, days_ago = self._text("time").strip(), self.own.get("days_ago")
        try:
            clock = time.fromisoformat(at.rjust(5, "0")) if at else None
        except ValueError:
            raise ValueError(f"time {at[:40]!r} is not a time of day: write it as 14:30") from None
        if days_ago in (None, ""):
            moment = moment_of(self._text("date"))
            return datetime.combine(moment.date(), clock) if clock is not None else moment
        if isinstance(days_ago, bool) or not str(days_ago).isdecimal() or int(days_ago) > _MOST_DAYS:
            raise ValueError(f"days_ago {str(days_ago)[:40]!r} is not a number of days from 0 to {_MOST_DAYS:,}")
        return datetime.combine(today - timedelta(days=int(days_ago)), clock or time(0))

    def _text(self, name: str) -> str:
        value = self.own.get(name)
        if value is not None and not isinstance(value, str):
            raise ValueError(f"{name} is not a text")
        return value or ""


Records = Iterator[tuple[str, Record | str]]
"""The place of each record, with the record or the reason why it cannot be read."""


def read_file(file: Path, today: date) -> Iterator[tuple[str, Entry | str]]:
    """The entries of a file, in order: the place of each, and the entry or the reason why it cannot be read.

    Relative days count from `today`. Raises FileError if the file cannot be opened, LogbookError for an unknown kind.
    """
    with open_file(file, MOST_BYTES) as (stream, _):
        # The size that the system reports may be wrong, and the file may grow while it is read.
        content = stream.read(MOST_BYTES + 1)
    if not content.strip() or len(content) > MOST_BYTES:
        hint = f"Give a file with entries, of up to {MOST_BYTES:,} bytes."
        raise LogbookError("bad_file", f"{file} is {'too large' if content.strip() else 'empty'}.", hint)
    text = decode(content)
    start = text.lstrip()[:2_000]
    heading = [_FIELDS.get(folded(name), "") for name in re.split("[,;\t]", start.partition("\n")[0].replace('"', ""))]
    if start.startswith(("[", "{")):
        records = _json(file, text)
    elif start.startswith("$@MID@$:"):
        records = read_raw(text)
    elif "<ELOG_LIST" in start:
        records = read_xml(text)
    elif "id" in heading and {"date", "days_ago"} & set(heading) and not start.startswith("<"):
        records = _table(text)
    else:
        raise LogbookError(
            "bad_file",
            f"{file} has no log entries that can be read.",
            "JSON, JSON Lines, CSV with columns 'id' and 'date', and ELOG's exports Raw and XML can be.",
        )
    return ((place, _made(record, today)) for place, record in records)


def read_xml(text: str) -> Records:
    """The entries of an XML export; the rest is ignored, so that a document type has no effect."""
    # Split instead of matching pairs: for a million unclosed entries, each search would run to the end.
    for number, piece in enumerate(clean(text).split("<ENTRY>")[1:], 1):
        inner, end, _ = piece.partition("</ENTRY>")
        # The caller detects a truncated answer.
        if not end:
            continue
        try:
            held = {each.tag: "".join(each.itertext()) for each in ElementTree.fromstring(f"<E>{inner}</E>")}
        except ElementTree.ParseError as error:
            yield f"entry {number}", f"it is not valid XML ({error})"
            continue
        yield f"entry {held.get('MID', number)}", _record((tag.replace("_", " "), held[tag]) for tag in held)


def read_raw(text: str, *, single: bool = False) -> Records:
    """The entries of a Raw export, or the `single` one of a download, which has all of the remaining text."""
    text = clean(text)
    starts = list(_MID.finditer(text))[: 1 if single else None]
    ends = [*(start.start() for start in starts[1:]), len(text)]
    for start, end in zip(starts, ends, strict=bool(starts)):
        rule = _RULE.search(text, start.end(), end)
        if rule is None:
            yield f"entry {start[1]}", "the line of 40 '=' before its text is missing"
            continue
        # At the first ": " only, because values may contain it.
        lines = (line.partition(": ") for line in text[start.end() : rule.start()].strip("\n").split("\n"))
        fields = ((name.removesuffix(":"), value) for name, _, value in lines)
        body = text[rule.end() : end].strip("\n")
        yield f"entry {start[1]}", _record(chain([("MID", start[1]), ("TEXT", body)], fields))


def _record(fields: Iterator[tuple[str, str]]) -> Record:
    """An entry as ELOG exports it, by ELOG's names; the first of several fields with one name is used."""
    own, attributes = dict[str, Any](), dict[str, str]()
    for name, value in fields:
        if role := _OWN.get(name.lower()):
            own.setdefault(role, value.split(",") if role == "attachments" else value)
        else:
            attributes.setdefault(name, value.strip())
    return Record(own, attributes)


def moment_of(date: str) -> datetime:
    """The local time of a date, without its zone: as in e-mails (ELOG), ISO, or `21.11.2026 20:34`.

    Raises ValueError with the reason.
    """
    text = one_line(date)[:60]
    for read in (
        datetime.fromisoformat,
        lambda each: datetime.strptime(each, "%d.%m.%Y %H:%M:%S"),
        lambda each: datetime.strptime(each, "%d.%m.%Y %H:%M"),
        lambda each: datetime.strptime(each, "%d.%m.%Y"),
        parsedate_to_datetime,
    ):
        try:
            return read(text).replace(tzinfo=None, microsecond=0)
        except (ValueError, TypeError, IndexError, OverflowError):
            continue
    raise ValueError(f"{text!r} is not a date" if text else "it has no date")


def decode(content: bytes) -> str:
    """The text of an answer or a file: UTF-8, with invalid bytes read as Windows-1252.

    The header is not reliable: servers return what was posted, and one logbook may contain several encodings.
    """
    if content.startswith((b"\xff\xfe", b"\xfe\xff")):
        return content.decode("utf-16", "replace")
    return content.decode("utf-8-sig", "as-cp1252")


def _as_cp1252(error: UnicodeError) -> tuple[str, int]:
    assert isinstance(error, UnicodeDecodeError)
    return error.object[error.start : error.end].decode("cp1252", "replace"), error.end


codecs.register_error("as-cp1252", _as_cp1252)


def _json(file: Path, text: str) -> Records:
    try:
        whole = json.loads(text)
    except (ValueError, RecursionError) as error:
        if text.lstrip().startswith("["):
            message = f"{file} is not valid JSON: {error}."
            raise LogbookError("bad_file", message, "Correct it, or make it JSON Lines.") from None
    else:
        held = whole.get("entries", [whole]) if isinstance(whole, dict) else whole
        yield from ((f"item {number}", _object(item)) for number, item in enumerate(held, 1))
        return
    # Not splitlines(): a text may contain U+2028, which JSON does not escape.
    for number, line in enumerate(text.split("\n"), 1):
        if line.strip():
            try:
                yield f"line {number}", _object(json.loads(line))
            except (ValueError, RecursionError) as error:
                yield f"line {number}", f"it is not valid JSON ({error})"


def _object(item: object) -> Record | str:
    return (
        Record(item) if isinstance(item, dict) else "it is not an entry: an object with id, date and text is expected"
    )


def _table(text: str) -> Records:
    text = clean(text).lstrip("\n")
    # The size of the file is limited; a text that is too long is rejected with its entry.
    csv.field_size_limit(MOST_BYTES)
    rows = csv.reader(io.StringIO(text, newline=""), delimiter=max(",;\t", key=text.partition("\n")[0].count))
    fields = [_FIELDS.get(folded(name), "") for name in next(rows)]
    for row in rows:
        # The first of several columns of one kind is used.
        cells = [(name, cell) for name, cell in zip(fields, row, strict=False) if name and cell.strip()]
        if item := dict[str, Any](reversed(cells)):
            if "attachments" in item:
                item["attachments"] = item["attachments"].split(",")
            yield f"line {rows.line_num}", Record(item)


def _made(record: Record | str, today: date) -> Entry | str:
    """The entry if it is valid and not too long; otherwise the reason."""
    try:
        entry = record.entry(today=today) if isinstance(record, Record) else record
    except ValueError as error:
        return str(error)
    if isinstance(entry, str):
        return entry
    if long := next((name for name in ATTRIBUTES if len(getattr(entry, name)) > _MOST_LINE), ""):
        return f"{long} is longer than {_MOST_LINE:,} characters"
    if len(entry.text) > MOST_TEXT or len(entry.attachments) > _MOST_ATTACHMENTS:
        return f"it has more than {MOST_TEXT:,} characters or {_MOST_ATTACHMENTS} attachments"
    return entry if entry.text or entry.subject else "it has neither a text nor a subject"
