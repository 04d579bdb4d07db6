"""The settings of an installation: the table `[agents.data_scientist]`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from graphwright_confined import ExecutionLimits


def _number(kind: str, least: float, most: int, default: int, description: str) -> dict[str, Any]:
    return {"type": kind, "minimum": least, "maximum": most, "default": default, "description": description}


SETTINGS = {
    "cpu_seconds": _number("integer", 1, 86_400, 30, "how many seconds of computing one run of a program may take"),
    "wall_seconds": _number("number", 0.1, 86_400, 60, "how many seconds one run of a program may last"),
    "memory_mb": _number("integer", 256, 2**20, 2_048, "how many megabytes a program may take, beside its libraries"),
    "rows": _number("integer", 1, 1_000_000, 10_000, "how many rows of a resulting table come back and are saved"),
}


FILE_ROWS = 100_000
"""Minimum limit for the rows of a table if the user asked for it as a file."""


def limits_of(settings: Mapping[str, Any], *, files: bool = False) -> ExecutionLimits:
    """Return the limits of an execution, by the settings; `files` if tables are wanted as files."""
    from graphwright_confined import ExecutionLimits

    chosen = {name: settings.get(name, each["default"]) for name, each in SETTINGS.items()}
    chosen["rows"] = max(chosen["rows"], FILE_ROWS) if files else chosen["rows"]
    return ExecutionLimits(memory=chosen.pop("memory_mb") * 2**20, result=64 * 2**20, **chosen)
