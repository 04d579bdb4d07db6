"""The isolation levels of generated code: which this machine has, strongest first, and why the others are missing."""

from __future__ import annotations

import os
import sys
from dataclasses import dataclass

from graphwright.sandbox import bubblewrap, runtime_paths, seatbelt
from graphwright.sandbox.confine import ISOLATION, available
from graphwright.sandbox.errors import SandboxUnavailable

CONTAINER = f"bwrap+{ISOLATION}"


@dataclass(frozen=True, slots=True)
class IsolationLevel:
    """One level. `missing` is None where it is available, else the reason why it is not."""

    isolation: str
    missing: SandboxUnavailable | None


def isolation_levels() -> list[IsolationLevel]:
    """The levels of this operating system, the strongest first."""
    if sys.platform == "darwin":
        return [IsolationLevel(seatbelt.ISOLATION, seatbelt.missing())]
    kernel = next(iter(available().missing), None)
    # The container filters no system calls, so it needs the kernel's layers inside.
    return [IsolationLevel(CONTAINER, kernel or bubblewrap.missing()), IsolationLevel(ISOLATION, kernel)]


def select_level(isolation: str | None) -> str:
    """The requested isolation, or the strongest that is available.

    Raises SandboxUnavailable where none is available, or not the requested one, and ValueError for an unknown name.
    """
    levels = isolation_levels()
    if isolation is not None:
        levels = [level for level in levels if level.isolation == isolation]
        if not levels:
            known = ", ".join(level.isolation for level in isolation_levels())
            raise ValueError(f"unknown isolation {isolation!r}; this system has {known}")
    for level in levels:
        if level.missing is None:
            return level.isolation
    missing = levels[-1].missing
    assert missing is not None
    raise missing


def user_to_become(isolation: str) -> int | None:
    """The user id that the warm process switches to, or None to stay as it is.

    It becomes nobody where root starts it outside a container. It stays root where nobody could not read the libraries;
    Landlock alone decides then which files it can read.
    """
    if isolation != ISOLATION or os.geteuid() != 0:
        return None
    return bubblewrap.NOBODY if runtime_paths.readable_by_all() else None
