"""The canaries of the self-test: a process confines itself, tries to escape, and says what succeeded."""

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


def main(task: str) -> None:
    """Do the task `{inside, secret, victim: [process, address]}`; print `{isolation, escapes, kept}`.

    `inside` may be written, `secret` is a file that may not be read, and memory of the victim is at the address.

    Where the process cannot be confined it prints `{unavailable: [layer, message, hint]}` and tries nothing.
    """
    given = json.loads(task)
    inside, secret = Path(given["inside"]), Path(given["secret"])
    victim, address = given["victim"]
    try:
        isolation = confine(Confinement(write=[inside]))
    except SandboxUnavailable as error:
        # Its message names the layer once more.
        print(json.dumps({"unavailable": [error.layer, error.message.partition(": ")[2], error.hint]}))
        return
    kept = secrets.token_hex()
    try:
        (inside / "kept").write_text(kept, "ascii")
    except OSError:
        kept = ""
    found = escapes(secret, victim, address, inside)
    print(json.dumps({"isolation": isolation, "escapes": found, "kept": kept}))


def escapes(secret: Path, victim: int, address: int, inside: Path | None = None, port: int | None = None) -> list[str]:
    """The names of the five escapes that succeeded.

    `secret` is a file that may not be read, `victim` a process with memory at the address; `inside` a folder that may
    be written, where there is one, and `port` one that listens on this machine.
    """
    elsewhere = secret.parent if inside is None else inside
    tries: dict[str, tuple[Callable[[], object], ...]] = {
        "read a file outside": (lambda: secret.read_bytes(), lambda: os.listdir(secret.parent)),
        "write outside": (
            lambda: secret.write_bytes(b""),
            lambda: os.truncate(secret, 0),
            lambda: os.open(secret, os.O_RDONLY | os.O_TRUNC),
            lambda: (secret.parent / "new").touch(),
            lambda: secret.chmod(0o777),
            lambda: os.utime(secret, (0, 0)),
            lambda: os.link(secret, elsewhere / "link"),
            lambda: secret.rename(elsewhere / "moved"),
            lambda: secret.unlink(),
        ),
        "open a socket": (
            lambda: _connect(port),
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
    return [name for name, ways in tries.items() if any(_succeeds(way) for way in ways)]


def _succeeds(way: Callable[[], object]) -> bool:
    try:
        way()
    except OSError:
        return False
    return True


def _fork() -> None:
    if os.fork() == 0:
        os._exit(0)


def _connect(port: int | None) -> None:
    if port is None:
        raise OSError("there is no listener")
    socket.create_connection(("127.0.0.1", port), timeout=1).close()


def _exec(inside: Path | None) -> None:
    """Start what is no program: where the system says no more than that, it would have started one."""
    if inside is None:
        # This never comes back where it succeeds, and that is told apart from coming back.
        os.execv(sys.executable, [sys.executable, "-c", ""])
    file = inside / "program"
    with open(os.open(file, os.O_WRONLY | os.O_CREAT, 0o700), "w") as made:
        made.write("no program")
    try:
        os.execv(file, [str(file)])
    except OSError as error:
        if error.errno != errno.ENOEXEC:
            raise


def _read_memory(victim: int, address: int) -> None:
    buffer = ctypes.create_string_buffer(8)
    here, there = ((ctypes.c_size_t * 2)(place, 8) for place in (ctypes.addressof(buffer), address))
    libc.syscall(_READ_MEMORY[os.uname().machine], victim, bytes(here), 1, bytes(there), 1, 0)
