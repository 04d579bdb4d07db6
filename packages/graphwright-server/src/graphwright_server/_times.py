"""Times in requests."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Annotated

from fastapi import Query

from graphwright.errors import UsageError

Time = Annotated[str, Query(max_length=40, description="ISO 8601, in UTC unless it has a zone; empty for any time.")]


def utc_text(text: str) -> str:
    """Return a time as the stores write it; empty if the text is empty. Raises UsageError (`bad_time`)."""
    if not text:
        return ""
    try:
        moment = datetime.fromisoformat(text)
        moment = moment.replace(tzinfo=moment.tzinfo or UTC).astimezone(UTC)
    except (ValueError, OverflowError):
        raise UsageError("bad_time", f"{text!r} is not a time.", "Such as 2026-11-24T15:30:00Z.") from None
    return moment.isoformat(timespec="microseconds").replace("+00:00", "Z")
