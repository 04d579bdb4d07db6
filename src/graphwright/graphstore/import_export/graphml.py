"""GraphML, for Gephi, yEd, networkx and others: read with expat as it comes, and written so that nothing is lost."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TextIO, TypeAlias
from xml.parsers import expat

from graphwright.graphstore.elements import MOST_TEXT, Edge, Element, Node, Value, shown
from graphwright.graphstore.errors import BadElement
from graphwright.graphstore.import_export.formats import (
    EDGE_FIELDS,
    Placed,
    Spool,
    bad,
    made,
    read_value,
    written_value,
)

NAMESPACE = "http://graphml.graphdrawing.org/xmlns"

OWN = "urn:graphwright:graphml"
"""The namespace of two attributes of `<key>`: `role` (the data is a label, a key or a type, no property) and `type`
(`json` where the text is JSON: for lists, and texts with characters that XML cannot hold)."""

ROLES = {"node": ("label", "key"), "edge": ("type",)}
"""By element, what its data must tell; in files of other programs, data with that name does."""

TYPES = {
    "string": "text",
    "boolean": "boolean",
    "int": "integer",
    "long": "integer",
    "float": "float",
    "double": "float",
}
"""By `attr.type`, what it is here."""


_CHUNK = 1 << 16
_MOST_SIGNS = 8 * MOST_TEXT


@dataclass(frozen=True, slots=True)
class _Key:
    """What a `<key>` declares: whose data it is, its name and type, and its role when it is no property."""

    domain: str
    name: str
    type: str
    role: str


@dataclass(slots=True)
class _Open:
    """A node or an edge that is being read."""

    kind: str
    attributes: Mapping[str, str]
    line: int
    data: dict[str, str] = field(default_factory=dict)


def read(path: Path) -> Iterator[Placed]:
    """The elements of a GraphML file; edges whose nodes come later are given last.

    A node needs data called `label`, its key is data called `key`, else its id; an edge needs data called `type`.
    """
    reader = _Reader(path)
    with path.open("rb") as file:
        while True:
            chunk = file.read(_CHUNK)
            reader.feed(chunk)
            yield from reader.ready
            reader.ready.clear()
            if not chunk:
                return


class _Reader:
    def __init__(self, path: Path) -> None:
        self.ready: list[Placed] = []
        self._path = path
        self._keys: dict[str, _Key] = {}
        self._defaults: dict[str, str] = {}
        self._nodes: dict[str, tuple[str, ...]] = {}
        self._waiting: list[_Open] = []
        self._path_of_tags: list[str] = []
        self._open: _Open | None = None
        self._key = ""
        self._text: list[str] | None = None
        self._size = 0
        self._parser = expat.ParserCreate(namespace_separator=" ")
        self._parser.buffer_text = True
        self._parser.StartDoctypeDeclHandler = self._doctype
        self._parser.StartElementHandler = self._start
        self._parser.EndElementHandler = self._end
        self._parser.CharacterDataHandler = self._characters

    def feed(self, chunk: bytes) -> None:
        try:
            self._parser.Parse(chunk, not chunk)
        except expat.ExpatError as error:
            what = expat.ErrorString(error.code)
            raise bad(f"{self._path}, line {error.lineno:,}", f"this is not XML ({what})", "Export it anew.") from None
        if not chunk:
            for edge in self._waiting:
                self._edge(edge)

    def _place(self, line: int = 0) -> str:
        return f"{self._path}, line {line or self._parser.CurrentLineNumber:,}"

    def _doctype(self, *_: Any) -> None:
        raise bad(self._place(), "document types and entities are not read", "Take the <!DOCTYPE ...> out.")

    def _start(self, tag: str, attributes: dict[str, str]) -> None:
        tag = tag.rpartition(" ")[2]
        above = self._path_of_tags[-1] if self._path_of_tags else ""
        self._path_of_tags.append(tag)
        if not above and tag != "graphml":
            raise bad(self._place(), f"a document that begins with {shown(tag)} is no GraphML", "Export it anew.")
        if tag == "graph" and above != "graphml":
            raise bad(self._place(), "a graph stands inside of a node", "Graphs in graphs are not read: flatten it.")
        if tag == "hyperedge":
            raise bad(self._place(), "edges join two nodes here", "Make a node of the hyperedge.")
        if attributes.get("edgedefault") == "undirected" or (tag == "edge" and attributes.get("directed") == "false"):
            raise bad(self._place(), "edges have a direction here", "Export the graph as a directed one.")
        match above, tag:
            case "graphml", "key":
                self._declare(attributes)
            case "graph", "node" | "edge":
                self._open = _Open(tag, attributes, self._parser.CurrentLineNumber)
            case ("node" | "edge", "data") if self._open is not None:
                self._key = attributes.get("key", "")
                if self._key not in self._keys:
                    raise bad(self._place(), f"data refers to the key {shown(self._key)}", "No <key> has this id.")
                self._text, self._size = [], 0
            case "key", "default":
                self._text, self._size = [], 0

    def _declare(self, attributes: dict[str, str]) -> None:
        domain, name, role = (attributes.get(each, "") for each in ("for", "attr.name", f"{OWN} role"))
        given = attributes.get("attr.type", "string")
        if given not in TYPES:
            raise bad(self._place(), f"the type {shown(given)} is not known", f"Types are {', '.join(TYPES)}.")
        own = attributes.get(f"{OWN} type")
        kinds = [domain] if domain in ROLES else list(ROLES)
        if not role and own is None and any(name in ROLES[kind] for kind in kinds):
            role = name
        self._key = attributes.get("id", "")
        self._keys[self._key] = _Key(domain, name, "json" if own == "json" else TYPES[given], role)

    def _characters(self, text: str) -> None:
        if self._text is not None:
            self._text.append(text)
            self._size += len(text)
            if self._size > _MOST_SIGNS:
                raise bad(self._place(), "a text is too long", "Keep it elsewhere, and its place here.")

    def _end(self, tag: str) -> None:
        tag = self._path_of_tags.pop()
        above = self._path_of_tags[-1] if self._path_of_tags else ""
        text = "".join(self._text or ())
        match above, tag:
            case "key", "default":
                self._defaults[self._key] = text
                self._text = None
            case ("node" | "edge", "data") if self._open is not None:
                # Other programs keep their drawings in data without a name.
                if self._keys[self._key].name:
                    self._open.data[self._key] = text
                self._text = None
            case "graph", "node" if self._open is not None:
                self._node(self._open)
                self._open = None
            case "graph", "edge" if self._open is not None:
                ends = (self._open.attributes.get("source", ""), self._open.attributes.get("target", ""))
                if all(end in self._nodes for end in ends):
                    self._edge(self._open)
                else:
                    self._waiting.append(self._open)
                self._open = None

    def _node(self, found: _Open) -> None:
        place, id = self._place(found.line), found.attributes.get("id", "")
        roles, properties = self._values(found)
        label = roles.get("label") or found.attributes.get("labels", "").strip(":")
        if not label:
            raise bad(place, f"the node {shown(id)} has no label", "Give nodes data with the attr.name `label`.")
        if id in self._nodes:
            raise bad(place, f"the id {shown(id)} stands twice", "Ids are unique.")
        node = made(place, {"label": label, "key": roles.get("key", id)}, properties)
        self._nodes[id] = node.identity[1:]
        self.ready.append((place, node))

    def _edge(self, found: _Open) -> None:
        place = self._place(found.line)
        roles, properties = self._values(found)
        type = roles.get("type") or found.attributes.get("label", "")
        if not type:
            raise bad(place, "the edge has no type", "Give edges data with the attr.name `type`.")
        ends: list[str] = []
        for side in ("source", "target"):
            end = found.attributes.get(side, "")
            if end not in self._nodes:
                raise bad(place, f"the edge names a node {shown(end)}", "No node has this id.")
            ends += self._nodes[end]
        identity = dict(zip(EDGE_FIELDS, (ends[0], ends[1], type, ends[2], ends[3]), strict=True))
        self.ready.append((place, made(place, identity, properties)))

    def _values(self, found: _Open) -> tuple[dict[str, Any], dict[str, Any]]:
        """What the data of an element says: its roles, and its properties."""
        roles: dict[str, Any] = {}
        properties: dict[str, Any] = {}
        defaults = {id: text for id, text in self._defaults.items() if self._keys[id].domain in (found.kind, "all")}
        for id, text in {**defaults, **found.data}.items():
            key = self._keys[id]
            value = read_value(self._place(found.line), f"for {shown(key.name)}", key.type, text)
            if key.role in ROLES[found.kind]:
                roles[key.role] = value
            elif key.name in properties and id in defaults:
                continue
            elif key.name in properties and id in found.data:
                raise bad(self._place(found.line), f"{shown(key.name)} has two values", "Keep one of them.")
            else:
                properties[key.name] = value
        return roles, properties


Key: TypeAlias = tuple[str, str, str, str]
"""The element it is for, `role` or an empty text, the name, and the type: string, boolean, long, double or json."""

# What XML 1.0 cannot hold, not even escaped.
_UNWRITABLE = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_WRITTEN = {"integer": "long", "float": "double", "text": "string"}
_ESCAPES = str.maketrans({"&": "&amp;", "<": "&lt;", ">": "&gt;", "\r": "&#13;"})


def write(files: Sequence[TextIO], elements: Iterable[Element]) -> None:
    """One document. Its keys come first, and are known only at the end of the elements."""
    file = files[0]
    with Spool() as spool:
        keys: dict[Key, None] = {}
        for element in elements:
            keys.update((key, None) for key, _ in _data(element))
            spool.add(element)
        file.write('<?xml version="1.0" encoding="UTF-8"?>\n')
        file.write(f'<graphml xmlns="{NAMESPACE}" xmlns:gw="{OWN}">\n')
        names = {}
        for key in sorted(keys):
            kind, role, name, type = key
            names[key] = "-".join(part for part in (kind, role and "is", name, type) if part)
            own = f' gw:role="{role}"' if role else ""
            own += f' gw:type="{"json" if type == "json" else "plain"}"'
            written = "string" if type == "json" else type
            file.write(f'<key id="{names[key]}" for="{kind}" attr.name="{name}" attr.type="{written}"{own}/>\n')
        file.write('<graph edgedefault="directed">\n')
        ids: dict[tuple[str, str], str] = {}
        for element in spool:
            texts = ((names[key], text.translate(_ESCAPES)) for key, text in _data(element))
            data = "".join(f'<data key="{name}">{text}</data>' for name, text in texts)
            if isinstance(element, Node):
                id = ids[(element.label, element.key)] = f"n{len(ids)}"
                file.write(f'<node id="{id}">{data}</node>\n')
            else:
                source, target = _ends(element, ids)
                file.write(f'<edge source="{source}" target="{target}">{data}</edge>\n')
        file.write("</graph>\n</graphml>\n")


def _ends(edge: Edge, ids: dict[tuple[str, str], str]) -> tuple[str, str]:
    ends = ((edge.from_label, edge.from_key), (edge.to_label, edge.to_key))
    for end in ends:
        if end not in ids:
            raise BadElement("bad_file", f"{edge.name} leads to a node that is not written", "Write both ends.")
    return ids[ends[0]], ids[ends[1]]


def _data(element: Element) -> Iterator[tuple[Key, str]]:
    kind = "node" if isinstance(element, Node) else "edge"
    for name, value in element.properties.items():
        yield _written(kind, "", name, value)
    # Programs that know nothing of roles keep the last of what has one name.
    if isinstance(element, Node):
        yield _written(kind, "label", "label", element.label)
        yield _written(kind, "key", "key", element.key)
    else:
        yield _written(kind, "type", "type", element.type)


def _written(kind: str, role: str, name: str, value: Value) -> tuple[Key, str]:
    type, text = written_value(value)
    if type == "text" and _UNWRITABLE.search(text):
        # Escaped, so that nothing in it is left that XML cannot hold.
        type, text = "json", json.dumps(text)
    return (kind, role, name, _WRITTEN.get(type, type)), text
