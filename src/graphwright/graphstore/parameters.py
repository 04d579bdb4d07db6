"""The parameters of a Cypher query: what may travel to an engine, and that each one that is named is there."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from typing import Any

from graphwright.graphstore.errors import BadElement
from graphwright.graphstore.names import shown

MOST_BYTES = 16 * 1024 * 1024
"""Of all parameters of a query together, as JSON."""

MOST_NESTING = 32


def checked_parameters(parameters: Mapping[str, Any] | None) -> dict[str, Any]:
    """The parameters as plain JSON values. Raises BadElement (`bad_parameter`) for anything that JSON does not have."""
    checked = {_name(name): _checked(value, name, 0) for name, value in (parameters or {}).items()}
    if len(json.dumps(checked, ensure_ascii=False).encode()) > MOST_BYTES:
        raise BadElement("bad_parameter", "the parameters are larger than 16 MiB", "Do it in several steps.")
    return checked


def _name(name: Any) -> str:
    if isinstance(name, str) and name and _sound(name):
        return name
    raise BadElement("bad_parameter", f"{shown(name)} cannot be the name of a parameter", "Names are texts.")


def _checked(value: Any, name: str, depth: int) -> Any:
    if depth > MOST_NESTING:
        raise BadElement("bad_parameter", f"the parameter {shown(name)} is nested too deeply", "Give it flat.")
    match value:
        case None | bool():
            return value
        case int() if -(2**63) <= value < 2**63:
            return value
        case float() if math.isfinite(value):
            return value
        case str() if _sound(value):
            return value
        case list() | tuple():
            return [_checked(item, name, depth + 1) for item in value]
        case Mapping():
            return {_name(key): _checked(item, name, depth + 1) for key, item in value.items()}
    raise BadElement(
        "bad_parameter",
        f"the parameter {shown(name)} holds {shown(value)}",
        "Parameters are texts without NUL, finite numbers of 64 bits, true, false, null, lists and maps.",
    )


def _sound(text: str) -> bool:
    if "\0" in text:
        return False
    return text.isascii() or not any("\ud800" <= character <= "\udfff" for character in text)
