"""The settings of an installation: the table `[agents.data_scientist]`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from graphwright.sandbox import ExecutionLimits

SETTINGS = {
    "cpu_seconds": {
        "type": "integer",
        "minimum": 1,
        "maximum": 86_400,
        "default": 30,
        "description": "how many seconds of computing one run of generated code may take",
    },
    "wall_seconds": {
        "type": "number",
        "exclusiveMinimum": 0,
        "maximum": 86_400,
        "default": 60,
        "description": "how many seconds one run of generated code may last",
    },
    "memory_mb": {
        "type": "integer",
        "minimum": 256,
        "maximum": 1_048_576,
        "default": 2_048,
        "description": "how many megabytes generated code may take, beside its libraries",
    },
    "rows": {
        "type": "integer",
        "minimum": 1,
        "maximum": 1_000_000,
        "default": 10_000,
        "description": "how many rows of a resulting table come back and are saved",
    },
}


def limits_of(settings: Mapping[str, Any]) -> ExecutionLimits:
    """The limits of an execution that the settings ask for."""
    from graphwright.sandbox import ExecutionLimits

    def of(name: str) -> Any:
        return settings.get(name, SETTINGS[name]["default"])

    return ExecutionLimits(
        cpu_seconds=of("cpu_seconds"),
        wall_seconds=of("wall_seconds"),
        memory=of("memory_mb") * 2**20,
        rows=of("rows"),
        result=64 * 2**20,
    )
