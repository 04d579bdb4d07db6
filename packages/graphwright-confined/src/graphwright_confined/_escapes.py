"""Attempts to escape from a confinement. They run inside it, for the self-tests, and report which of them succeeded."""

from __future__ import annotations

import ctypes
import json
import os
import socket
import sys
from collections.abc import Callable
from pathlib import Path

from graphwright_confined import _libc as libc
from graphwright_confined._errors import SandboxUnavailable
from graphwright_confined.confine import Confinement, confine

_PTRACE = {"x86_64": 101, "aarch64": 117}
_READ_MEMORY = {"x86_64": 310, "aarch64": 270}
_PTRACE_SEIZE = 0x4206


def main() -> None:
    """The program of a child: confine this process, try to escape, and send `{isolation, escapes}`.

    The settings are the arguments of `successful_escapes`. A process that cannot be confined sends `{unavailable:
    [layer, reason, hint]}` and makes no attempts.
    """
    from graphwright_confined.child import Channel, framed

    channel, bait = Channel.own(), json.loads(sys.argv[2])
    try:
        isolation = confine(Confinement())
    except SandboxUnavailable as error:
        # The message repeats the layer.
        channel.send(framed({"unavailable": [error.layer, error.message.partition(": ")[2], error.hint]}))
        return
    channel.send(framed({"isolation": isolation, "escapes": successful_escapes(**bait)}))


def successful_escapes(secret: str, victim: int, address: int, port: int) -> list[str]:
    """Try five kinds of escape, and return the names of those that succeeded.

    `secret` is a file that must be inaccessible, `victim` the id of a process that has memory at `address`, and `port`
    a listening port of this machine.
    """
    file, folder = Path(secret), Path(secret).parent
    attempts: dict[str, tuple[Callable[[], object], ...]] = {
        "read a file outside": (lambda: file.read_bytes(), lambda: os.listdir(folder)),
        "write outside": (
            lambda: file.write_bytes(b""),
            lambda: os.truncate(file, 0),
            lambda: os.open(file, os.O_RDONLY | os.O_TRUNC),
            lambda: (folder / "new").touch(),
            lambda: file.chmod(0o777),
            lambda: os.utime(file, (0, 0)),
            lambda: os.link(file, folder / "link"),
            lambda: file.rename(folder / "moved"),
            lambda: file.unlink(),
        ),
        "open a socket": (
            lambda: socket.create_connection(("127.0.0.1", port), timeout=1).close(),
            lambda: socket.socket(socket.AF_INET, socket.SOCK_STREAM),
            lambda: socket.socket(socket.AF_INET6, socket.SOCK_DGRAM),
            lambda: socket.socket(socket.AF_UNIX, socket.SOCK_STREAM),
        ),
        # A successful exec does not return: the owner sees that no report came.
        "start a process": (_fork, lambda: os.execv(sys.executable, [sys.executable, "-c", ""])),
        "look into another process": (
            lambda: os.listdir(f"/proc/{victim}/fd"),
            lambda: os.open(f"/proc/{victim}/mem", os.O_RDONLY),
            lambda: libc.syscall(_PTRACE[os.uname().machine], _PTRACE_SEIZE, victim, 0, 0),
            lambda: _read_memory(victim, address),
            lambda: os.kill(victim, 0),
        ),
    }
    return [name for name, ways in attempts.items() if any(_succeeds(way) for way in ways)]


def _succeeds(attempt: Callable[[], object]) -> bool:
    try:
        attempt()
    except OSError:
        return False
    return True


def _fork() -> None:
    if os.fork() == 0:
        os._exit(0)


def _read_memory(victim: int, address: int) -> None:
    buffer = ctypes.create_string_buffer(8)
    here, there = ((ctypes.c_size_t * 2)(place, 8) for place in (ctypes.addressof(buffer), address))
    libc.syscall(_READ_MEMORY[os.uname().machine], victim, bytes(here), 1, bytes(there), 1, 0)
