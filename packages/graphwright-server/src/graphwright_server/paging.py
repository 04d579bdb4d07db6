"""Pages of a list: an opaque cursor marks where the next page begins."""

from __future__ import annotations

import base64
import binascii
import json
from collections.abc import Callable, Sequence
from typing import Annotated, Any, TypeVar

from fastapi import Query

from graphwright.errors import UsageError

__all__ = ["Limit"]

Limit = Annotated[int, Query(ge=1, le=200, description="How many items at most.")]
Cursor = Annotated[str, Query(max_length=1000, description="`next` of the page before.")]

T = TypeVar("T")


def encoded(place: Sequence[Any]) -> str:
    """Return the cursor of a position."""
    return base64.urlsafe_b64encode(json.dumps(list(place)).encode()).decode().rstrip("=")


def decoded(cursor: str, *types: type) -> tuple[Any, ...] | None:
    """Return the position of a cursor, or None if it is empty. Raises UsageError (`bad_cursor`)."""
    if not cursor:
        return None
    try:
        place = json.loads(base64.urlsafe_b64decode(cursor + "=" * (-len(cursor) % 4)))
        if [type(each) for each in place] == list(types):
            return tuple(place)
    except (ValueError, TypeError, binascii.Error):
        pass
    message = "The cursor does not belong to this list."
    raise UsageError("bad_cursor", message, "Send `next` of the previous page unchanged.")


def next_page(found: Sequence[T], limit: int, place: Callable[[T], Sequence[Any]]) -> str | None:
    """Return the cursor of the next page, or None if `found` has at most `limit` items."""
    return encoded(place(found[limit - 1])) if len(found) > limit else None
