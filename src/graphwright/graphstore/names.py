"""What labels, types, keys, property names and values may be. Everything else is refused before an engine sees it."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from typing import Any

from graphwright.graphstore.elements import KEY, Value
from graphwright.graphstore.errors import BadElement

_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,63}\Z")

RESERVED = "_Graphwright"
"""How the labels begin that the store keeps for itself."""

MOST_KEY = 1000
"""Characters of a node's key."""

MOST_TEXT = 4 * 1024 * 1024
"""Bytes of a text value, as UTF-8."""

MOST_ITEMS = 10_000
"""Items of a list value."""

MOST_PROPERTIES = 1000


def checked_name(name: Any, what: str) -> str:
    """A label, a type or a property name (`what` says which); it needs no quoting in any engine."""
    if isinstance(name, str) and _NAME.match(name) and not name.startswith(RESERVED):
        return name
    code = f"bad_{what.replace(' ', '_')}"
    if isinstance(name, str) and name.startswith(RESERVED):
        raise BadElement(code, f"the {what} {shown(name)} is reserved", f"Choose one without {RESERVED} in front.")
    raise BadElement(
        code,
        f"{shown(name)} cannot be a {what}",
        "It begins with an English letter or _, goes on with letters, digits and _, and has at most 64 of them.",
    )


def checked_key(key: Any) -> str:
    """The key of a node: any text of 1 to 1,000 characters without NUL and lone surrogates, not only blanks."""
    if not isinstance(key, str):
        raise BadElement("bad_key", f"{shown(key)} cannot be the key of a node", "A key is a text.")
    if not key.strip() or len(key) > MOST_KEY or "\0" in key or not _encodable(key):
        raise BadElement(
            "bad_key",
            f"{shown(key)} cannot be the key of a node",
            f"A key has 1 to {MOST_KEY:,} characters, not only blanks, and no NUL.",
        )
    return key


def checked_properties(properties: Any, *, removing: bool = False) -> dict[str, Value | None]:
    """The properties of an element. With `removing`, null stands for "remove it"; without, it is left out."""
    if not isinstance(properties, Mapping):
        raise BadElement("bad_properties", f"{shown(properties)} is no object of properties", "Give names and values.")
    if len(properties) > MOST_PROPERTIES:
        raise BadElement("bad_properties", f"{len(properties):,} properties are too many", "At most 1,000 are taken.")
    checked: dict[str, Value | None] = {}
    for name, value in properties.items():
        checked_name(name, "property name")
        if name == KEY:
            raise BadElement("bad_property_name", "`key` is the identity of a node", "It cannot be set as a property.")
        if value is not None:
            checked[name] = checked_value(value, name)
        elif removing:
            checked[name] = None
    return checked


def checked_value(value: Any, name: str) -> Value:
    """A property's value: text, number, true or false, or a list of these that are all of one kind."""
    if isinstance(value, list | tuple):
        if len(value) > MOST_ITEMS:
            raise BadElement("bad_value", f"{name} has {len(value):,} items", f"At most {MOST_ITEMS:,} are taken.")
        items = [_scalar(item, name) for item in value]
        if len({_kind(item) for item in items}) > 1:
            raise BadElement("bad_value", f"the items of {name} are of different kinds", "A list holds one kind.")
        return items
    return _scalar(value, name)


def _scalar(value: Any, name: str) -> str | int | float | bool:
    match value:
        case bool():
            return value
        case str():
            if "\0" in value or not _encodable(value):
                raise BadElement("bad_value", f"{name} holds NUL or half a character", "Take it out.")
            if len(value.encode()) > MOST_TEXT:
                raise BadElement(
                    "bad_value", f"{name} is longer than 4 MiB", "Keep the text elsewhere, and its place here."
                )
            return value
        case int():
            if not -(2**63) <= value < 2**63:
                raise BadElement("bad_value", f"{name} is too large for a whole number", "Give it as a text.")
            return value
        case float():
            if not math.isfinite(value):
                raise BadElement("bad_value", f"{name} is not a finite number", "Leave it out, or give a text.")
            # There is no -0.0 in SQLite.
            return value + 0.0
    raise BadElement(
        "bad_value",
        f"{name} cannot be {shown(value)}",
        "A property is a text, a number, true or false, or a list of these.",
    )


def _kind(value: Any) -> str:
    if isinstance(value, bool):
        return "boolean"
    return "number" if isinstance(value, int | float) else "text"


def _encodable(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def shown(value: Any) -> str:
    """A value as a message may show it: quoted, without control characters, at most 60 characters."""
    text = value if isinstance(value, str) else repr(value)
    text = "".join(c if c.isprintable() else "\N{REPLACEMENT CHARACTER}" for c in text[:61])
    return f"`{text[:60]}...`" if len(text) > 60 else f"`{text}`"
