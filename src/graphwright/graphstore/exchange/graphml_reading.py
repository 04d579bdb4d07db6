"""Reading GraphML with expat, as it comes; without document types and entities, whatever they promise."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from xml.parsers import expat

from graphwright.graphstore.exchange.checking import Placed, bad, made_edge, made_node, number, whole
from graphwright.graphstore.exchange.graphml_words import OWN, ROLES, TYPES
from graphwright.graphstore.names import MOST_TEXT, shown

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
        self._nodes: dict[str, tuple[str, str]] = {}
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
        node = made_node(place, label, roles.get("key", id), properties)
        self._nodes[id] = node.label, node.key
        self.ready.append((place, node))

    def _edge(self, found: _Open) -> None:
        place = self._place(found.line)
        roles, properties = self._values(found)
        type = roles.get("type") or found.attributes.get("label", "")
        if not type:
            raise bad(place, "the edge has no type", "Give edges data with the attr.name `type`.")
        ends = []
        for side in ("source", "target"):
            end = found.attributes.get(side, "")
            if end not in self._nodes:
                raise bad(place, f"the edge names a node {shown(end)}", "No node has this id.")
            ends.append(self._nodes[end])
        self.ready.append((place, made_edge(place, (*ends[0], *ends[1]), type, properties)))

    def _values(self, found: _Open) -> tuple[dict[str, Any], dict[str, Any]]:
        """What the data of an element says: its roles, and its properties."""
        roles: dict[str, Any] = {}
        properties: dict[str, Any] = {}
        defaults = {id: text for id, text in self._defaults.items() if self._keys[id].domain in (found.kind, "all")}
        for id, text in {**defaults, **found.data}.items():
            key = self._keys[id]
            value = self._value(found, key, text)
            if key.role in ROLES[found.kind]:
                roles[key.role] = value
            elif key.name in properties and id in defaults:
                continue
            elif key.name in properties and id in found.data:
                raise bad(self._place(found.line), f"{shown(key.name)} has two values", "Keep one of them.")
            else:
                properties[key.name] = value
        return roles, properties

    def _value(self, found: _Open, key: _Key, text: str) -> Any:
        try:
            return _VALUES[key.type](text)
        except (ValueError, KeyError, RecursionError):
            place = self._place(found.line)
            raise bad(place, f"{shown(text)} is no {key.type} for {shown(key.name)}", "Mend the value.") from None


_TRUTHS = {"true": True, "1": True, "false": False, "0": False}
_VALUES: Mapping[str, Callable[[str], Any]] = {
    "text": str,
    "boolean": lambda text: _TRUTHS[text.strip().lower()],
    "integer": whole,
    "float": number,
    "json": json.loads,
}
