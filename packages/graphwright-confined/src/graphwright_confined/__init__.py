"""Runs generated Python (no other package does), and confines processes that do dangerous work.

Most names are imported at first use: a process that confines itself imports this package, and needs few of them.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from graphwright_confined._errors import LibrariesMissing, SandboxUnavailable
from graphwright_confined._privileges import Limits
from graphwright_confined.confine import ISOLATION, Availability, Confinement, available, confine

if TYPE_CHECKING:
    from graphwright_confined._executor import Sandbox
    from graphwright_confined._verification import self_test
    from graphwright_confined.execution import CodeError, Execution, ExecutionLimits

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
    # is it available, and does it hold
    "available",
    "Availability",
    "self_test",
    "SandboxUnavailable",
]

_MODULES = {
    "Sandbox": "_executor",
    "Execution": "execution",
    "ExecutionLimits": "execution",
    "CodeError": "execution",
    "self_test": "_verification",
}


def __getattr__(name: str) -> Any:
    module = _MODULES.get(name)
    if module is None:
        raise AttributeError(f"module 'graphwright_confined' has no attribute {name!r}")
    value = getattr(import_module(f"graphwright_confined.{module}"), name)
    globals()[name] = value
    return value
