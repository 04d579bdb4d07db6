"""The sandbox: generated Python runs here and nowhere else; and confinement, which other dangerous parts use as well.

`Sandbox` and what belongs to it are imported when they are first used: processes that confine themselves import this
room, too, and need none of it.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from graphwright.sandbox.confine import ISOLATION, Availability, Confinement, available, confine
from graphwright.sandbox.errors import LibrariesMissing, SandboxUnavailable
from graphwright.sandbox.privileges import Limits
from graphwright.sandbox.trial import self_test

if TYPE_CHECKING:
    from graphwright.sandbox.executing import Sandbox
    from graphwright.sandbox.execution import CodeError, Execution
    from graphwright.sandbox.limits import ExecutionLimits

__all__ = [
    # run generated code
    "Sandbox",
    "Execution",
    "ExecutionLimits",
    "CodeError",
    "LibrariesMissing",
    # confine a process
    "confine",
    "Confinement",
    "Limits",
    "ISOLATION",
    # can it be had, and does it hold
    "available",
    "Availability",
    "self_test",
    "SandboxUnavailable",
]

_HOMES = {"Sandbox": "executing", "Execution": "execution", "CodeError": "execution", "ExecutionLimits": "limits"}


def __getattr__(name: str) -> Any:
    home = _HOMES.get(name)
    if home is None:
        raise AttributeError(f"module 'graphwright.sandbox' has no attribute {name!r}")
    value = getattr(import_module(f"graphwright.sandbox.{home}"), name)
    globals()[name] = value
    return value
