"""The self-tests: whether a confined process, or generated code in the sandbox, can escape on this machine."""

from __future__ import annotations

import contextlib
import ctypes
import os
import secrets
import socket
import sys
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from graphwright_confined._errors import SandboxUnavailable
from graphwright_confined.child import Child, Died
from graphwright_confined.confine import available
from graphwright_confined.execution import Execution, ListResult, TextResult

_SECONDS = 30.0
_PROGRAM = "graphwright_confined._escapes"

_CODE = """
from graphwright_confined import _escapes as escapes
result = escapes.successful_escapes(**{arguments!r})
"""


def self_test() -> str:
    """Let a child process confine itself and try five kinds of escape. Returns the verified isolation.

    The escapes: read a file outside, write outside, open a socket, start a process, read another process. Raises
    SandboxUnavailable if one succeeds, or if the child cannot be confined or started.
    """
    for missing in available().missing:
        raise missing
    with _bait() as bait:
        report = _child_report(bait.arguments)
        if "unavailable" in report:
            raise SandboxUnavailable(*report["unavailable"])
        _refuse("a confined process", bait.all_escapes(report["escapes"]))
    return str(report["isolation"])


def verify_isolation(isolation: str, run: Callable[[str], Execution]) -> None:
    """Raise SandboxUnavailable unless generated code cannot escape from this isolation.

    `run` runs the attempts in the same way as other code.
    """
    with _bait() as bait:
        execution = run(_CODE.format(arguments=bait.arguments))
        if not isinstance(execution.result, ListResult):
            reason = execution.error.message if execution.error else "it returned no result"
            raise _failed(f"The attempts do not run: {reason.rstrip('.')}.", "Please report this.")
        told = [item.text for item in execution.result.items if isinstance(item, TextResult)]
        _refuse(f"under {isolation}, code", bait.all_escapes(told))


def _refuse(who: str, escapes: list[str]) -> None:
    if escapes:
        raise _failed(
            f"{who} could {' and '.join(escapes)}.",
            "Do not rely on it on this machine. Look for what is unusual about its kernel or container.",
        )


def _failed(reason: str, hint: str) -> SandboxUnavailable:
    return SandboxUnavailable("self-test", reason, hint)


def _child_report(arguments: dict[str, Any]) -> dict[str, Any]:
    try:
        child = Child(_PROGRAM, arguments)
    except OSError as error:
        raise _failed(
            f"No child can be started: {sys.executable}: {error.strerror}.", "Check the interpreter."
        ) from None
    try:
        report: dict[str, Any] = child.receive(_SECONDS)[0]
    except Died as error:
        raise _failed(
            f"The child sent no report ({error.why}, status {error.status}).", "Please report this."
        ) from None
    finally:
        child.close()
    return report


@dataclass
class _Bait:
    """The targets of escapes: a secret file in a folder, memory of this process, and a listening port."""

    secret: Path
    listener: socket.socket

    def __post_init__(self) -> None:
        self.memory = ctypes.create_string_buffer(self.secret.read_bytes())
        self.before = self._state()

    @property
    def arguments(self) -> dict[str, Any]:
        """The arguments of `escapes.successful_escapes`."""
        return {
            "secret": str(self.secret),
            "victim": os.getpid(),
            "address": ctypes.addressof(self.memory),
            "port": self.listener.getsockname()[1],
        }

    def all_escapes(self, reported: list[str]) -> list[str]:
        """The reported escapes, and those whose effects are visible from outside, whatever the report says."""
        found = list(reported)
        if self._state() != self.before:
            found.append("write outside")
        with contextlib.suppress(OSError):
            self.listener.accept()[0].close()
            found.append("open a socket")
        return list(dict.fromkeys(found))

    def _state(self) -> list[tuple[str, int, int, int, bytes]]:
        folder, found = self.secret.parent, []
        for path in (folder, *sorted(folder.iterdir())):
            status = path.lstat()
            content = path.read_bytes() if path.is_file() else b""
            found.append((path.name, status.st_mode, status.st_mtime_ns, status.st_nlink, content))
        return found


@contextlib.contextmanager
def _bait() -> Iterator[_Bait]:
    with tempfile.TemporaryDirectory(prefix="graphwright-") as folder, socket.socket() as listener:
        # Everyone may change it, so that only the isolation protects it.
        Path(folder).chmod(0o777)
        secret = Path(folder, "secret")
        secret.write_text(secrets.token_hex(), "ascii")
        secret.chmod(0o666)
        listener.bind(("127.0.0.1", 0))
        listener.listen()
        listener.settimeout(0)
        yield _Bait(secret, listener)
