"""The settings of an installation, from the table `[agents.graph_editor]`."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import timedelta
from typing import Any

from graphwright.errors import UsageError

HOURS = 24.0


def expiry_of(settings: Mapping[str, Any]) -> timedelta:
    """How long a question stays open: `question_expires_hours`, 24 unless set. Raises UsageError for a bad value."""
    hours = settings.get("question_expires_hours", HOURS)
    if isinstance(hours, bool) or not isinstance(hours, int | float) or not 0 < hours <= 24 * 3650:
        raise UsageError(
            "bad_setting",
            f"question_expires_hours of [agents.graph_editor] is {hours!r}",
            "Give a number of hours above 0, such as question_expires_hours = 24.",
        )
    return timedelta(hours=hours)
