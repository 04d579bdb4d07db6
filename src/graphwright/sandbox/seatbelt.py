"""Seatbelt: the confinement of a process on macOS. It was not run on a Mac yet; only its profile is tested."""

from __future__ import annotations

import ctypes
import sys
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

from graphwright.sandbox.errors import SandboxUnavailable
from graphwright.sandbox.privileges import Limits, apply_limits, resource_limits

ISOLATION = "seatbelt"

_TASK_INFO, _TASK_BYTES = 4, 96


class Task(NamedTuple):
    """What a process takes: bytes of resident memory, and threads."""

    resident: int
    threads: int


def profile(read: Iterable[str | Path], write: Iterable[str | Path]) -> str:
    """The profile that allows to read `read` and to read and write `write`, and nothing else.

    Open descriptors stay usable. Raises ValueError for a path that cannot be written in a profile.
    """
    rules = [
        "(version 1)",
        "(deny default)",
        # What every C library needs; it says nothing about other processes.
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
    """Confine this process for good, and return the isolation. Raises SandboxUnavailable."""
    library = _library()
    message = ctypes.c_char_p()
    if library.sandbox_init(profile(read, write).encode(), ctypes.c_uint64(0), ctypes.byref(message)):
        reason = (message.value or b"no reason given").decode("utf-8", "replace")
        raise SandboxUnavailable("seatbelt", f"the profile is refused: {reason}.", "Please report this.")
    # macOS does not enforce a limit of the address space: the warm process watches the memory. The profile refuses to
    # fork, and threads do not count as processes there.
    apply_limits(resource_limits(replace(limits, memory=None, processes=1)))
    return ISOLATION


def missing() -> SandboxUnavailable | None:
    """The reason why it is not available here, or None."""
    if sys.platform != "darwin":
        return SandboxUnavailable("seatbelt", f"it is a part of macOS, and this is {sys.platform}.", "")
    try:
        _library()
    except (OSError, AttributeError) as error:
        return SandboxUnavailable("seatbelt", f"this macOS has none: {error}.", "Run it on Linux, or in a container.")
    return None


def task(process: int) -> Task:
    """What this process takes; zeros where it has ended."""
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
        raise ValueError(f"{text!r} cannot be written in a profile")
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'
