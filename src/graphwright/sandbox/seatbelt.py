"""Seatbelt: the confinement of a process on macOS. It has not been run there yet: what can be tested is its profile."""

from __future__ import annotations

import ctypes
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

from graphwright.sandbox.errors import SandboxUnavailable
from graphwright.sandbox.privileges import Limits

ISOLATION = "seatbelt"

_TASK_INFO, _TASK_BYTES = 4, 96


class Task(NamedTuple):
    """What a process takes: bytes that stand in memory, and its threads."""

    resident: int
    threads: int


def profile(read: Iterable[str | Path], write: Iterable[str | Path]) -> str:
    """The rules under which `read` may be read and `write` also written, and nothing else be done.

    What is open already stays usable. Raises ValueError for a path that the language of the profiles cannot hold.
    """
    rules = [
        "(version 1)",
        "(deny default)",
        # What every C library asks for, and what says nothing about others.
        "(allow sysctl-read)",
        "(allow process-info* (target self))",
        "(allow signal (target self))",
        "(allow file-read-metadata)",
        '(allow file-read* (literal "/dev/urandom") (literal "/dev/random"))',
        '(allow file-read* file-write-data (literal "/dev/null"))',
    ]
    rules += [f"(allow file-read* (subpath {_quoted(path)}))" for path in read]
    rules += [f"(allow file-read* file-write* (subpath {_quoted(path)}))" for path in write]
    return "\n".join(rules)


def confine(read: Iterable[str | Path], write: Iterable[str | Path], limits: Limits) -> str:
    """Confine this process for good, and give the isolation reached. Raises SandboxUnavailable."""
    # The limit of the address space is not enforced there: whoever watches the process looks at its memory.
    import resource

    library = _library()
    message = ctypes.c_char_p()
    if library.sandbox_init(profile(read, write).encode(), ctypes.c_uint64(0), ctypes.byref(message)):
        said = (message.value or b"no reason given").decode("utf-8", "replace")
        raise SandboxUnavailable("seatbelt", f"the profile is refused: {said}.", "Please report this.")
    for what, value, grace in (
        (resource.RLIMIT_CORE, 0, 0),
        (resource.RLIMIT_CPU, limits.cpu_seconds, 1),
        (resource.RLIMIT_NOFILE, limits.files, 0),
        (resource.RLIMIT_FSIZE, limits.file_size, 0),
        # The profile refuses to fork; threads do not count here.
        (resource.RLIMIT_NPROC, 1, 0),
    ):
        if value is not None:
            _, highest = resource.getrlimit(what)
            most = value + grace if highest == resource.RLIM_INFINITY else min(value + grace, highest)
            resource.setrlimit(what, (min(value, most), most))
    return ISOLATION


def missing() -> SandboxUnavailable | None:
    """Why it cannot be had here; None where it can."""
    if sys.platform != "darwin":
        return SandboxUnavailable("seatbelt", f"it is a part of macOS, and this is {sys.platform}.", "")
    try:
        _library()
    except (OSError, AttributeError) as error:
        return SandboxUnavailable("seatbelt", f"this macOS has none: {error}.", "Run it on Linux, or in a container.")
    return None


def task(process: int) -> Task:
    """What this process takes; zeros where it is gone."""
    info = ctypes.create_string_buffer(_TASK_BYTES)
    found = ctypes.CDLL("/usr/lib/libproc.dylib").proc_pidinfo(
        process, _TASK_INFO, ctypes.c_uint64(0), info, _TASK_BYTES
    )
    if found != _TASK_BYTES:
        return Task(0, 0)
    # struct proc_taskinfo: six 64-bit numbers, then twelve of 32 bits.
    long = ctypes.cast(info, ctypes.POINTER(ctypes.c_uint64))
    short = ctypes.cast(ctypes.byref(info, 48), ctypes.POINTER(ctypes.c_int32))
    return Task(long[1], short[9])


def _library() -> ctypes.CDLL:
    library = ctypes.CDLL("/usr/lib/libsandbox.1.dylib", use_errno=True)
    library.sandbox_init.restype = ctypes.c_int
    return library


def _quoted(path: str | Path) -> str:
    text = str(path)
    if any(ord(character) < 32 for character in text):
        raise ValueError(f"{text!r} cannot stand in a profile")
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'
