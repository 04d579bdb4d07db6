"""Versions of the flow document: the chain of migrators, from the oldest version that can be read to the newest one."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from graphwright.flow._diagnostic_catalog import Code
from graphwright.flow._document import VERSION, other_version
from graphwright.flow._json_schemas import kind_of
from graphwright.flow._source import Path, Reporter, Source, pointer, read_text
from graphwright.flow._text_edits import NotEditable, edited
from graphwright.flow._version_0 import VERSION_0, Notes, check_version_0, to_version_1
from graphwright.flow.diagnostics import Diagnostic, Span


@dataclass(frozen=True, slots=True)
class Migrator:
    """One step of the chain: reports what is not of version `source`, and makes a document of version `target`."""

    source: str
    target: str
    check: Callable[[Any, Reporter], None]
    migrate: Callable[[Mapping[str, Any], Notes], dict[str, Any]]


CHAIN = (Migrator(VERSION_0, "v1", check_version_0, to_version_1),)
"""The migrators, in order. The target of the last one is the version that the compiler reads."""


@dataclass(frozen=True, slots=True)
class Note:
    """Something that changed its meaning or had to be guessed, with its place in the old document."""

    message: str
    span: Span
    pointer: str

    def to_json(self) -> dict[str, Any]:
        return {
            "message": self.message,
            "line": self.span.line,
            "column": self.span.column,
            "pointer": self.pointer,
        }


@dataclass(frozen=True, slots=True)
class Migration:
    """The result of a migration. `text` is None if there are `diagnostics`: the document cannot be migrated.

    `before` is the version of the document, empty if it could not be read. `steps` are the versions after it.
    """

    source: Source | None
    text: str | None
    before: str
    steps: tuple[str, ...]
    notes: tuple[Note, ...]
    diagnostics: tuple[Diagnostic, ...]


def migrate_text(text: str | bytes) -> Migration:
    """Migrate a flow document to the newest version; comments, the order of fields and unchanged lines stay.

    A document of the newest version stays as it is and is not checked further. A document that is not of the version
    that it names, or is newer than this program, is refused with diagnostics.
    """
    source, found = read_text(text)
    if source is None or found:
        return Migration(source, None, "", (), (), tuple(found))
    out = Reporter(source)
    data: dict[str, Any] = source.data
    before = _version(data, out)
    if before == VERSION or out.has_errors:
        kept = None if out.has_errors else source.text
        return Migration(source, kept, before, (), (), out.sorted())
    notes: Notes = []
    steps: list[str] = []
    for migrator in CHAIN[[each.source for each in CHAIN].index(before) :]:
        migrator.check(data, out)
        if out.has_errors:
            return Migration(source, None, before, (), (), out.sorted())
        data = migrator.migrate(data, notes)
        steps.append(migrator.target)
    try:
        made = edited(source, data)
    except NotEditable:
        message = "The document cannot be migrated in place: an alias stands for a part that changes."
        out.add(Code.ALIASES, (), message, "Write the aliased parts out, then run the migration again.")
        return Migration(source, None, before, (), (), out.sorted())
    shown = tuple(Note(message, source.span(path), pointer(path)) for path, message in notes)
    return Migration(source, made, before, tuple(steps), shown, ())


def _version(data: Mapping[str, Any], out: Reporter) -> str:
    """The version that a document names. An unknown one is reported."""
    found = data.get("version")
    known = f"Known versions: {', '.join((*(each.source for each in CHAIN), VERSION))}."
    if "version" not in data:
        out.add(Code.MISSING_FIELD, (), "The document needs the field `version`.", known)
    elif found not in (VERSION, *(migrator.source for migrator in CHAIN)):
        message = f"`version` is {kind_of(found)}, which is not a version of the language."
        out.add(Code.VERSION, ("version",), *(other_version(found) or (message, known)))
    return str(found)


def in_old_text(source: Source, found: Diagnostic) -> Diagnostic:
    """A finding in the migrated document at its place in the old text, or at the nearest part that exists there."""
    path: Path = ()
    data: Any = source.data
    for step in found.pointer.split("/")[1:]:
        name: str | int = step.replace("~1", "/").replace("~0", "~")
        if isinstance(data, list) and re.fullmatch(r"\d+", step):
            name = int(step)
        try:
            data = data[name]
        except (KeyError, IndexError, TypeError):
            break
        path = (*path, name)
    return replace(found, span=source.span(path), pointer=pointer(path), related=())
