"""What ELOG exports, Raw and XML: read entry by entry, so that one that is broken spoils no other, as plain text."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from email.utils import parsedate_to_datetime
from xml.etree import ElementTree

from graphwright.retrieval.index import folded
from graphwright.retrieval.logbook import Entry
from graphwright.text.markup import clean, one_line, plain

ATTRIBUTES: Mapping[str, tuple[str, ...]] = {
    "author": ("author", "autor", "entered by", "operator", "name"),
    "category": ("category", "kategorie", "type", "typ", "entry type"),
    "system": ("system", "subsystem", "section", "area", "bereich", "component", "location"),
    "domain": ("domain", "facility"),
    "subject": ("subject", "betreff", "title", "titel", "summary", "thema"),
}
"""What configurations of logbooks call the attributes that every entry here has; the first that is there is taken."""

_MID = re.compile(r"^\$@MID@\$:[ \t]*(\d{1,18})[ \t]*$", re.MULTILINE)
_RULE = re.compile(r"^={40}[ \t]*$", re.MULTILINE)
_OWN = {name.upper().replace(" ", "_"): name for name in ("Date", "In reply to", "Reply to", "Attachment", "Encoding")}


class BadRecord(ValueError):
    """A record cannot be read; the text says why."""


@dataclass(frozen=True, slots=True)
class Record:
    """An entry as ELOG exports it: its fields in their order, attributes among them, and the text with its markup."""

    id: int
    fields: Mapping[str, str]
    text: str

    def attribute(self, role: str) -> str:
        """The name of the attribute that plays this role (a name of `ATTRIBUTES`), empty where none does."""
        names = {folded(name): name for name in self.fields}
        return next((names[name] for name in ATTRIBUTES[role] if name in names), "")

    def entry(self, url: str = "") -> Entry:
        """The entry that readers see; attributes without a role stand below its text. Raises ValueError (no date)."""
        roles = {role: self.attribute(role) for role in ATTRIBUTES}
        known = {*roles.values(), *_OWN.values()}
        others = (f"{one_line(name)}: {one_line(value)}" for name, value in self.fields.items() if name not in known)
        text = plain(self.text, self.fields.get("Encoding", ""))
        return Entry(
            id=self.id,
            moment=moment_of(self.fields.get("Date", "")),
            text="\n\n".join(filter(None, (text, "\n".join(line for line in others if not line.endswith(": "))))),
            reply_to=next(iter(_ids(self.fields.get("In reply to", ""))), None),
            replies=_ids(self.fields.get("Reply to", "")),
            attachments=tuple(filter(None, map(one_line, self.fields.get("Attachment", "").split(",")))),
            url=url,
            **{role: one_line(self.fields.get(name, "")) for role, name in roles.items()},
        )


def read_xml(text: str) -> Iterator[Record | BadRecord]:
    """The entries of an XML export; nothing outside of them is looked at, so no document type can do anything."""
    # Split, not searched for pairs: of a million that never end, each would be looked for up to the end.
    for number, piece in enumerate(clean(text).split("<ENTRY>")[1:], 1):
        inner, end, _ = piece.partition("</ENTRY>")
        # Where an answer breaks off, its reader sees for itself.
        if end:
            try:
                held = {each.tag: "".join(each.itertext()) for each in ElementTree.fromstring(f"<E>{inner}</E>")}
                id = int(held.pop("MID", ""))
            except (ElementTree.ParseError, ValueError) as error:
                yield BadRecord(f"entry {number}: it is not valid XML, or has no id ({error})")
                continue
            body = held.pop("TEXT", "")
            yield Record(id, {_OWN.get(tag, tag.replace("_", " ")): value.strip() for tag, value in held.items()}, body)


def read_raw(text: str, *, single: bool = False) -> Iterator[Record | BadRecord]:
    """The entries of a Raw export, or the `single` one of a download: whatever its text holds is then its text."""
    text = clean(text)
    starts = list(_MID.finditer(text))[: 1 if single else None]
    ends = [*(start.start() for start in starts[1:]), len(text)]
    for start, end in zip(starts, ends, strict=bool(starts)):
        rule = _RULE.search(text, start.end(), end)
        if rule is None:
            yield BadRecord(f"entry {start[1]}: the line of 40 '=' before its text is missing")
            continue
        fields: dict[str, str] = {}
        for line in text[start.end() : rule.start()].strip("\n").split("\n"):
            # At the first ": " only: values have some of their own.
            name, _, value = line.partition(": ")
            fields.setdefault(name.removesuffix(":"), value.strip())
        yield Record(int(start[1]), fields, text[rule.end() : end].strip("\n"))


def moment_of(date: str) -> datetime:
    """The wall clock that a date names, without its zone: as in e-mails (ELOG), ISO, or `21.11.2026 20:34`.

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
    raise ValueError(f"{text!r} is no date" if text else "it has no date")


def decode(content: bytes) -> str:
    """The text of an answer or a file: UTF-8, and line by line Windows-1252 or ISO-8859-1 where a line is not UTF-8.

    What the header says is no help: servers hand back what was posted, and one logbook may hold several encodings.
    """
    if content.startswith((b"\xff\xfe", b"\xfe\xff")):
        return content.decode("utf-16", "replace")
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError:
        return "".join(map(_line, content.removeprefix(b"\xef\xbb\xbf").splitlines(keepends=True)))


def _line(line: bytes) -> str:
    for encoding in ("utf-8", "cp1252"):
        try:
            return line.decode(encoding)
        except UnicodeDecodeError:
            continue
    return line.decode("iso-8859-1")


def _ids(text: str) -> tuple[int, ...]:
    return tuple(int(part) for part in re.findall(r"(?<!\d)\d{1,18}(?!\d)", text))
