"""The two exports of ELOG, Raw and XML: read entry by entry, so that one that is broken spoils no other."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from email.utils import parsedate_to_datetime
from xml.etree import ElementTree

from graphwright.logbook.cleaning import clean, one_line, plain
from graphwright.logbook.port import Entry
from graphwright.logbook.words import fold

# What logbooks call the attributes that every entry here has; the first that is there is taken.
ATTRIBUTES: Mapping[str, tuple[str, ...]] = {
    "author": ("author", "autor", "verfasser", "operator", "entered by", "user", "name"),
    "category": ("category", "kategorie", "type", "typ", "kind", "art", "entry type"),
    "system": ("system", "subsystem", "domain", "section", "area", "bereich", "component", "komponente", "location"),
    "subject": ("subject", "betreff", "title", "titel", "summary", "topic", "thema"),
}

_MID = re.compile(r"^\$@MID@\$:[ \t]*(\d{1,18})[ \t]*$", re.MULTILINE)
_RULE = re.compile(r"^={40}[ \t]*$", re.MULTILINE)
_RESERVED = frozenset(("MID", "DATE", "IN_REPLY_TO", "REPLY_TO", "ATTACHMENT", "ENCODING", "TEXT"))


@dataclass(frozen=True, slots=True)
class Record:
    """An entry as ELOG exports it; `attributes` are its own, in their order. Texts are as written, markup included."""

    id: int
    date: str
    in_reply_to: int | None = None
    replies: tuple[int, ...] = ()
    attributes: Mapping[str, str] = field(default_factory=dict)
    attachments: tuple[str, ...] = ()
    encoding: str = "plain"
    text: str = ""

    def attribute(self, role: str) -> str:
        """The name of the attribute that plays this role (a name of `ATTRIBUTES`), empty where none does."""
        by_fold = {fold(name): name for name in self.attributes}
        return next((by_fold[fold(name)] for name in ATTRIBUTES[role] if fold(name) in by_fold), "")

    def entry(self, url: str = "") -> Entry:
        """The entry that readers see; attributes without a role stand below its text. Raises ValueError (no date)."""
        roles = {role: self.attribute(role) for role in ATTRIBUTES}
        others = [
            f"{one_line(name)}: {one_line(value)}"
            for name, value in self.attributes.items()
            if name not in roles.values() and value.strip()
        ]
        text = plain(self.text, self.encoding)
        return Entry(
            id=self.id,
            moment=moment_of(self.date),
            text="\n\n".join(part for part in (text, "\n".join(others)) if part),
            reply_to=self.in_reply_to,
            replies=self.replies,
            attachments=self.attachments,
            url=url,
            **{role: one_line(self.attributes.get(name, "")) for role, name in roles.items()},
        )


class BadRecord(ValueError):
    """A record cannot be read; the text says why."""


def moment_of(date: str) -> datetime:
    """The wall clock that a date names, without its zone: as in e-mails (ELOG), ISO, or `21.11.2026 20:34`.

    Raises ValueError with the reason.
    """
    text = one_line(date)[:60]
    try:
        return datetime.fromisoformat(text).replace(tzinfo=None, microsecond=0)
    except ValueError:
        pass
    for shape in ("%d.%m.%Y %H:%M:%S", "%d.%m.%Y %H:%M", "%d.%m.%Y"):
        try:
            return datetime.strptime(text, shape)
        except ValueError:
            continue
    try:
        return parsedate_to_datetime(text).replace(tzinfo=None)
    except (ValueError, TypeError, IndexError, OverflowError):
        raise ValueError(f"{text!r} is no date" if text else "it has no date") from None


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


def read_xml(text: str) -> Iterator[Record | BadRecord]:
    """The entries of an XML export; nothing outside of them is looked at, so no document type can do anything."""
    # Split, not searched for pairs: of a million that never end, each would be looked for up to the end.
    for number, piece in enumerate(clean(text).split("<ENTRY>")[1:], 1):
        inner, end, _ = piece.partition("</ENTRY>")
        if not end:
            # The answer breaks off here, which its reader sees for itself.
            continue
        try:
            yield _from_xml(ElementTree.fromstring(f"<ENTRY>{inner}</ENTRY>"))
        except ElementTree.ParseError as error:
            yield BadRecord(f"entry {number}: it is not valid XML ({error})")
        except BadRecord as error:
            yield BadRecord(f"entry {number}: {error}")


def read_raw(text: str, *, single: bool = False) -> Iterator[Record | BadRecord]:
    """The entries of a Raw export, or the `single` one of a download: whatever its text holds is then its text."""
    text = clean(text)
    starts = list(_MID.finditer(text))
    if single:
        starts = starts[:1]
    for number, start in enumerate(starts):
        end = starts[number + 1].start() if number + 1 < len(starts) else len(text)
        rule = _RULE.search(text, start.end(), end)
        if rule is None:
            yield BadRecord(f"entry {start[1]}: the line of 40 '=' before its text is missing")
            continue
        yield _from_raw(int(start[1]), text[start.end() : rule.start()], text[rule.end() : end].strip("\n"))


def _from_raw(id: int, head: str, text: str) -> Record:
    fields: dict[str, str] = {}
    for line in head.strip("\n").split("\n"):
        # At the first ": " only: values have some of their own.
        name, colon, value = line.partition(": ")
        if colon or line.endswith(":"):
            fields.setdefault(name.removesuffix(":") if not colon else name, value.strip())
    return Record(
        id=id,
        date=fields.pop("Date", ""),
        in_reply_to=next(iter(_ids(fields.pop("In reply to", ""))), None),
        replies=_ids(fields.pop("Reply to", "")),
        attachments=_names(fields.pop("Attachment", "")),
        encoding=fields.pop("Encoding", "plain"),
        attributes=fields,
        text=text,
    )


def _from_xml(element: ElementTree.Element) -> Record:
    held = [(child.tag, "".join(child.itertext())) for child in element]
    reserved = {tag: text for tag, text in held if tag in _RESERVED}
    ids = _ids(reserved.get("MID", ""))
    if len(ids) != 1:
        raise BadRecord("it has no id (MID)")
    return Record(
        id=ids[0],
        date=reserved.get("DATE", ""),
        in_reply_to=next(iter(_ids(reserved.get("IN_REPLY_TO", ""))), None),
        replies=_ids(reserved.get("REPLY_TO", "")),
        attachments=_names(reserved.get("ATTACHMENT", "")),
        encoding=reserved.get("ENCODING", "plain"),
        attributes={tag.replace("_", " "): text.strip() for tag, text in held if tag not in _RESERVED},
        text=reserved.get("TEXT", ""),
    )


def _ids(text: str) -> tuple[int, ...]:
    return tuple(int(part) for part in re.findall(r"(?<!\d)\d{1,18}(?!\d)", text))


def _names(text: str) -> tuple[str, ...]:
    return tuple(name for part in text.split(",") if (name := one_line(part)))
