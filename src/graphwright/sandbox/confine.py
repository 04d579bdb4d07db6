"""`confine()` confines the process that calls it, layer by layer; `available()` says whether it can."""

from __future__ import annotations

import os
import struct
import sys
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from graphwright.sandbox import landlock, privileges, seccomp
from graphwright.sandbox.errors import SandboxUnavailable
from graphwright.sandbox.privileges import Limits

ISOLATION = "landlock+seccomp"
"""The isolation that `confine` reaches, or else raises an error."""


@dataclass(frozen=True, slots=True)
class Confinement:
    """What a confined process may still do. A path must exist; a folder includes all that is beneath it."""

    read: Sequence[str | Path] = ()
    """The paths that may be read."""
    write: Sequence[str | Path] = ()
    """The paths that may be read, written, made and removed."""
    limits: Limits = field(default_factory=Limits)


@dataclass(frozen=True, slots=True)
class Availability:
    """What this machine supports, as far as it can be known without confining a process; `self_test` tries it."""

    isolation: str
    """The isolation that `confine` would reach; empty where a layer is missing."""
    landlock: int
    """The version of Landlock; 0 where there is none."""
    missing: tuple[SandboxUnavailable, ...]
    """The missing layers, each with the reason and a remedy."""


def confine(confinement: Confinement) -> str:
    """Confine this process for good, and return the isolation (`ISOLATION`).

    Open descriptors stay usable: open before what lies outside, and close what must stay out of reach. Modules outside
    the readable paths can no longer be imported afterwards.

    Raises SandboxUnavailable where a layer cannot be applied. The process may be partly confined then: the caller must
    end it and must not go on to the dangerous part.
    """
    machine = _supported_machine()
    _require_single_thread()
    # Whatever can be checked is checked before the first step that cannot be undone.
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
    # The filter is last: it refuses the calls that the other layers need.
    seccomp.enforce(program)
    return ISOLATION


def available() -> Availability:
    """The layers that this machine supports, and why not. It changes nothing, and may be called by any process."""
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
    """The name of this machine in `seccomp.ARCHITECTURES`. Raises SandboxUnavailable where it is not there."""
    if sys.platform != "linux":
        raise SandboxUnavailable(
            "platform",
            f"a process can be confined on Linux only, and this is {sys.platform}.",
            "Run it on Linux: in a virtual machine, in a container, or in WSL 2.",
        )
    machine = os.uname().machine
    if machine not in seccomp.ARCHITECTURES or struct.calcsize("P") != 8:
        raise SandboxUnavailable(
            "platform",
            f"the system calls of this Python ({machine}, {struct.calcsize('P') * 8} bit) are not known.",
            f"Use a 64-bit Python on {' or '.join(seccomp.ARCHITECTURES)}.",
        )
    return machine


def _require_single_thread() -> None:
    """Raise SandboxUnavailable where there are other threads: the layers apply to the calling thread alone."""
    try:
        threads = len(os.listdir("/proc/self/task"))
    except OSError as error:
        raise SandboxUnavailable(
            "threads", f"the threads cannot be counted, /proc/self/task: {error.strerror}.", "Mount /proc."
        ) from None
    if threads > 1:
        raise SandboxUnavailable(
            "threads",
            f"the process has {threads} threads, and the others would stay unconfined.",
            "Confine the process before it starts threads. Libraries that compute in parallel do so when imported.",
        )
