"""The settings of an installation, from the table `[agents.graph_editor]`."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import timedelta
from typing import Any

from graphwright.runtime.settings import wrong_settings

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
    """How long a question stays open. Raises UsageError for settings that the agent does not have."""
    for wrong in wrong_settings("graph_editor", SETTINGS, settings):
        raise wrong
    hours = settings.get("question_expires_hours", SETTINGS["question_expires_hours"]["default"])
    return timedelta(hours=hours)
