"""A document as a tree of records and tables by id, with the origin of every value; the merged document as a source."""

from __future__ import annotations

import json
from collections.abc import Hashable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from graphwright.flow._source import Inside, Path, Source
from graphwright.flow.diagnostics import Span
from graphwright.flow.layers._strategies import LISTS, MAPPINGS, RECORDS

REMOVE, STRATEGIES = "remove", "strategies"
CONTROLS = frozenset({REMOVE, STRATEGIES, "extends"})
"""The fields of a layer that are not part of the merged document."""


@dataclass(slots=True, eq=False)
class Origin:
    """Where a value was written: a layer, and the path in it.

    `inner` are the origins of the values in a list or mapping that several layers wrote; without it all of them are in
    `source`, below `path`. `parts` are the origins of the parts of a joined text: the offset of each, and how many
    characters before its text were added to it.
    """

    source: Source
    path: Path
    inner: dict[str | int, Origin] | None = None
    parts: tuple[tuple[int, int, Origin], ...] = ()

    def items(self) -> Iterable[tuple[str | int, Origin]]:
        """The origins of the values in a list or mapping that several layers wrote."""
        return (self.inner or {}).items()


@dataclass(slots=True, eq=False)
class Value:
    """A value that is not a record: a text, a number, a JSON Schema."""

    data: Any
    origin: Origin

    def built(self) -> tuple[Any, Origin]:
        return self.data, self.origin


@dataclass(slots=True, eq=False)
class Removal:
    """A part of lower layers that a layer removes: `node q.size`, and its name alone, `q.size`."""

    origin: Origin
    part: str
    name: str
    edge: Mapping[str, Any] | None = None
    """The removed edge; None for any other part."""
    key: str = ""
    """The key of a removed question."""


class Record:
    """A mapping with known fields, such as a node. Its fields are read when another layer changes it."""

    __slots__ = ("_fields", "chosen", "data", "kind", "origin")

    def __init__(self, kind: str, data: Mapping[str, Any], origin: Origin) -> None:
        self.kind = kind
        self.data = data
        self.origin = origin
        self.chosen: dict[str, str] = dict(data.get(STRATEGIES) or {})
        self._fields: dict[str, Part] | None = None

    @property
    def replaces(self) -> bool:
        """Whether it replaces the record of the lower layers, or, without other fields, removes it."""
        return self.data.get(REMOVE) is True

    @property
    def is_removal(self) -> bool:
        """Whether it only removes a record: it has no fields but those that identify it."""
        return self.replaces and self.data.keys() - CONTROLS <= identity_fields(self.kind, self.data)

    @property
    def fields(self) -> dict[str, Part]:
        if self._fields is None:
            source, path = self.origin.source, self.origin.path
            self._fields = {
                name: parsed(self.kind, name, value, Origin(source, (*path, name)))
                for name, value in self.data.items()
                if name not in CONTROLS
            }
        return self._fields

    def text(self, name: str) -> str:
        """The text of a field; empty without one."""
        if self._fields is None:
            value = self.data.get(name)
        else:
            part = self._fields.get(name)
            value = part.data if isinstance(part, Value) else None
        return value if isinstance(value, str) else ""

    def built(self) -> tuple[dict[str, Any], Origin]:
        """The plain data, and its origin."""
        if self._fields is None:
            data = self.data
            if not data.keys().isdisjoint(CONTROLS):
                data = {name: value for name, value in data.items() if name not in CONTROLS}
            if self.kind not in ("document", "graph"):
                return dict(data), self.origin
        made: dict[str, Any] = {}
        inner: dict[str | int, Origin] = {}
        for name, part in self.fields.items():
            made[name], inner[name] = part.built()
        return made, Origin(self.origin.source, self.origin.path, inner)


@dataclass(slots=True, eq=False)
class Table:
    """Records or texts by identity: a list such as `nodes`, or a mapping such as `state`. `gone` are removed ones."""

    kind: str
    origin: Origin
    is_list: bool
    entries: dict[Hashable, Part] = field(default_factory=dict)
    gone: dict[Hashable, Removal] = field(default_factory=dict)

    def built(self) -> tuple[list[Any] | dict[str, Any], Origin]:
        """The plain data: a list in the order of the layers, a mapping in the order of its names."""
        inner: dict[str | int, Origin] = {}
        if self.is_list:
            items: list[Any] = []
            for place, part in enumerate(self.entries.values()):
                item, inner[place] = part.built()
                items.append(item)
            return items, Origin(self.origin.source, self.origin.path, inner)
        made: dict[str, Any] = {}
        for name in sorted(map(str, self.entries)):
            part = self.entries[name]
            made[name], inner[name] = part.built()
        return made, Origin(self.origin.source, self.origin.path, inner)


Part = Value | Record | Table


def parsed(kind: str, name: str, value: Any, origin: Origin) -> Part:
    """The part of a field: a record, a table of records, or a value."""
    is_graph = kind in ("document", "graph")
    if isinstance(value, list) and is_graph and name in LISTS:
        table = Table(LISTS[name], origin, is_list=True)
        seen: dict[Hashable, int] = {}
        for place, item in enumerate(value):
            # Other values were reported when the layer was checked.
            if isinstance(item, dict):
                record = Record(table.kind, item, Origin(origin.source, (*origin.path, place)))
                identity = _identity(record)
                seen[identity] = seen.get(identity, 0) + 1
                # A repeated record is kept, so that the compiler reports it.
                table.entries[(identity, seen[identity])] = record
        return table
    if isinstance(value, dict) and is_graph and name in MAPPINGS:
        table = Table(MAPPINGS[name], origin, is_list=False)
        for key, item in value.items():
            at = Origin(origin.source, (*origin.path, key))
            is_record = isinstance(item, dict)
            table.entries[key] = Record(table.kind, item, at) if is_record else Value(item, at)
        return table
    if isinstance(value, dict) and (kind, name) in RECORDS:
        return Record(RECORDS[kind, name], value, origin)
    return Value(value, origin)


def identity_fields(kind: str, data: Mapping[str, Any]) -> set[str]:
    """The fields that identify a record."""
    if "id" in data:
        return {"id"}
    if kind == "edge":
        return {"from", "to", "guard"}
    if kind == "constraint":
        return {"require"} if "require" in data else {"one_of"}
    return set()


def _identity(record: Record) -> Hashable:
    """The key of a record in a list: equal to that of the same record in another layer."""
    data = record.data
    if "id" in data:
        return "id", data["id"]
    names = identity_fields(record.kind, data)
    if names.isdisjoint(data):
        return record.origin
    return tuple((name, json.dumps(data.get(name), sort_keys=True)) for name in sorted(names))


def graphs(root: Record) -> Iterator[tuple[str, Record]]:
    """All graphs of the document with their ids; the root graph, with an empty id, first."""
    yield "", root
    table = root.fields.get("subgraphs")
    if isinstance(table, Table):
        for name, graph in table.entries.items():
            if isinstance(graph, Record):
                yield str(name), graph


def nodes_of(graph: Record) -> dict[str, Record]:
    """The nodes of a graph by their ids."""
    table = graph.fields.get("nodes")
    entries = table.entries.values() if isinstance(table, Table) else ()
    return {node.text("id"): node for node in entries if isinstance(node, Record)}


def part_name(table: str, key: Hashable, entry: Part) -> str:
    """The name of an entry of a table, for people: `node q.size`, `edge q.size -> done`, `channel attempts`."""
    if not isinstance(key, tuple):
        return f"{_SINGULAR.get(table, table)} {key}"
    record = entry if isinstance(entry, Record) else None
    own = record.text("id") if record is not None else ""
    if record is not None and not own and record.kind == "edge":
        guard = f" ({record.text('guard')})" if record.text("guard") else ""
        own = f"{record.text('from')} -> {record.text('to')}{guard}"
    elif record is not None and not own:
        groups = record.data.get("one_of", ())
        own = record.text("require") or " or ".join("+".join(map(str, group)) for group in groups)
    return f"{_SINGULAR.get(table, table)} {own or 'without an id'}"


_SINGULAR = {
    **LISTS,
    "state": "channel",
    "predicates": "predicate",
    "paths": "path",
    "subgraphs": "subgraph",
}


class MergedSource(Source):
    """A merged document. The place of each value is in the layer that set it."""

    def __init__(self, data: Mapping[str, Any], root: Origin) -> None:
        super().__init__(data)
        self.root = root

    def origin(self, path: Path, inside: Inside | None = None) -> tuple[Source, Path, Inside | None]:
        found = self.root
        rest = path
        while rest and found.inner is not None and rest[0] in found.inner:
            found, rest = found.inner[rest[0]], rest[1:]
        if found.parts and not rest:
            # A finding about the whole text is reported in the layer that joined the last part to it.
            found, inside = (found.parts[-1][2], None) if inside is None else self._part(found, path, inside)
        return found.source, (*found.path, *rest), inside

    def _part(self, found: Origin, path: Path, inside: Inside) -> tuple[Origin, Inside | None]:
        """The origin of the part of a joined text that has this line and column, and the place in that part."""
        lines = self.value(path).split("\n")
        offset = sum(len(before) + 1 for before in lines[: inside[0] - 1]) + inside[1] - 1
        begin, added, origin = max((each for each in found.parts if each[0] <= offset), key=lambda each: each[0])
        text = origin.source.value(origin.path)
        if not isinstance(text, str):
            return origin, None
        at = max(0, min(offset - begin - added, len(text)))
        before = text[:at]
        return origin, (before.count("\n") + 1, at - (before.rfind("\n") + 1) + 1)

    def span(self, path: Path, *, key: bool = False) -> Span:
        source, at, _ = self.origin(path)
        return source.span(at, key=key)

    def written(self, path: Path) -> str | None:
        source, at, _ = self.origin(path)
        return source.written(at)
