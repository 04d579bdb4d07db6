"""JSON text of whatever the store holds: as it travels, and as it is compared and hashed."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any


def compact(value: Any) -> str:
    """JSON text without blanks. Raises TypeError, ValueError and RecursionError for what is no JSON."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"), default=_plain)


def canonical(value: Any) -> str:
    """JSON text with sorted keys: what is equal has equal texts, and 1, 1.0 and true have not. Raises as `compact`."""
    return json.dumps(value, sort_keys=True, ensure_ascii=False, separators=(",", ":"), default=_plain)


def same(one: Any, other: Any) -> bool:
    """Whether two property values or JSON forms are the same to the letter: 1, 1.0 and true are not."""
    return canonical(one) == canonical(other)


def _plain(value: Any) -> Any:
    if isinstance(value, Mapping):
        return dict(value)
    raise TypeError(f"{type(value).__name__} is not JSON")
