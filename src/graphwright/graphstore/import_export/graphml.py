"""GraphML, for Gephi, yEd, networkx and others: read as other programs write it, and written without loss."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TextIO, TypeAlias
from xml.etree import ElementTree as ET
from xml.parsers import expat

from graphwright.graphstore.elements import Edge, Element, Node, Value, quote
from graphwright.graphstore.errors import BadElement
from graphwright.graphstore.import_export.formats import (
    EDGE_FIELDS,
    Located,
    Spool,
    checked_at,
    file_error,
    read_value,
    written_value,
)

NAMESPACE = "http://graphml.graphdrawing.org/xmlns"

OWN = "urn:graphwright:graphml"
"""The namespace of two attributes of `<key>`: `role` (the data is a label, a key or a type, no property) and `type`
(`json` where the text is JSON: for lists, and texts with characters that XML cannot hold)."""

ROLES = {"node": ("label", "key"), "edge": ("type",)}
"""By element, the roles that its data can have; in files of other programs, data with that name has the role."""

TYPES = {
    "string": "text",
    "boolean": "boolean",
    "int": "integer",
    "long": "integer",
    "float": "float",
    "double": "float",
}
"""By `attr.type`, the type of the value as in `VALUE_TYPES`."""


@dataclass(frozen=True, slots=True)
class _Key:
    """What a `<key>` declares: which elements it is for, name, type and default of the data, and its role if any."""

    domain: str
    name: str
    type: str
    role: str
    default: str | None


class _Builder(ET.TreeBuilder):
    """Builds the tree of a document without a type: entities could make a small file a large one."""

    def doctype(self, *_: Any) -> None:
        raise _Doctype


class _Doctype(Exception):
    pass


def read(path: Path) -> Iterator[Located]:
    """The nodes, then the edges of a GraphML file, which is read whole.

    A node needs data called `label`, its key is data called `key`, else its id; an edge needs data called `type`.
    """
    try:
        root = ET.parse(path, ET.XMLParser(target=_Builder())).getroot()
    except _Doctype:
        raise file_error(
            str(path), "document types and entities are not read", "Take the <!DOCTYPE ...> out."
        ) from None
    except ET.ParseError as error:
        place = f"{path}, line {error.position[0]:,}"
        raise file_error(place, f"this is not XML ({expat.ErrorString(error.code)})", "Export it again.") from None
    if _tag(root) != "graphml":
        raise file_error(
            str(path), f"a document that begins with {quote(_tag(root))} is not GraphML", "Export it again."
        )
    return _Reader(path, root).elements()


class _Reader:
    def __init__(self, path: Path, root: ET.Element) -> None:
        self._path = path
        self._keys = dict(self._declared(key) for key in root if _tag(key) == "key")
        self._graphs = [child for child in root if _tag(child) == "graph"]
        self._nodes: dict[str, tuple[str, ...]] = {}

    def elements(self) -> Iterator[Located]:
        for graph in self._graphs:
            self._check(graph, str(self._path))
            yield from (self._node(child) for child in graph if _tag(child) == "node")
        edges = (child for graph in self._graphs for child in graph if _tag(child) in ("edge", "hyperedge"))
        for number, edge in enumerate(edges, 1):
            yield self._edge(edge, f"{self._path}, edge {number:,}")

    def _declared(self, key: ET.Element) -> tuple[str, _Key]:
        id, domain, name = (key.get(each, "") for each in ("id", "for", "attr.name"))
        type, own, role = key.get("attr.type", "string"), key.get(f"{{{OWN}}}type"), key.get(f"{{{OWN}}}role", "")
        if type not in TYPES:
            place = f"{self._path}, key {quote(id)}"
            raise file_error(place, f"the type {quote(type)} is not known", f"Types are {', '.join(TYPES)}.")
        kinds = [domain] if domain in ROLES else list(ROLES)
        if not role and own is None and any(name in ROLES[kind] for kind in kinds):
            role = name
        default = next((child.text or "" for child in key if _tag(child) == "default"), None)
        return id, _Key(domain, name, "json" if own == "json" else TYPES[type], role, default)

    def _check(self, element: ET.Element, place: str) -> None:
        """Refuse what a property graph cannot hold."""
        if element.get("edgedefault") == "undirected" or element.get("directed") == "false":
            raise file_error(place, "edges have a direction here", "Export the graph as a directed one.")
        if _tag(element) == "hyperedge":
            raise file_error(place, "edges join two nodes here", "Make a node of the hyperedge.")
        if _tag(element) != "graph" and any(_tag(child) == "graph" for child in element):
            raise file_error(place, "a graph is nested in a node", "Graphs in graphs are not read: flatten it.")

    def _node(self, element: ET.Element) -> Located:
        id = element.get("id", "")
        place = f"{self._path}, node {quote(id)}"
        self._check(element, place)
        roles, properties = self._values(element, "node", place)
        label = roles.get("label") or element.get("labels", "").strip(":")
        if not label:
            raise file_error(place, "the node has no label", "Give nodes data with the attr.name `label`.")
        if id in self._nodes:
            raise file_error(place, "its id occurs twice", "Ids are unique.")
        node = checked_at(place, {"label": label, "key": roles.get("key", id)}, properties)
        self._nodes[id] = node.identity[1:]
        return place, node

    def _edge(self, element: ET.Element, place: str) -> Located:
        self._check(element, place)
        roles, properties = self._values(element, "edge", place)
        type = roles.get("type") or element.get("label", "")
        if not type:
            raise file_error(place, "the edge has no type", "Give edges data with the attr.name `type`.")
        ends = [element.get(side, "") for side in ("source", "target")]
        for end in ends:
            if end not in self._nodes:
                raise file_error(place, f"the edge names a node {quote(end)}", "No node has this id.")
        identity = (*self._nodes[ends[0]], type, *self._nodes[ends[1]])
        return place, checked_at(place, dict(zip(EDGE_FIELDS, identity, strict=True)), properties)

    def _values(self, element: ET.Element, kind: str, place: str) -> tuple[dict[str, Any], dict[str, Any]]:
        """The data of an element: its roles, and its properties."""
        texts = {
            id: key.default for id, key in self._keys.items() if key.default is not None and key.domain in (kind, "all")
        }
        defaults = frozenset(texts)
        for data in (child for child in element if _tag(child) == "data"):
            id = data.get("key", "")
            if id not in self._keys:
                raise file_error(place, f"data refers to the key {quote(id)}", "No <key> has this id.")
            # Other programs keep their drawings in data without a name.
            if self._keys[id].name:
                texts[id] = data.text or ""
        roles: dict[str, Any] = {}
        properties: dict[str, Any] = {}
        for id, text in texts.items():
            key = self._keys[id]
            value = read_value(place, f"for {quote(key.name)}", key.type, text)
            if key.role in ROLES[kind]:
                roles[key.role] = value
            elif key.name not in properties:
                properties[key.name] = value
            elif id not in defaults:
                raise file_error(place, f"{quote(key.name)} has two values", "Keep one of them.")
        return roles, properties


def _tag(element: ET.Element) -> str:
    """The name of an element without its namespace."""
    return element.tag.rpartition("}")[2]


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
