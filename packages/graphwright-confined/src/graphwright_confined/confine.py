"""`confine()` confines the calling process, layer by layer; `available()` returns whether that is possible."""

from __future__ import annotations

import os
import struct
import sys
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from graphwright_confined import _landlock as landlock
from graphwright_confined import _privileges as privileges
from graphwright_confined import _seccomp as seccomp
from graphwright_confined._errors import SandboxUnavailable
from graphwright_confined._privileges import Limits

__all__ = ["ISOLATION", "Confinement", "Availability", "confine", "available"]

ISOLATION = "landlock+seccomp"
"""The isolation that `confine` applies; otherwise it raises an error."""


@dataclass(frozen=True, slots=True)
class Confinement:
    """The permissions of a confined process. A path must exist; a folder includes everything beneath it."""

    read: Sequence[str | Path] = ()
    """The paths that may be read."""
    write: Sequence[str | Path] = ()
    """The paths that may be read, written, created and removed."""
    limits: Limits = field(default_factory=Limits)


@dataclass(frozen=True, slots=True)
class Availability:
    """The support of this machine, as far as it can be known without confining a process; `self_test` tests it."""

    isolation: str
    """The isolation that `confine` would apply; empty if a layer is missing."""
    landlock: int
    """The version of Landlock, or 0."""
    missing: tuple[SandboxUnavailable, ...]
    """The missing layers, each with the reason and a remedy."""


def confine(confinement: Confinement) -> str:
    """Confine this process permanently, and return the isolation (`ISOLATION`).

    Open descriptors stay usable: open files outside before, and close descriptors that must not be used. Modules
    outside the readable paths can no longer be imported afterwards.

    Raises SandboxUnavailable if a layer cannot be applied. The process may be partly confined then: the caller must end
    it and must not continue with the dangerous part.
    """
    machine = _supported_machine()
    _require_single_thread()
    # Everything that can be checked is checked before the first irreversible step.
    seccomp.check()
    program = seccomp.program(machine)
    limits = privileges.resource_limits(confinement.limits)
    rules = landlock.ruleset(confinement.read, confinement.write)
    try:
        privileges.drop_privileges()
    except BaseException:
        os.close(rules)
        raise
    landlock.enforce(rules)
    privileges.apply_limits(limits)
    # The filter is last, because it refuses the calls that the other layers need.
    seccomp.enforce(program)
    return ISOLATION


def available() -> Availability:
    """The supported layers of this machine, and the reasons for missing ones. It has no effect on the process."""
    try:
        _supported_machine()
    except SandboxUnavailable as error:
        return Availability("", 0, (error,))
    version, missing = 0, []
    try:
        version = landlock.abi()
        os.close(landlock.ruleset((), ()))
    except SandboxUnavailable as error:
        missing.append(error)
    try:
        seccomp.check()
    except SandboxUnavailable as error:
        missing.append(error)
    return Availability("" if missing else ISOLATION, version, tuple(missing))


def _supported_machine() -> str:
    """The name of this machine in `seccomp.ARCHITECTURES`. Raises SandboxUnavailable if it is not supported."""
    if sys.platform != "linux":
        raise SandboxUnavailable(
            "platform",
            f"A process can be confined on Linux only, and this is {sys.platform}.",
            "Run it on Linux: in a virtual machine, in a container, or in WSL 2.",
        )
    machine = os.uname().machine
    if machine not in seccomp.ARCHITECTURES or struct.calcsize("P") != 8:
        raise SandboxUnavailable(
            "platform",
            f"The system calls of this Python ({machine}, {struct.calcsize('P') * 8} bit) are not known.",
            f"Use a 64-bit Python on {' or '.join(seccomp.ARCHITECTURES)}.",
        )
    return machine


def _require_single_thread() -> None:
    """Raise SandboxUnavailable if there are other threads: the layers apply to the calling thread only."""
    try:
        threads = len(os.listdir("/proc/self/task"))
    except OSError as error:
        raise SandboxUnavailable(
            "threads", f"The threads cannot be counted, /proc/self/task: {error.strerror}.", "Mount /proc."
        ) from None
    if threads > 1:
        raise SandboxUnavailable(
            "threads",
            f"The process has {threads} threads, and the others would stay unconfined.",
            "Confine the process before it starts threads. Libraries that compute in parallel do so when imported.",
        )
