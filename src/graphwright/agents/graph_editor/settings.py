"""The settings of an installation, from the table `[agents.graph_editor]`."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import timedelta
from typing import Any

SETTINGS: dict[str, dict[str, Any]] = {
    "question_expires_hours": {
        "type": "number",
        "exclusiveMinimum": 0,
        "maximum": 24 * 3650,
        "default": 24,
        "description": "how many hours a question stays open",
    },
}


def expiry_of(settings: Mapping[str, Any]) -> timedelta:
    """How long a question stays open."""
    hours = settings.get("question_expires_hours", SETTINGS["question_expires_hours"]["default"])
    return timedelta(hours=hours)
