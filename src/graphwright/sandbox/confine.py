"""`confine()`: a process locks itself in, layer by layer, and `available()`: could it."""

from __future__ import annotations

import os
import struct
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from graphwright.sandbox import landlock, privileges, seccomp
from graphwright.sandbox.errors import SandboxUnavailable
from graphwright.sandbox.privileges import Limits

ISOLATION = "landlock+seccomp"
"""What `confine` reaches. It reaches this or raises."""


@dataclass(frozen=True, slots=True)
class Confinement:
    """What a confined process may still do. A path must exist; a folder stands for all that is beneath it."""

    read: Sequence[str | Path] = ()
    """What may be read."""
    write: Sequence[str | Path] = ()
    """What may be read, written, made and removed."""
    limits: Limits = field(default_factory=Limits)
    syscalls: Sequence[str] = ("base", "files", "threads")
    """Groups of system calls (`calls.GROUPS`)."""


@dataclass(frozen=True, slots=True)
class Availability:
    """What this machine can do, as far as can be told without confining anybody; `self_test` tries it."""

    isolation: str
    """What `confine` would reach; empty where something is missing."""
    landlock: int
    """The version of Landlock; 0 where there is none."""
    missing: tuple[SandboxUnavailable, ...]
    """The layers that cannot be had, each with the reason and a remedy."""


def confine(confinement: Confinement) -> str:
    """Confine this process for good, and give the isolation reached (`ISOLATION`).

    Descriptors that are open stay usable, so what lies outside is opened before, and what must not be seen is closed
    before. Modules outside the paths that may be read can no longer be imported afterwards.

    Raises SandboxUnavailable where a layer cannot be applied. The process may be confined by half then: the caller must
    end it and must not go on to the dangerous part. Raises ValueError for a group of system calls that does not exist.
    """
    machine = _machine()
    _alone()
    # All that is foreseeable is found out before the first step that cannot be taken back.
    seccomp.check()
    program = seccomp.program(confinement.syscalls, machine)
    limits = privileges.plan(confinement.limits)
    rules = landlock.ruleset(confinement.read, confinement.write)
    try:
        privileges.give_up()
    except BaseException:
        os.close(rules)
        raise
    landlock.enforce(rules)
    privileges.limit(limits)
    # The filter is last: it refuses the calls that the other layers need.
    seccomp.enforce(program)
    return ISOLATION


def available() -> Availability:
    """Which layers this machine can do, and why not. It changes nothing, and may be asked by any process."""
    version = 0
    missing = []

    def look_at_landlock() -> None:
        nonlocal version
        version = landlock.abi()
        os.close(landlock.ruleset((), ()))

    looks: tuple[Callable[[], object], ...] = (look_at_landlock, seccomp.check)
    try:
        _machine()
    except SandboxUnavailable as error:
        return Availability("", 0, (error,))
    for look in looks:
        try:
            look()
        except SandboxUnavailable as error:
            missing.append(error)
    return Availability("" if missing else ISOLATION, version, tuple(missing))


def _machine() -> str:
    """The machine as `seccomp.ARCHITECTURES` has it; raises SandboxUnavailable where it is none of these."""
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


def _alone() -> None:
    """Raise SandboxUnavailable where there are other threads: the rules bind the thread that asks for them alone."""
    try:
        threads = len(os.listdir("/proc/self/task"))
    except OSError as error:
        raise SandboxUnavailable(
            "threads", f"they cannot be counted, /proc/self/task: {error.strerror}.", "Mount /proc."
        ) from None
    if threads > 1:
        raise SandboxUnavailable(
            "threads",
            f"the process has {threads} threads, and the others would stay free.",
            "Confine the process before it starts threads. Libraries that compute in parallel do so when imported.",
        )
