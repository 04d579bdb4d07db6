"""The settings of an installation, from the table `[agents.graph_editor]`."""

from __future__ import annotations

from typing import Any

from graphwright.proposals import POLICIES

SETTINGS: dict[str, dict[str, Any]] = {
    "confirm": {
        "enum": list(POLICIES),
        "default": "always",
        "description": "which changes wait for a yes: always, unsupported or destructive",
    },
}
