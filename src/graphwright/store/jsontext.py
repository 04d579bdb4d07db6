"""JSON values as the text that a database keeps, and the canonical text that a hash is taken of."""

from __future__ import annotations

import json
from typing import Any

from graphwright.store.errors import StoreError, damaged

_COMPACT = json.JSONEncoder(ensure_ascii=False, allow_nan=False, separators=(",", ":"))
_CANONICAL = json.JSONEncoder(ensure_ascii=False, allow_nan=False, separators=(",", ":"), sort_keys=True)


def storable(text: str) -> str:
    """The text with lone surrogates, which no encoding can hold, replaced by U+FFFD."""
    if text.isascii():
        return text
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def dump(value: Any, what: str) -> str:
    """Compact JSON text, keys in the given order.

    Raises `StoreError("not_json")`, which names `what`, for anything JSON does not have: NaN, dates, sets,
    cycles.
    """
    return _encode(_COMPACT, value, what)


def canonical(value: Any, what: str) -> str:
    """JSON text with sorted keys: equal values have equal texts. Raises as `dump` does."""
    return _encode(_CANONICAL, value, what)


def load(text: str) -> Any:
    """The value of a text that `dump` or `canonical` made. Raises `StoreError("corrupted")` where it is damaged."""
    try:
        return json.loads(text)
    except ValueError as error:
        raise damaged("a text in it that must be JSON is none") from error


def _encode(encoder: json.JSONEncoder, value: Any, what: str) -> str:
    try:
        return storable(encoder.encode(value))
    except (TypeError, ValueError, RecursionError) as error:
        raise StoreError(
            "not_json",
            f"{what} is not JSON: {error}.",
            "Keep only texts, finite numbers, true, false, null, lists and objects with text keys.",
        ) from error
