"""Attempts to escape from a confinement. They run inside it, for the self-tests, and report which of them succeeded."""

from __future__ import annotations

import ctypes
import errno
import json
import os
import secrets
import socket
import sys
from collections.abc import Callable
from pathlib import Path

from graphwright.sandbox import libc
from graphwright.sandbox.confine import Confinement, confine
from graphwright.sandbox.errors import SandboxUnavailable

_PTRACE = {"x86_64": 101, "aarch64": 117}
_READ_MEMORY = {"x86_64": 310, "aarch64": 270}
_PTRACE_SEIZE = 0x4206


def main() -> None:
    """The program of a child: confine this process, try to escape, and send `{isolation, escapes, kept}`.

    The settings are `{inside, secret, victim, address, port}`: the arguments of `successful_escapes`, of which `inside`
    is the folder that may be written. `kept` is what was written there; empty where that failed. A process that cannot
    be confined sends `{unavailable: [layer, reason, hint]}` and tries nothing.
    """
    from graphwright.sandbox.child import Channel, framed

    channel = Channel.own()
    bait = json.loads(sys.argv[2])
    inside, kept = Path(bait["inside"]), secrets.token_hex()
    try:
        isolation = confine(Confinement(write=[inside]))
    except SandboxUnavailable as error:
        # The message repeats the layer.
        channel.send(framed({"unavailable": [error.layer, error.message.partition(": ")[2], error.hint]}))
        return
    try:
        (inside / "kept").write_text(kept, "ascii")
    except OSError:
        kept = ""
    found = successful_escapes(Path(bait["secret"]), bait["victim"], bait["address"], bait["port"], inside)
    channel.send(framed({"isolation": isolation, "escapes": found, "kept": kept}))


def successful_escapes(secret: Path, victim: int, address: int, port: int, inside: Path | None = None) -> list[str]:
    """Try five kinds of escape, and return the names of those that succeeded.

    `secret` is a file that must be out of reach, `victim` the id of a process that has memory at `address`, `port` a
    listening port of this machine, and `inside` a folder that may be written, if there is one.
    """
    target = secret.parent if inside is None else inside
    attempts: dict[str, tuple[Callable[[], object], ...]] = {
        "read a file outside": (lambda: secret.read_bytes(), lambda: os.listdir(secret.parent)),
        "write outside": (
            lambda: secret.write_bytes(b""),
            lambda: os.truncate(secret, 0),
            lambda: os.open(secret, os.O_RDONLY | os.O_TRUNC),
            lambda: (secret.parent / "new").touch(),
            lambda: secret.chmod(0o777),
            lambda: os.utime(secret, (0, 0)),
            lambda: os.link(secret, target / "link"),
            lambda: secret.rename(target / "moved"),
            lambda: secret.unlink(),
        ),
        "open a socket": (
            lambda: socket.create_connection(("127.0.0.1", port), timeout=1).close(),
            lambda: socket.socket(socket.AF_INET, socket.SOCK_STREAM),
            lambda: socket.socket(socket.AF_INET6, socket.SOCK_DGRAM),
            lambda: socket.socket(socket.AF_UNIX, socket.SOCK_STREAM),
        ),
        "start a process": (_fork, lambda: _exec(inside)),
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


def _exec(inside: Path | None) -> None:
    """Try to replace this process by another program."""
    if inside is None:
        # Where this succeeds it does not return: the supervisor sees that no report came.
        os.execv(sys.executable, [sys.executable, "-c", ""])
    file = inside / "program"
    with open(os.open(file, os.O_WRONLY | os.O_CREAT, 0o700), "w") as made:
        made.write("no program")
    try:
        os.execv(file, [str(file)])
    except OSError as error:
        # The kernel found no format to run, so it would have run a real program.
        if error.errno != errno.ENOEXEC:
            raise


def _read_memory(victim: int, address: int) -> None:
    buffer = ctypes.create_string_buffer(8)
    here, there = ((ctypes.c_size_t * 2)(place, 8) for place in (ctypes.addressof(buffer), address))
    libc.syscall(_READ_MEMORY[os.uname().machine], victim, bytes(here), 1, bytes(there), 1, 0)
