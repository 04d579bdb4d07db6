"""What a file says about an element, checked as any other, and told with its place."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any, TypeAlias

from graphwright.flow.names import Names
from graphwright.graphstore.elements import Edge, Element, Node
from graphwright.graphstore.errors import BadElement
from graphwright.graphstore.names import checked_key, checked_name, checked_properties, shown

_WHOLE = re.compile(r"[+-]?[0-9]{1,19}")

Placed: TypeAlias = tuple[str, Element]
"""An element, after the place where it stands: the file with line or element."""

NODE_FIELDS = ("label", "key")
EDGE_FIELDS = ("from_label", "from_key", "type", "to_label", "to_key")


def bad(place: str, message: str, hint: str = "") -> BadElement:
    """The error for something in a file; `place` is the file with line or element."""
    return BadElement("bad_file", f"{place}: {message}", hint)


@contextmanager
def placed(place: str) -> Iterator[None]:
    """Inside, a name or value that no graph takes is told with its place."""
    try:
        yield
    except BadElement as error:
        raise bad(place, error.message, error.hint) from None


def made_node(place: str, label: Any, key: Any, properties: Any) -> Node:
    with placed(place):
        return Node(checked_name(label, "label"), checked_key(key), _properties(properties))


def made_edge(place: str, ends: tuple[Any, Any, Any, Any], type: Any, properties: Any) -> Edge:
    """An edge; `ends` are label and key of its begin, label and key of its end."""
    with placed(place):
        from_label, to_label = checked_name(ends[0], "label"), checked_name(ends[2], "label")
        type, properties = checked_name(type, "type"), _properties(properties)
        return Edge(from_label, checked_key(ends[1]), type, to_label, checked_key(ends[3]), properties)


def made(place: str, data: Any, *, edge: bool) -> Element:
    """An element from its JSON form; `properties` may be left out."""
    if not isinstance(data, dict):
        raise bad(place, f"{shown(data)} is no element", "Each is an object such as {label, key, properties}.")
    fields = EDGE_FIELDS if edge else NODE_FIELDS
    known = (*fields, "properties")
    for name in data:
        if name not in known:
            what = "an edge" if edge else "a node"
            hint = Names(known).hint(name, f"It has {', '.join(known)}.")
            raise bad(place, f"{what} has no field {shown(name)}", hint)
    for name in fields:
        if name not in data:
            raise bad(place, f"the field `{name}` is missing", f"Needed are {', '.join(fields)}.")
    properties = data.get("properties", {})
    if edge:
        ends = (data["from_label"], data["from_key"], data["to_label"], data["to_key"])
        return made_edge(place, ends, data["type"], properties)
    return made_node(place, data["label"], data["key"], properties)


def whole(text: str) -> int:
    """A whole number as people and programs write it. Raises ValueError."""
    if not _WHOLE.fullmatch(text.strip()):
        raise ValueError
    return int(text)


def number(text: str) -> float:
    """A number. Raises ValueError."""
    if "_" in text:
        raise ValueError
    return float(text)


def _properties(properties: Any) -> Mapping[str, Any]:
    return {name: value for name, value in checked_properties(properties).items() if value is not None}
