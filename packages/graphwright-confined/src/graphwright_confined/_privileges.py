"""Privileges and resource limits, which a process can only lower."""

from __future__ import annotations

import os
import struct
from dataclasses import dataclass, fields
from pathlib import Path

from graphwright_confined import _libc as libc
from graphwright_confined._errors import SandboxUnavailable

_SET_DUMPABLE, _SET_NO_NEW_PRIVS = 4, 38
_CAPABILITIES_OF_SELF = struct.pack("=Ii", 0x20080522, 0)

# Root keeps the right to ignore the owners of files, because a store that root opens may belong to another user.
# Landlock decides which files it can open.
_DAC_OVERRIDE = 1 << 1


@dataclass(frozen=True, slots=True)
class Limits:
    """The resource limits of a process. None does not change a limit."""

    memory: int | None = None
    """Bytes of address space, including the interpreter and its libraries; beyond it a MemoryError is raised."""
    cpu_seconds: int | None = None
    """CPU seconds on all cores together, since the start of the process; then it is killed."""
    files: int | None = 256
    """Open descriptors."""
    file_size: int | None = None
    """The maximum size of a file, in bytes."""

    def __post_init__(self) -> None:
        for field in fields(self):
            value = getattr(self, field.name)
            if value is not None and value < 1:
                raise ValueError(f"the limit {field.name} is {value}: it must be 1 or more, or None")


def address_space() -> int:
    """The address space of this process, in bytes."""
    return int(Path("/proc/self/statm").read_bytes().split()[0]) * os.sysconf("SC_PAGE_SIZE")


ResourceLimits = list[tuple[int, tuple[int, int]]]
"""The arguments of calls of `resource.setrlimit`."""


def resource_limits(limits: Limits) -> ResourceLimits:
    """The limits for `setrlimit`, none above the present ones, and without core dumps, which would contain all memory.

    Raises SandboxUnavailable if the process already uses more memory than allowed.
    """
    # Windows does not have this module; and after the confinement it may be unreadable.
    import resource

    if limits.memory is not None:
        taken = address_space()
        if taken >= limits.memory:
            raise SandboxUnavailable(
                "limits",
                f"The process takes {taken // 2**20} MiB of address space, {limits.memory // 2**20} are allowed.",
                "Allow more memory, or load less before.",
            )
    wanted = [
        (resource.RLIMIT_CORE, 0, 0),
        (resource.RLIMIT_AS, limits.memory, 0),
        # The first limit sends a signal that can be handled; a second later the process is killed.
        (resource.RLIMIT_CPU, limits.cpu_seconds, 1),
        (resource.RLIMIT_NOFILE, limits.files, 0),
        (resource.RLIMIT_FSIZE, limits.file_size, 0),
    ]
    found = []
    for what, value, grace in wanted:
        if value is not None:
            _, highest = resource.getrlimit(what)
            most = value + grace if highest == resource.RLIM_INFINITY else min(value + grace, highest)
            found.append((what, (min(value, most), most)))
    return found


def apply_limits(limits: ResourceLimits) -> None:
    """Apply the limits to this process. Raises SandboxUnavailable."""
    import resource

    for what, values in limits:
        try:
            resource.setrlimit(what, values)
        except (OSError, ValueError) as error:
            raise SandboxUnavailable(
                "limits", f"A limit cannot be set: {error}.", "Let the surroundings of this process allow setrlimit."
            ) from None


def drop_privileges() -> None:
    """Forbid new privileges and capabilities, and access to this process by other processes of the same user."""
    try:
        libc.prctl(_SET_NO_NEW_PRIVS, 1)
        libc.prctl(_SET_DUMPABLE, 0)
        words = struct.unpack("=6I", libc.capabilities(_CAPABILITIES_OF_SELF))
        effective, permitted = words[0] & _DAC_OVERRIDE, words[1] & _DAC_OVERRIDE
        libc.capabilities(_CAPABILITIES_OF_SELF, struct.pack("=6I", effective, permitted, 0, 0, 0, 0))
    except OSError as error:
        raise SandboxUnavailable(
            "privileges",
            f"Privileges cannot be given up: {error.strerror}.",
            "Let the surroundings of this process, a container perhaps, allow prctl and capset.",
        ) from None
