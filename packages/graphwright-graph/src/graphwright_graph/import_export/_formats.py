"""Graph files as JSON, JSON Lines, CSV and GraphML, and their common parts: checked elements with places, a spool."""

from __future__ import annotations

import csv
import json
import re
import tempfile
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any, TextIO, TypeAlias
from xml.etree import ElementTree as ET
from xml.parsers import expat

from graphwright_graph._elements import (
    MOST_TEXT,
    Edge,
    Element,
    Node,
    Value,
    checked_element,
    checked_name,
    element,
    quote,
)
from graphwright_graph._errors import BadElement

_WHOLE = re.compile(r"[+-]?[0-9]{1,19}")

Located: TypeAlias = tuple[str, Element]
"""An element, after its place in a file: the path, with a line or the number of the element."""

NODE_FIELDS = ("label", "key")
EDGE_FIELDS = ("from_label", "from_key", "type", "to_label", "to_key")


def file_error(place: str, message: str, hint: str = "") -> BadElement:
    """The error for an entry in a file; `place` is as in `Located`."""
    return BadElement("bad_file", f"{place}: {message}", hint)


@contextmanager
def locating_errors(place: str) -> Iterator[None]:
    """Add the place to errors about names and values that are raised inside."""
    try:
        yield
    except BadElement as error:
        raise file_error(place, error.message, error.hint) from None


def checked_at(place: str, identity: Mapping[str, Any], properties: Any) -> Element:
    """An element from its identity fields: an edge if they have a `type`, otherwise a node. Raises BadElement."""
    with locating_errors(place):
        return checked_element(element({**identity, "properties": properties}))


_TRUTHS = {"true": True, "1": True, "false": False, "0": False}

VALUE_TYPES: Mapping[str, Callable[[str], Any]] = {
    "text": str,
    "integer": lambda text: _whole(text),
    "float": lambda text: _number(text),
    "boolean": lambda text: _TRUTHS[text.strip().lower()],
    "json": json.loads,
}
"""The reader of a value written as text, by its type."""


def read_value(place: str, where: str, type: str, text: str) -> Any:
    """A value of one of the types of `VALUE_TYPES`; `where` names its container. Raises BadElement."""
    try:
        return VALUE_TYPES[type](text)
    except (ValueError, KeyError, RecursionError):
        raise file_error(place, f"{quote(text)} {where} is not of the type {type}.", "Correct the value.") from None


def written_value(value: Value) -> tuple[str, str]:
    """The type of a value, and its text."""
    match value:
        case bool():
            return "boolean", "true" if value else "false"
        case int():
            return "integer", repr(value)
        case float():
            return "float", repr(value)
        case str():
            return "text", value
    return "json", json.dumps(value)


def _whole(text: str) -> int:
    """A whole number as people and programs write it. Raises ValueError."""
    if not _WHOLE.fullmatch(text.strip()):
        raise ValueError
    return int(text)


def _number(text: str) -> float:
    if "_" in text:
        raise ValueError
    return float(text)


_IN_MEMORY = 16 * 1024 * 1024


class Spool:
    """A queue of elements that may be larger than memory; it can be iterated several times."""

    def __init__(self) -> None:
        self._file = tempfile.SpooledTemporaryFile(_IN_MEMORY)  # noqa: SIM115 (closed by __exit__)

    def add(self, one: Element) -> None:
        self._file.write(json.dumps(one.to_json()).encode() + b"\n")

    def __iter__(self) -> Iterator[Element]:
        self._file.seek(0)
        for line in self._file:
            yield element(json.loads(line))

    def __enter__(self) -> Spool:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._file.close()


_PARTS = {"nodes": False, "edges": True}
_SHAPE = 'It is {"nodes": [...], "edges": [...]}.'


def _from_json(place: str, data: Any, *, edge: bool) -> Element:
    """An element from its JSON form; `properties` is optional."""
    fields = EDGE_FIELDS if edge else NODE_FIELDS
    _check_names(place, data)
    if not isinstance(data, dict) or not {*fields} <= data.keys() <= {*fields, "properties"}:
        message = f"{quote(data)} is not {'an edge' if edge else 'a node'}."
        raise file_error(place, message, f"It has the fields {', '.join(fields)}, and it may have properties.")
    properties = data.get("properties", {})
    _check_names(place, properties)
    return checked_at(place, {name: data[name] for name in fields}, properties)


class _Repeating(dict[str, Any]):
    """The duplicate names of a JSON object, in place of the object: its place is known only when it is read."""


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    data = dict(pairs)
    if len(data) == len(pairs):
        return data
    counts = Counter(name for name, _ in pairs)
    return _Repeating((name, data[name]) for name, count in counts.items() if count > 1)


def _check_names(place: str, data: Any) -> None:
    """Reject an object in which a name occurs twice, because it is ambiguous."""
    if isinstance(data, _Repeating):
        raise file_error(place, f"The name {quote(next(iter(data)))} occurs twice in one object.", "Keep one of them.")


def _parsed(path: Path, text: str, line: int = 0) -> Any:
    """The value of a JSON text: a whole file, or one line of it."""
    try:
        return json.loads(text, object_pairs_hook=_object)
    except (ValueError, RecursionError) as error:
        line = line or getattr(error, "lineno", 0)
        place = f"{path}, line {line:,}" if line else str(path)
        why = f"This is not JSON ({getattr(error, 'msg', error)})."
        raise file_error(place, why, "Correct it, or export it again.") from None


def read_json(path: Path) -> Iterator[Located]:
    """The elements of a document, which is read as a whole."""
    data = _parsed(path, path.read_text("utf-8-sig"))
    _check_names(str(path), data)
    if not isinstance(data, dict):
        raise file_error(str(path), f"{quote(data)} is not a graph.", _SHAPE)
    for name, elements in data.items():
        if name not in _PARTS or not isinstance(elements, list):
            what = f"`{name}` is not a list." if name in _PARTS else f"{quote(name)} does not belong here."
            raise file_error(str(path), what, _SHAPE)
        for number, each in enumerate(elements, 1):
            place = f"{path}, {name.removesuffix('s')} {number:,}"
            yield place, _from_json(place, each, edge=_PARTS[name])


def read_lines(path: Path) -> Iterator[Located]:
    """The elements of a file with one on each line; one with `type` is an edge."""
    with path.open(encoding="utf-8-sig") as file:
        for number, line in enumerate(file, 1):
            if line.strip():
                data = _parsed(path, line, number)
                place = f"{path}, line {number:,}"
                yield place, _from_json(place, data, edge=isinstance(data, dict) and "type" in data)


def write_lines(files: Sequence[TextIO], elements: Iterable[Element]) -> None:
    """Write one element on each line."""
    for each in elements:
        files[0].write(json.dumps(each.to_json(), ensure_ascii=False) + "\n")


def write_json(files: Sequence[TextIO], elements: Iterable[Element]) -> None:
    """Write one document with one element on each line; nodes come first."""
    file = files[0]
    file.write('{"nodes": [')
    between, edges = "\n", False
    for each in elements:
        if isinstance(each, Edge) and not edges:
            file.write('\n],\n"edges": [')
            between, edges = "\n", True
        file.write(between + json.dumps(each.to_json(), ensure_ascii=False))
        between = ",\n"
    file.write("\n]}\n" if edges else '\n],\n"edges": []}\n')


_QUOTED = "Cells with separators, quotes or line ends are enclosed in double quotes."

Column: TypeAlias = tuple[str, str]
"""The name of a property and the type of its cells."""


def read_table(path: Path) -> Iterator[Located]:
    """The rows of a table: of edges if its header has `from_key` and no `key`, otherwise of nodes."""
    # A cell may be as long as a value; the limit is global for the program, so it is only raised.
    csv.field_size_limit(max(csv.field_size_limit(), 16 * MOST_TEXT))
    with path.open(encoding="utf-8-sig", newline="") as file:
        # Spreadsheets also separate columns by semicolons or tabs.
        separator = max(",;\t", key=file.readline().count)
        file.seek(0)
        rows = csv.reader(file, strict=True, delimiter=separator)
        try:
            header = next(rows, None)
            if header is None:
                raise file_error(str(path), "The file is empty.", "Its first line names the columns: label,key,...")
            place = f"{path}, line 1"
            # `key` is not the name of a property, and `from_key` may be one of a node.
            edge = "from_key" in header and "key" not in header
            fields = EDGE_FIELDS if edge else NODE_FIELDS
            columns = _columns(place, header, fields)
            if any(header.count(field) != 1 for field in fields):
                raise file_error(place, f"It needs each of the columns {', '.join(fields)} once.", "Name them.")
            at = [header.index(field) for field in fields]
            for row in rows:
                if row:
                    place = f"{path}, line {rows.line_num:,}"
                    if len(row) != len(header):
                        raise file_error(
                            place, f"There are {len(row)} cells in a table of {len(header)} columns.", _QUOTED
                        )
                    identity = dict(zip(fields, (row[each] for each in at), strict=True))
                    yield place, checked_at(place, identity, _properties(place, row, columns))
        except csv.Error as error:
            raise file_error(f"{path}, line {rows.line_num:,}", f"This is not CSV ({error}).", _QUOTED) from None


def _columns(place: str, header: Sequence[str], fields: Sequence[str]) -> dict[int, Column]:
    """The columns that contain properties, by index. A property may have several columns, of different types."""
    columns: dict[int, Column] = {}
    for at, title in enumerate(header):
        if title in fields:
            continue
        name, colon, type = title.partition(":")
        column = (name, type if colon else "text")
        if column[1] not in VALUE_TYPES or column in columns.values():
            hint = f"Types are {', '.join(VALUE_TYPES)}; without one it holds texts."
            raise file_error(place, f"The column {quote(title)} occurs twice, or its type is not known.", hint)
        with locating_errors(place):
            checked_name(name, "property name")
        columns[at] = column
    return columns


def _properties(place: str, row: Sequence[str], columns: Mapping[int, Column]) -> dict[str, Any]:
    properties: dict[str, Any] = {}
    for at, (name, type) in columns.items():
        cell = row[at]
        if not cell:
            continue
        if name in properties:
            raise file_error(place, f"`{name}` has two values.", "Only one of its columns is filled.")
        properties[name] = read_value(place, f"in the column `{name}:{type}`", type, cell)
    return properties


def write_tables(files: Sequence[TextIO], elements: Iterable[Element]) -> None:
    """Write a table of nodes and one of edges. The columns are known only after all elements."""
    with Spool() as spool:
        columns: tuple[dict[Column, None], dict[Column, None]] = ({}, {})
        for each in elements:
            columns[isinstance(each, Edge)].update(dict.fromkeys(_cells(each)))
            spool.add(each)
        sorted_columns = [sorted(each) for each in columns]
        writers = [csv.writer(file) for file in files]
        for writer, fields, titles in zip(writers, (NODE_FIELDS, EDGE_FIELDS), sorted_columns, strict=True):
            writer.writerow([*fields, *(_title(column, fields) for column in titles)])
        for each in spool:
            edge = isinstance(each, Edge)
            cells = _cells(each)
            writers[edge].writerow([*each.identity[1:], *(cells.get(column, "") for column in sorted_columns[edge])])


def _title(column: Column, fields: Sequence[str]) -> str:
    name, type = column
    return name if type == "text" and name not in fields else f"{name}:{type}"


def _cells(of: Element) -> dict[Column, str]:
    """The properties of an element as cells, by their columns."""
    cells: dict[Column, str] = {}
    for name, value in of.properties.items():
        # An empty text would be the same as no value.
        type, text = written_value(value) if value != "" else ("json", '""')
        cells[name, type] = text
    return cells


# GraphML, for Gephi, yEd, networkx and others

_NAMESPACE = "http://graphml.graphdrawing.org/xmlns"

_OWN = "urn:graphwright:graphml"
"""The namespace of two attributes of `<key>`.

`role`: the data is a label, a key or a type, not a property. `type` is `json` if the text is JSON: for lists, and texts
with characters that XML cannot hold.
"""

_ROLES = {"node": ("label", "key"), "edge": ("type",)}
"""The roles that the data of an element can have; in files of other programs, data with that name has the role."""

_TYPES = {
    "string": "text",
    "boolean": "boolean",
    "int": "integer",
    "long": "integer",
    "float": "float",
    "double": "float",
}
"""The type of a value as in `VALUE_TYPES`, by `attr.type`."""


@dataclass(frozen=True, slots=True)
class _Key:
    """The declaration of a `<key>`: its domain of elements, the name, type and default of the data, and its role."""

    domain: str
    name: str
    type: str
    role: str
    default: str | None


class _Builder(ET.TreeBuilder):
    """Builds the tree of a document without a type, because entities could make a small file a large one."""

    def doctype(self, *_: Any) -> None:
        raise _Doctype


class _Doctype(Exception):
    pass


def read_graphml(path: Path) -> Iterator[Located]:
    """The nodes, then the edges of a GraphML file, which is read as a whole.

    A node needs data named `label`; its key is the data named `key`, or its id. An edge needs data named `type`.
    """
    try:
        root = ET.parse(path, ET.XMLParser(target=_Builder())).getroot()
    except _Doctype:
        raise file_error(str(path), "Document types and entities are not read.", "Remove the <!DOCTYPE ...>.") from None
    except ET.ParseError as error:
        place = f"{path}, line {error.position[0]:,}"
        raise file_error(place, f"This is not XML ({expat.ErrorString(error.code)}).", "Export it again.") from None
    if _tag(root) != "graphml":
        raise file_error(
            str(path), f"A document that begins with {quote(_tag(root))} is not GraphML.", "Export it again."
        )
    return _GraphmlReader(path, root).elements()


class _GraphmlReader:
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
        type, own, role = key.get("attr.type", "string"), key.get(f"{{{_OWN}}}type"), key.get(f"{{{_OWN}}}role", "")
        if type not in _TYPES:
            place = f"{self._path}, key {quote(id)}"
            raise file_error(place, f"The type {quote(type)} is not known.", f"Types are {', '.join(_TYPES)}.")
        kinds = [domain] if domain in _ROLES else list(_ROLES)
        if not role and own is None and any(name in _ROLES[kind] for kind in kinds):
            role = name
        default = next((child.text or "" for child in key if _tag(child) == "default"), None)
        return id, _Key(domain, name, "json" if own == "json" else _TYPES[type], role, default)

    def _check(self, element: ET.Element, place: str) -> None:
        """Reject elements that a property graph cannot hold."""
        undirected = element.get("edgedefault") == "undirected" or element.get("directed") == "false"
        nested = _tag(element) != "graph" and any(_tag(child) == "graph" for child in element)
        if undirected or nested or _tag(element) == "hyperedge":
            raise file_error(
                place, "Undirected, nested and hypergraphs are not read.", "Export a flat graph of directed edges."
            )

    def _node(self, element: ET.Element) -> Located:
        id = element.get("id", "")
        place = f"{self._path}, node {quote(id)}"
        self._check(element, place)
        roles, properties = self._xml_values(element, "node", place)
        label = roles.get("label") or element.get("labels", "").strip(":")
        if not label:
            raise file_error(place, "The node has no label.", "Give nodes data with the attr.name `label`.")
        if id in self._nodes:
            raise file_error(place, "Its id occurs twice.", "Ids are unique.")
        node = checked_at(place, {"label": label, "key": roles.get("key", id)}, properties)
        self._nodes[id] = node.identity[1:]
        return place, node

    def _edge(self, element: ET.Element, place: str) -> Located:
        self._check(element, place)
        roles, properties = self._xml_values(element, "edge", place)
        type = roles.get("type") or element.get("label", "")
        if not type:
            raise file_error(place, "The edge has no type.", "Give edges data with the attr.name `type`.")
        ends = [element.get(side, "") for side in ("source", "target")]
        for end in ends:
            if end not in self._nodes:
                raise file_error(place, f"The edge names a node {quote(end)}.", "No node has this id.")
        identity = (*self._nodes[ends[0]], type, *self._nodes[ends[1]])
        return place, checked_at(place, dict(zip(EDGE_FIELDS, identity, strict=True)), properties)

    def _xml_values(self, element: ET.Element, kind: str, place: str) -> tuple[dict[str, Any], dict[str, Any]]:
        """The data of an element: its roles, and its properties."""
        declared = self._keys.items()
        texts = {id: key.default for id, key in declared if key.default is not None and key.domain in (kind, "all")}
        defaults = frozenset(texts)
        for data in (child for child in element if _tag(child) == "data"):
            id = data.get("key", "")
            if id not in self._keys:
                raise file_error(place, f"Data refers to the key {quote(id)}.", "No <key> has this id.")
            # Other programs store their drawings in data without a name.
            if self._keys[id].name:
                texts[id] = data.text or ""
        roles: dict[str, Any] = {}
        properties: dict[str, Any] = {}
        for id, text in texts.items():
            key = self._keys[id]
            value = read_value(place, f"for {quote(key.name)}", key.type, text)
            if key.role in _ROLES[kind]:
                roles[key.role] = value
            elif key.name not in properties:
                properties[key.name] = value
            elif id not in defaults:
                raise file_error(place, f"{quote(key.name)} has two values.", "Keep one of them.")
        return roles, properties


def _tag(element: ET.Element) -> str:
    """The name of an element without its namespace."""
    return element.tag.rpartition("}")[2]


_XmlKey: TypeAlias = tuple[str, str, str, str]
"""The element it is for, `role` or an empty text, the name, and the type: string, boolean, long, double or json."""

# Characters that XML 1.0 cannot hold, not even escaped.
_UNWRITABLE = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_XML_TYPES = {"integer": "long", "float": "double", "text": "string"}
_ESCAPES = str.maketrans({"&": "&amp;", "<": "&lt;", ">": "&gt;", "\r": "&#13;"})


def write_graphml(files: Sequence[TextIO], elements: Iterable[Element]) -> None:
    """Write one document. Its keys come first, and are known only after all elements."""
    file = files[0]
    with Spool() as spool:
        keys: dict[_XmlKey, None] = {}
        for element in elements:
            keys.update((key, None) for key, _ in _xml_data(element))
            spool.add(element)
        file.write('<?xml version="1.0" encoding="UTF-8"?>\n')
        file.write(f'<graphml xmlns="{_NAMESPACE}" xmlns:gw="{_OWN}">\n')
        names = {}
        for key in sorted(keys):
            kind, role, name, type = key
            names[key] = "-".join(part for part in (kind, role and "is", name, type) if part)
            own = f' gw:role="{role}"' if role else ""
            own += f' gw:type="{"json" if type == "json" else "plain"}"'
            written = "string" if type == "json" else type
            file.write(f'<key id="{names[key]}" for="{kind}" attr.name="{name}" attr.type="{written}"{own}/>\n')
        file.write('<graph edgedefault="directed">\n')
        ids: dict[tuple[str, ...], str] = {}
        for element in spool:
            texts = ((names[key], text.translate(_ESCAPES)) for key, text in _xml_data(element))
            data = "".join(f'<data key="{name}">{text}</data>' for name, text in texts)
            if isinstance(element, Node):
                id = ids[element.identity] = f"n{len(ids)}"
                file.write(f'<node id="{id}">{data}</node>\n')
            else:
                source, target = (ids[end.identity] for end in element.ends)
                file.write(f'<edge source="{source}" target="{target}">{data}</edge>\n')
        file.write("</graph>\n</graphml>\n")


def _xml_data(element: Element) -> Iterator[tuple[_XmlKey, str]]:
    kind = "node" if isinstance(element, Node) else "edge"
    for name, value in element.properties.items():
        yield _xml_value(kind, "", name, value)
    # Programs that do not use roles keep the last of several data with one name.
    if isinstance(element, Node):
        yield _xml_value(kind, "label", "label", element.label)
        yield _xml_value(kind, "key", "key", element.key)
    else:
        yield _xml_value(kind, "type", "type", element.type)


def _xml_value(kind: str, role: str, name: str, value: Value) -> tuple[_XmlKey, str]:
    type, text = written_value(value)
    if type == "text" and _UNWRITABLE.search(text):
        # Escaped, so that no character remains that XML cannot hold.
        type, text = "json", json.dumps(text)
    return (kind, role, name, _XML_TYPES.get(type, type)), text
