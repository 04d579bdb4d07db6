"""The self-tests: whether a confined process, or generated code in the sandbox, can escape on this machine."""

from __future__ import annotations

import contextlib
import ctypes
import hashlib
import os
import secrets
import socket
import sys
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from graphwright.sandbox import runtime_paths
from graphwright.sandbox.child import Child, Died
from graphwright.sandbox.confine import available
from graphwright.sandbox.errors import SandboxUnavailable
from graphwright.sandbox.execution import Execution, ListResult, TextResult
from graphwright.sandbox.isolation_levels import CONTAINER, bubblewrap_version
from graphwright.store.home import data_home

_SECONDS = 30.0
_PROGRAM = "graphwright.sandbox.escapes"

_CODE = """
from graphwright.sandbox import escapes
result = escapes.successful_escapes(**{arguments!r})
"""


def self_test() -> str:
    """Let a child process confine itself and try five kinds of escape; return the isolation that held.

    The escapes: read a file outside, write outside, open a socket, start a process, look into another process. Raises
    SandboxUnavailable where one succeeds, and where the child cannot be confined or start.
    """
    for missing in available().missing:
        raise missing
    with _bait() as bait:
        report = _child_report(bait.arguments)
        if "unavailable" in report:
            raise SandboxUnavailable(*report["unavailable"])
        _refuse("a confined process", bait.all_escapes(report["escapes"]))
    return str(report["isolation"])


def verify_isolation(isolation: str, run: Callable[[str], Execution], *, anew: bool = False) -> None:
    """Raise SandboxUnavailable unless generated code cannot escape from this isolation.

    `run` runs the attempts as all code is run. A success is remembered in the data home until the next boot or the next
    change of interpreter, kernel, bubblewrap or this package; with `anew` nothing is remembered, before or after.
    """
    file, configuration = data_home() / "sandbox" / f"{isolation}.verified", ""
    with contextlib.suppress(OSError):
        configuration = "" if anew else _configuration(isolation)
        if configuration and file.read_text("utf-8") == configuration:
            return
    _refuse(f"under {isolation}, code", _escapes(run))
    # Where that fails the self-test is made again the next time.
    with contextlib.suppress(OSError):
        if configuration:
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(configuration, "utf-8")


def _escapes(run: Callable[[str], Execution]) -> list[str]:
    with _bait() as bait:
        execution = run(_CODE.format(arguments=bait.arguments))
        if not isinstance(execution.result, ListResult):
            reason = execution.error.message if execution.error else "it returned no result"
            raise _failed(f"the attempts do not run: {reason}", "Please report this.")
        return bait.all_escapes([item.text for item in execution.result.items if isinstance(item, TextResult)])


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
            f"no child can be started: {sys.executable}: {error.strerror}.", "Check the interpreter."
        ) from None
    try:
        report: dict[str, Any] = child.receive(_SECONDS)[0]
    except Died as error:
        raise _failed(
            f"the child sent no report ({error.why}, status {error.status}).", "Please report this."
        ) from None
    finally:
        child.close()
    return report


@dataclass
class _Bait:
    """What escapes aim at: a secret file in a folder, memory of this process, and a listening port."""

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
        """The reported escapes, and those whose effects are visible from outside, whatever was reported."""
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
        # Everybody may change it: nothing but the isolation is in the way.
        Path(folder).chmod(0o777)
        secret = Path(folder, "secret")
        secret.write_text(secrets.token_hex(), "ascii")
        secret.chmod(0o666)
        listener.bind(("127.0.0.1", 0))
        listener.listen()
        listener.settimeout(0)
        yield _Bait(secret, listener)


def _configuration(isolation: str) -> str:
    """A hash of all that the isolation depends on. Raises OSError where the system does not say when it was booted."""
    boot = Path("/proc/sys/kernel/random/boot_id").read_text("ascii")
    parts = [boot, isolation, sys.version, repr(list(os.uname())), str(os.getuid())]
    if isolation == CONTAINER:
        parts.append(repr(bubblewrap_version()))
    parts += map(str, runtime_paths.readable())
    digest = hashlib.sha256("\0".join(parts).encode("utf-8", "replace"))
    for file in sorted(Path(__file__).parent.rglob("*.py")):
        digest.update(file.read_bytes())
    return digest.hexdigest()
