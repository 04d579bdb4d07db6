"""Nodes, edges, changes and schema of a property graph, and validation of names, keys and values."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Literal, TypeAlias, cast

from graphwright_graph._errors import BadElement

Scalar: TypeAlias = str | int | float | bool
Value: TypeAlias = Scalar | list[Scalar]
"""The possible values of a property. Null is not a value: a missing property is left out."""

KEY = "key"
"""The property that contains a node's key in every engine. It is not part of `Node.properties`."""


@dataclass(frozen=True, slots=True)
class Node:
    """A node: `label` and `key` are its identity and do not change."""

    label: str
    key: str
    properties: Mapping[str, Value] = field(default_factory=dict)

    @property
    def identity(self) -> tuple[str, ...]:
        return ("node", self.label, self.key)

    @property
    def name(self) -> str:
        """The node in messages: `Ticket T-1`."""
        return f"{self.label} {self.key}"

    def to_json(self) -> dict[str, Any]:
        return {"label": self.label, "key": self.key, "properties": dict(self.properties)}


@dataclass(frozen=True, slots=True)
class Edge:
    """A directed edge between two nodes; there is at most one edge of a type from one node to another."""

    from_label: str
    from_key: str
    type: str
    to_label: str
    to_key: str
    properties: Mapping[str, Value] = field(default_factory=dict)

    @property
    def identity(self) -> tuple[str, ...]:
        """What distinguishes the edge from all others: its ends and its type."""
        return ("edge", self.from_label, self.from_key, self.type, self.to_label, self.to_key)

    @property
    def ends(self) -> tuple[Node, Node]:
        """The two ends, each with label and key alone."""
        return Node(self.from_label, self.from_key), Node(self.to_label, self.to_key)

    @property
    def name(self) -> str:
        """The edge in messages: `User ann -[REPORTS]-> Ticket T-1`."""
        return f"{self.from_label} {self.from_key} -[{self.type}]-> {self.to_label} {self.to_key}"

    def to_json(self) -> dict[str, Any]:
        return {
            "from_label": self.from_label,
            "from_key": self.from_key,
            "type": self.type,
            "to_label": self.to_label,
            "to_key": self.to_key,
            "properties": dict(self.properties),
        }


Element: TypeAlias = Node | Edge


def element(data: Mapping[str, Any]) -> Element:
    """Make an element from its JSON form."""
    return Edge(**data) if "type" in data else Node(**data)


@dataclass(frozen=True, slots=True)
class Change:
    """One element before and after a change, or None if it does not exist. Both sides have the same identity."""

    before: Element | None
    after: Element | None

    @property
    def element(self) -> Element:
        """The present element, or the deleted one."""
        found = self.after or self.before
        assert found is not None
        return found

    @property
    def kind(self) -> Literal["created", "updated", "deleted"]:
        if self.before is None:
            return "created"
        return "deleted" if self.after is None else "updated"

    def reversed(self) -> Change:
        return Change(self.after, self.before)

    def to_json(self) -> dict[str, Any]:
        sides = {"before": self.before, "after": self.after}
        return {side: None if e is None else e.to_json() for side, e in sides.items()}

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Change:
        return cls(*(None if data[side] is None else element(data[side]) for side in ("before", "after")))


def net_changes(changes: Iterable[Change]) -> tuple[Change, ...]:
    """The net effect of consecutive changes: one change for each element, from its first state to its last.

    Elements whose first and last states are identical are left out.
    """
    found: dict[tuple[str, ...], Change] = {}
    for change in changes:
        first = found.get(change.element.identity)
        found[change.element.identity] = change if first is None else Change(first.before, change.after)
    return tuple(change for change in found.values() if not identical(change.before, change.after))


@dataclass(frozen=True, slots=True)
class Subgraph:
    """Nodes and the edges between them. `truncated`: there are more than the limit."""

    nodes: tuple[Node, ...] = ()
    edges: tuple[Edge, ...] = ()
    truncated: bool = False


@dataclass(frozen=True, slots=True)
class LabelSchema:
    """The nodes of a label: their number, and their properties with the types found (`text`, `number`, ...)."""

    label: str
    count: int
    properties: Mapping[str, tuple[str, ...]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class TypeSchema:
    """The edges of a type: their number, their properties, and the labels that they join as (from, to)."""

    type: str
    count: int
    properties: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    joins: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class Schema:
    """The structure of the graph, without its data. Labels and types are sorted."""

    labels: tuple[LabelSchema, ...] = ()
    types: tuple[TypeSchema, ...] = ()


def canonical_json(value: Any) -> str:
    """JSON text with sorted keys: equal values have equal texts, and 1, 1.0 and true have different ones."""
    return json.dumps(value, sort_keys=True, ensure_ascii=False, separators=(",", ":"), default=_plain)


def _plain(value: Any) -> Any:
    return value.to_json() if hasattr(value, "to_json") else dict(value)


def identical(one: Any, other: Any) -> bool:
    """Whether two values, JSON forms or states of an element are identical: 1, 1.0 and true are not."""
    return canonical_json(one) == canonical_json(other)


_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,63}\Z")

RESERVED = "_Graphwright"
"""The prefix of the labels that are reserved for the store."""

MOST_KEY = 1000
"""The maximum length of a node's key, in characters."""

MOST_TEXT = 4 * 1024 * 1024
"""The maximum size of a text value, in bytes of UTF-8."""

MOST_ITEMS = 10_000
"""The maximum number of items of a list value."""

MOST_PARAMETERS = 16 * 1024 * 1024
"""The maximum size of all parameters of a query together, in bytes of JSON."""

MOST_PROPERTIES = 1000


def checked_name(name: Any, what: str) -> str:
    """Check a label, a type or a property name (`what` says which); it needs no quotes in any engine."""
    if isinstance(name, str) and _NAME.match(name) and not name.startswith(RESERVED):
        return name
    code = f"bad_{what.replace(' ', '_')}"
    if isinstance(name, str) and name.startswith(RESERVED):
        raise BadElement(code, f"The {what} {quote(name)} is reserved.", f"Choose one without {RESERVED} in front.")
    raise BadElement(
        code,
        f"{quote(name)} cannot be a {what}.",
        "It begins with an English letter or _, continues with letters, digits and _, and has at most 64 of them.",
    )


def checked_key(key: Any) -> str:
    """Check the key of a node: a text of 1 to 1,000 characters without NUL and lone surrogates, not only blanks."""
    if not isinstance(key, str) or not key.strip() or len(key) > MOST_KEY or not _is_sound(key):
        hint = f"A key is a text of 1 to {MOST_KEY:,} characters, not only blanks, and without NUL."
        raise BadElement("bad_key", f"{quote(key)} cannot be the key of a node.", hint)
    return key


def checked_properties(properties: Any, *, removing: bool = False, of: str = "") -> dict[str, Value | None]:
    """Check the properties of an element. With `removing`, null removes a property; without, it is left out.

    `of` names the element in the error message.
    """
    try:
        return _checked_properties(properties, removing)
    except BadElement as error:
        raise (BadElement(error.code, f"{of}: {error.message}", error.hint) if of else error) from None


def checked_element(element: Element) -> Element:
    """Check every name, key and value of an element. Raises BadElement."""
    if isinstance(element, Node):
        pairs = [(element.label, element.key)]
    else:
        checked_name(element.type, "type")
        pairs = [(element.from_label, element.from_key), (element.to_label, element.to_key)]
    for label, key in pairs:
        checked_name(label, "label")
        checked_key(key)
    return replace(element, properties=cast(Any, checked_properties(element.properties)))


def _checked_properties(properties: Any, removing: bool) -> dict[str, Value | None]:
    if not isinstance(properties, Mapping) or len(properties) > MOST_PROPERTIES:
        message = f"{quote(properties)} cannot be the properties of an element."
        raise BadElement("bad_properties", message, f"Give an object of at most {MOST_PROPERTIES:,} names and values.")
    checked: dict[str, Value | None] = {}
    for name, value in properties.items():
        checked_name(name, "property name")
        if name == KEY:
            raise BadElement(
                "bad_property_name",
                "`key` is the identity of a node.",
                "A key never changes. Add a node with the new key and its edges, and delete the old one.",
            )
        if value is not None:
            checked[name] = checked_value(value, name)
        elif removing:
            checked[name] = None
    return checked


def checked_value(value: Any, name: str) -> Value:
    """Check a property's value: text, number, true or false, or a list of these that are all of one kind."""
    if isinstance(value, list | tuple):
        items = [_scalar(item, name) for item in value[: MOST_ITEMS + 1]]
        if len(items) > MOST_ITEMS or len({_kind(item) for item in items}) > 1:
            message = f"{name} has too many items, or items of different kinds."
            raise BadElement("bad_value", message, f"A list holds at most {MOST_ITEMS:,} of one kind.")
        return items
    return _scalar(value, name)


def _scalar(value: Any, name: str) -> str | int | float | bool:
    match value:
        case bool():
            return value
        case str() if _is_sound(value) and len(value.encode()) <= MOST_TEXT:
            return value
        case int() if -(2**63) <= value < 2**63:
            return value
        case float() if math.isfinite(value):
            # SQLite does not have -0.0.
            return value + 0.0
    raise BadElement(
        "bad_value",
        f"{name} cannot be {quote(value)}.",
        "A property is a text of at most 4 MiB without NUL, a finite number (whole ones have 64 bits), true or false, "
        "or a list of these of one kind.",
    )


def _kind(value: Any) -> str:
    if isinstance(value, bool):
        return "boolean"
    return "number" if isinstance(value, int | float) else "text"


def _is_sound(text: str) -> bool:
    """Whether a text has neither NUL nor half of a surrogate pair."""
    return "\0" not in text and (text.isascii() or not any("\ud800" <= each <= "\udfff" for each in text))


def quote(value: Any) -> str:
    """A value for a message: in backticks, without control characters, at most 60 characters."""
    text = value if isinstance(value, str) else repr(value)
    text = "".join(c if c.isprintable() else "\N{REPLACEMENT CHARACTER}" for c in text[:61])
    return f"`{text[:60]}...`" if len(text) > 60 else f"`{text}`"


def checked_parameters(parameters: Mapping[str, Any] | None) -> dict[str, Any]:
    """The parameters as plain JSON values. Raises BadElement (`bad_parameter`) for values that JSON does not have."""
    try:
        text = json.dumps(dict(parameters or {}), ensure_ascii=False, allow_nan=False, default=_plain)
        found: dict[str, Any] = json.loads(text, parse_int=_whole)
        if len(text.encode()) <= MOST_PARAMETERS and "\\u0000" not in text:
            return found
        why = "they are larger than 16 MiB, or hold NUL"
    except (TypeError, ValueError, RecursionError) as error:
        why = str(error)
    raise BadElement(
        "bad_parameter",
        f"The parameters cannot be used: {quote(why)}.",
        "Parameters are texts without NUL, finite numbers of 64 bits, true, false, null, lists and maps.",
    )


def _whole(digits: str) -> int:
    if not -(2**63) <= int(digits) < 2**63:
        raise ValueError(f"{digits[:20]} is beyond 64 bits")
    return int(digits)
