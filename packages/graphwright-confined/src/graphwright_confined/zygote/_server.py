"""The warm process: loads the libraries, forks a child for each request of its owner, and watches it until it ends.

Its owner is trusted, and so is everything that runs in this process: only the children read generated code.
"""

from __future__ import annotations

import contextlib
import fcntl
import json
import os
import resource
import select
import signal
import socket
import sys
import traceback
from pathlib import Path
from typing import Any, NoReturn

from graphwright_confined import _libc as libc
from graphwright_confined._errors import SandboxUnavailable
from graphwright_confined._privileges import Limits, address_space
from graphwright_confined.confine import Confinement, confine
from graphwright_confined.zygote import libraries, program

# Children cannot read the files of this package, so it is imported here.
from graphwright_confined import _escapes as escapes  # noqa: F401  # isort: skip

STOP = b"stop\n"
"""The message with which the owner ends an execution. It may arrive too late."""

MOST_DATA = 240
_MOST_DESCRIPTORS = 1_024
"""The maximum number of open descriptors of the warm process, and of their values."""

_SET_DEATH_SIGNAL, _SET_DUMPABLE = 1, 4
_IDLE = 0.3
"""Seconds without a request after which further libraries are loaded."""
_WATCH = 0.05
"""Seconds between two checks of limits that the kernel does not enforce."""

_REPORT, _REQUEST, _FAILURE, _DATA = 3, 4, 5, 6
"""The descriptors of a child."""
_AWAY = 300
"""The first descriptor of the range to which they are moved temporarily."""


def main(settings: str) -> None:
    """Serve the owner at the other end of the socket until it ends. The settings are JSON:

    `control` is the descriptor of the socket, `read` are the paths that children may read, `package_roots` are the
    folders from which Graphwright is imported, `user` the user id to switch to (null: no change).
    """
    place = json.loads(settings)
    control = socket.socket(fileno=place["control"])
    _set_up()
    libraries.load(["base"])
    from graphwright_confined.zygote import _encoding as encoding

    encoding.catch_shown_figures()
    for root in place["package_roots"]:
        if root not in place["read"] and root in sys.path:
            sys.path.remove(root)
    sys.path_importer_cache.clear()
    _switch_user(place["user"])
    control.sendall(b'{"ready": true}\n')
    while (received := _receive(control)) is not None:
        request, descriptors = received
        libraries.load(request["libraries"])
        ended = _execute(control, request, descriptors, place)
        with contextlib.suppress(BrokenPipeError):
            control.sendall(json.dumps({"ended": ended}).encode() + b"\n")


def _set_up() -> None:
    # A Ctrl-C in the owner's terminal is handled by the owner.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (_MOST_DESCRIPTORS, max(hard, _MOST_DESCRIPTORS)))
    os.umask(0o077)
    os.chdir("/")
    _protect()


def _protect() -> None:
    """End with the owner, and forbid other processes of the same user access to this one."""
    libc.prctl(_SET_DEATH_SIGNAL, signal.SIGKILL)
    libc.prctl(_SET_DUMPABLE, 0)


def _switch_user(user: int | None) -> None:
    if user is None:
        return
    os.setgroups([])
    os.setgid(user)
    os.setuid(user)
    # The change of the user has reset it.
    _protect()


def _receive(control: socket.socket) -> tuple[dict[str, Any], list[int]] | None:
    """The next request and its descriptors, or None if the owner has ended. Loads libraries while idle."""
    while not select.select([control], [], [], _IDLE)[0]:
        if not libraries.load_one_more():
            break
    text, descriptors = b"", []
    while not text.endswith(b"\n"):
        more, found, _, _ = socket.recv_fds(control, 65_536, MOST_DATA + 3)
        if not more:
            return None
        descriptors += found
        # The child may have ended by itself before the owner stopped it.
        text = (text + more).removeprefix(STOP)
    return json.loads(text), descriptors


def _execute(
    control: socket.socket, request: dict[str, Any], descriptors: list[int], place: dict[str, Any]
) -> dict[str, Any]:
    """Run the request in a child until it ends, reaches a limit or is stopped by the owner. Returns how it ended.

    The descriptors are the request for the program, the output, the report and the data. They are closed here.
    """
    memory, owner = address_space(), os.getpid()
    failure, their_failure = os.pipe()
    child = os.fork()
    if child == 0:
        _become_child(owner, memory, request, [*descriptors[:3], their_failure, *descriptors[3:]], place)
    for descriptor in (*descriptors, their_failure):
        os.close(descriptor)
    with os.fdopen(failure, "rb") as file:
        # The child closes it after its confinement, before it reads the request.
        reason = file.read(4_096)
    if reason:
        os.waitpid(child, 0)
        return {"unconfined": reason.decode("utf-8", "replace")}
    control.sendall(b'{"started": true}\n')
    limit, status, cpu = _watch(control, child, request["threads"])
    signalled = os.WTERMSIG(status) if os.WIFSIGNALED(status) else None
    code = os.WEXITSTATUS(status) if os.WIFEXITED(status) else None
    return {"limit": limit, "signal": signalled, "code": code, "cpu": cpu}


def _watch(control: socket.socket, child: int, most_threads: int) -> tuple[str | None, int, float]:
    """Wait until the child has ended. Returns the limit for which it was ended, its status and its CPU seconds."""
    limit = None
    end = os.pidfd_open(child)
    waiting: list[Any] = [control, end]
    try:
        while True:
            ready, _, _ = select.select(waiting, [], [], _WATCH)
            if control in ready:
                # Any message of the owner, and its end, means that no one waits for the result.
                os.kill(child, signal.SIGKILL)
            done, status, used = os.wait4(child, 0 if ready else os.WNOHANG)
            if done:
                if control in ready:
                    control.recv(64)
                return limit, status, used.ru_utime + used.ru_stime
            if limit is None and _threads(child) > most_threads:
                limit = "threads"
                os.kill(child, signal.SIGKILL)
    finally:
        os.close(end)


def _threads(process: int) -> int:
    try:
        # The name of the program, in brackets, may contain anything.
        return int(Path(f"/proc/{process}/stat").read_bytes().rpartition(b")")[2].split()[17])
    except (OSError, ValueError, IndexError):
        return 0


def _become_child(
    owner: int, memory: int, request: dict[str, Any], descriptors: list[int], place: dict[str, Any]
) -> NoReturn:
    try:
        _arrange(descriptors)
        _confine(owner, memory, request, place, len(descriptors) - 4)
    except BaseException as error:
        reason = f"{error.message} {error.hint}" if isinstance(error, SandboxUnavailable) else traceback.format_exc()
        os.write(_FAILURE, reason.encode("utf-8", "replace"))
        os._exit(1)
    try:
        os.close(_FAILURE)
        program.run(_REQUEST, _REPORT, list(range(_DATA, _DATA + len(descriptors) - 4)))
    finally:
        os._exit(1)


def _arrange(descriptors: list[int]) -> None:
    """Move the descriptors to the numbers of a child, and close all others."""
    # First move them to free numbers.
    request, output, report, failure, *data = (fcntl.fcntl(each, fcntl.F_DUPFD_CLOEXEC, _AWAY) for each in descriptors)
    nothing = os.open(os.devnull, os.O_RDONLY)
    targets = ((nothing, 0), (failure, _FAILURE), (output, 1), (output, 2), (report, _REPORT), (request, _REQUEST))
    for source, target in targets:
        os.dup2(source, target)
    for target, source in enumerate(data, _DATA):
        os.dup2(source, target, inheritable=False)
    os.closerange(_DATA + len(data), _MOST_DESCRIPTORS)


def _confine(owner: int, memory: int, request: dict[str, Any], place: dict[str, Any], data: int) -> None:
    libc.prctl(_SET_DEATH_SIGNAL, signal.SIGKILL)
    if os.getppid() != owner:
        os._exit(1)
    limits = Limits(
        memory=memory + request["memory"],
        cpu_seconds=request["cpu_seconds"],
        files=request["descriptors"],
        # The lowest possible limit: no file can be opened for writing.
        file_size=1,
    )
    # DuckDB opens the files of the data sets again, to read them in parts.
    files = [f"/proc/self/fd/{descriptor}" for descriptor in range(_DATA, _DATA + data)]
    confine(Confinement(read=[*place["read"], *files], limits=limits))
