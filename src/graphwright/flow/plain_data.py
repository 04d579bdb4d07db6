"""Is it data that JSON can hold: depth, finite numbers, text keys, no loops."""

from __future__ import annotations

import math
import re
from typing import Any

from graphwright.flow.diagnostic_catalog import Code

MAX_DEPTH = 100
"""How deep mappings and lists may nest."""

MAX_VALUES = 1_000_000
"""How many values a document may hold, aliases written out."""

_SURROGATE = re.compile("[\ud800-\udfff]")
_ATOMS = (str, bool, type(None))


def plain_findings(data: Any, *, trusted_keys: bool = False) -> list[tuple[Code, tuple[str | int, ...], str, str]]:
    """What JSON cannot hold in `data`, as (code, path, message, hint); empty when it is plain data.

    Works level by level, so that data that contains itself ends at one of the limits.
    """
    found: list[tuple[Code, tuple[str | int, ...], str, str]] = []
    level: list[tuple[Any, Any]] = [(None, data)]
    depth = count = 0
    while level and len(found) < 100:
        depth += 1
        if depth > MAX_DEPTH:
            hint = "No flow needs that: does the data contain itself?"
            return [(Code.TOO_DEEP, _path(level[0][0]), f"Mappings and lists nest more than {MAX_DEPTH} deep.", hint)]
        below: list[tuple[Any, Any]] = []
        for way, value in level:
            count += len(value)
            if count > MAX_VALUES:
                hint = "Does the data contain itself?"
                return [(Code.ALIASES, _path(way), f"The document holds more than {MAX_VALUES:,} values.", hint)]
            named = isinstance(value, dict)
            for key, item in value.items() if named else enumerate(value):
                if named and not trusted_keys and not isinstance(key, str):
                    found.append((Code.KEY_NOT_TEXT, _path(way), f"The key {key!r} is not a text.", "Use text keys."))
                    continue
                problem = _problem(item)
                if problem is None:
                    below.append(((way, key), item))
                elif problem:
                    found.append(
                        (Code.NOT_JSON, _path((way, key)), problem, "Use text, numbers, lists, mappings, null.")
                    )
        level = below
    return found


def _path(way: Any) -> tuple[str | int, ...]:
    """The path that is kept as (way to the container, key): long ones would cost too much for every value."""
    steps: list[str | int] = []
    while way is not None:
        way, step = way
        steps.append(step)
    return tuple(reversed(steps))


def _problem(item: Any) -> str | None:
    """What is wrong with a value; empty when nothing is, None when it is a container to look into."""
    if item.__class__ is str or isinstance(item, str):
        if not item.isascii() and _SURROGATE.search(item):
            return "A text holds half of a surrogate pair, which is no character."
        return "A text holds the character NUL." if "\0" in item else ""
    if isinstance(item, _ATOMS):
        return ""
    if isinstance(item, int):
        return "" if item.bit_length() <= 1024 else "A number is too large."
    if isinstance(item, float):
        return "" if math.isfinite(item) else f"{item} is not a number that JSON can hold."
    if isinstance(item, (dict, list)):
        return None
    return f"A value of the type {type(item).__name__} is not data that JSON can hold."
