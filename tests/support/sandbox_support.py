"""Shared by the tests of the sandbox: a sandbox of each available kind, and everything outside of it, monitored."""

from __future__ import annotations

import contextlib
import json
import os
import resource
import secrets
import select
import socket
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from graphwright_confined import Execution, ExecutionLimits, Sandbox
from graphwright_confined._isolation_levels import CONTAINER, isolation_levels
from unprivileged_support import NOBODY

ALL = [CONTAINER, "landlock+seccomp"]
_missing = {level.isolation: level.missing for level in isolation_levels()}
HERE = [isolation for isolation in ALL if _missing.get(isolation, "not on this system") is None]

needs_sandbox = pytest.mark.skipif(not HERE, reason="; ".join(str(missing) for missing in _missing.values()))
needs_bubblewrap = pytest.mark.skipif(CONTAINER not in HERE, reason=str(_missing[CONTAINER]))

SHORT = ExecutionLimits(cpu_seconds=5, wall_seconds=20, memory=400 * 2**20)


def each_isolation() -> list[Any]:
    """Parameters for a fixture: every isolation; unavailable ones are skipped with the reason."""
    return [
        pytest.param(
            isolation,
            marks=pytest.mark.skipif(isolation not in HERE, reason=str(_missing.get(isolation, "not on this system"))),
        )
        for isolation in ALL
    ]


@contextlib.contextmanager
def started_sandbox(isolation: str | None, limits: ExecutionLimits | None = None) -> Iterator[Sandbox]:
    """A started sandbox."""
    with Sandbox(limits, isolation=isolation) as sandbox:
        sandbox.run("")
        yield sandbox


def dumped(execution: Execution) -> str:
    """All output, as one text."""
    return json.dumps(execution.model_dump(mode="json"))


def descendants(process: int) -> set[int]:
    """The processes below this one."""
    parents: dict[int, int] = {}
    for folder in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError, ValueError, IndexError):
            parents[int(folder.name)] = int((folder / "stat").read_bytes().rpartition(b")")[2].split()[1])
    found = {process}
    while True:
        more = {child for child, parent in parents.items() if parent in found} - found
        if not more:
            return found - {process}
        found |= more


def alike(processes: set[int]) -> set[int]:
    """All processes with the same command as one of these: a fork, wherever it is."""
    commands = {command(process) for process in processes} - {b""}
    return {int(f.name) for f in Path("/proc").glob("[0-9]*") if command(int(f.name)) in commands}


def command(process: int) -> bytes:
    with contextlib.suppress(OSError):
        return Path(f"/proc/{process}/cmdline").read_bytes()
    return b""


_VICTIM = """
import ctypes, json, os, resource, signal, sys
secret = ctypes.create_string_buffer(sys.stdin.readline().strip().encode())
signal.signal(signal.SIGUSR1, lambda *_: print("signalled", flush=True))
print(ctypes.addressof(secret), flush=True)
for _ in sys.stdin:
    limit = resource.getrlimit(resource.RLIMIT_NOFILE)
    print(json.dumps([secret.value.decode(), os.nice(0), sorted(os.sched_getaffinity(0)), limit]), flush=True)
"""


@dataclass
class Outside:
    """Everything that code in the sandbox must not reach, and whether it did."""

    folder: Path
    secret: str = field(default_factory=lambda: f"SECRET{secrets.token_hex(8)}")

    def __post_init__(self) -> None:
        for name in ("secret.txt", "secret.csv", "secret.py"):
            (self.folder / name).write_text(f"x = '{self.secret}'\n", "utf-8")
        (self.folder / "program").write_text(f"#!/bin/sh\necho {self.secret} > {self.folder}/ran\n", "utf-8")
        for path in (self.folder, *self.folder.iterdir()):
            path.chmod(0o777)
            if os.geteuid() == 0:
                # It belongs to the same user, so only the isolation protects it.
                os.chown(path, NOBODY, NOBODY)
        self.tcp, self.udp, self.local, self.hidden = (
            socket.socket(),
            socket.socket(type=socket.SOCK_DGRAM),
            socket.socket(socket.AF_UNIX),
            socket.socket(socket.AF_UNIX),
        )
        self.tcp.bind(("127.0.0.1", 0))
        self.udp.bind(("127.0.0.1", 0))
        self.local.bind(str(self.folder / "listening"))
        (self.folder / "listening").chmod(0o777)
        self.hidden.bind(f"\0{secrets.token_hex(8)}")
        for listener in (self.tcp, self.local, self.hidden):
            listener.listen()
        self.victim = subprocess.Popen(
            [sys.executable, "-c", _VICTIM],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env={"VICTIM": self.secret},
        )
        self.address = int(self._run_line(self.secret))
        self.before = self.state()

    def close(self) -> None:
        for listener in (self.tcp, self.udp, self.local, self.hidden):
            listener.close()
        self.victim.kill()
        self.victim.communicate()

    def _run_line(self, line: str) -> str:
        assert self.victim.stdin is not None
        assert self.victim.stdout is not None
        self.victim.stdin.write(f"{line}\n")
        self.victim.stdin.flush()
        return self.victim.stdout.readline().strip()

    def program_input(self) -> str:
        """The input of a program: everything that it could want to know."""
        known = {
            "folder": str(self.folder),
            "port": self.tcp.getsockname()[1],
            "udp": self.udp.getsockname()[1],
            "hidden": self.hidden.getsockname()[1:].decode(),
            "victim": self.victim.pid,
            "address": self.address,
            "owner": os.getpid(),
        }
        return f"given = {known!r}\n"

    def state(self) -> list[Any]:
        """Everything that it might have changed."""
        found: list[Any] = [self._run_line("?"), self.victim.poll(), resource.getrlimit(resource.RLIMIT_NOFILE)]
        for path in (self.folder, *sorted(self.folder.iterdir())):
            it = path.lstat()
            content = path.read_bytes() if path.is_file() else b""
            marks = os.listxattr(path)
            found.append((path.name, it.st_mode, it.st_uid, it.st_mtime_ns, it.st_nlink, content, marks))
        shared = Path("/dev/shm")
        found.append(sorted(each.name for each in shared.glob("escaped*")) if shared.is_dir() else [])
        found.append(sorted(each.name for each in Path(tempfile.gettempdir()).glob("escaped*")))
        return found

    def harm(self, execution: Execution) -> list[str]:
        """The damage of the program."""
        found = []
        if self.secret in dumped(execution):
            found.append("it told the secret")
        if "root:" in dumped(execution):
            found.append("it told the accounts")
        if select.select([self.tcp, self.udp, self.local, self.hidden], [], [], 0)[0]:
            found.append("it reached a listener")
        after = self.state()
        if after != self.before:
            found.append(f"it changed {[pair for pair in zip(self.before, after, strict=False) if pair[0] != pair[1]]}")
        return found


@contextlib.contextmanager
def outside() -> Iterator[Outside]:
    with tempfile.TemporaryDirectory(prefix="graphwright-") as folder:
        found = Outside(Path(folder))
        try:
            yield found
        finally:
            found.close()
