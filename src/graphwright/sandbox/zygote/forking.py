"""One execution: a child is forked, confines itself and runs the program; the warm process watches until it ends."""

from __future__ import annotations

import fcntl
import os
import select
import signal
import socket
import sys
import traceback
from typing import Any, NoReturn

from graphwright.sandbox.confine import Confinement, confine
from graphwright.sandbox.errors import SandboxUnavailable
from graphwright.sandbox.privileges import Limits
from graphwright.sandbox.zygote import program
from graphwright.sandbox.zygote.watching import Watch, address_space

_PDEATHSIG = 1
_EVERY = 0.05
"""Seconds between two looks at what the kernel does not limit."""

MOST_DATA = 240
MOST_DESCRIPTORS = 1_024
"""Descriptors that the warm process may have open; none is above this."""

_FRAME, _REQUEST, _DOUBT, _DATA = 3, 4, 5, 6
"""Where a child finds its descriptors, and where they are out of the way meanwhile."""
_AWAY = 300


def execute(control: socket.socket, asked: dict[str, Any], given: list[int], place: dict[str, Any]) -> dict[str, Any]:
    """Run what was asked in a child, until it ends, a limit is hit, or the owner says so; tells how it ended.

    `given` are descriptors: the request, where output goes, where the frame goes, and the data. They are closed here.
    `place` says what may be read, and the working folder.
    """
    memory, own = address_space(), os.getpid()
    doubt, their_doubt = os.pipe()
    child = os.fork()
    if child == 0:
        _become_child(own, memory, asked, [*given[:3], their_doubt, *given[3:]], place)
    for descriptor in (*given, their_doubt):
        os.close(descriptor)
    with os.fdopen(doubt, "rb") as file:
        # The child closes it once it is confined, before it looks at anything that was given.
        said = file.read(4_096)
    if said:
        os.waitpid(child, 0)
        return {"unconfined": said.decode("utf-8", "replace")}
    watch = Watch(
        child,
        asked["threads"],
        place["folder"] if asked["disk"] else None,
        asked["disk"],
        asked["files"],
        asked["memory"] if sys.platform == "darwin" else None,
    )
    control.sendall(b'{"started": true}\n')
    over, (status, cpu) = _watched(control, watch)
    signalled = os.WTERMSIG(status) if os.WIFSIGNALED(status) else None
    code = os.WEXITSTATUS(status) if os.WIFEXITED(status) else None
    return {"over": over, "signal": signalled, "code": code, "cpu": cpu}


def _watched(control: socket.socket, watch: Watch) -> tuple[str | None, tuple[int, float]]:
    """Wait until the child has ended; the limit that it was ended for, its status and its seconds of computing."""
    over = None
    ending = _ending(watch.child)
    try:
        while True:
            waiting: list[Any] = [control] if ending is None else [control, ending]
            # Without a descriptor that tells of the end, one has to look.
            ready, _, _ = select.select(waiting, [], [], 0.002 if ending is None else _EVERY)
            if control in ready:
                # Whatever the owner says now, and its end as well, means that this is for nobody any more.
                _kill(watch.child)
            done, status, used = os.wait4(watch.child, 0 if ending in ready or control in ready else os.WNOHANG)
            if done:
                if control in ready:
                    control.recv(64)
                return over, (status, used.ru_utime + used.ru_stime)
            if over is None:
                over = watch.exceeded()
                if over is not None:
                    _kill(watch.child)
    finally:
        if ending is not None:
            os.close(ending)


def _ending(child: int) -> int | None:
    if sys.platform == "linux":
        return os.pidfd_open(child)
    return None


def _kill(child: int) -> None:
    os.kill(child, signal.SIGKILL)


def _become_child(owner: int, memory: int, asked: dict[str, Any], given: list[int], place: dict[str, Any]) -> NoReturn:
    try:
        _arrange(given)
        if asked["disk"]:
            os.chdir(place["folder"])
        _confine(owner, memory, asked, place)
    except BaseException as error:
        said = f"{error.message} {error.hint}" if isinstance(error, SandboxUnavailable) else traceback.format_exc()
        os.write(_DOUBT, said.encode("utf-8", "replace"))
        os._exit(1)
    try:
        os.close(_DOUBT)
        program.run(_REQUEST, _FRAME, list(range(_DATA, _DATA + len(given) - 4)))
    finally:
        os._exit(1)


def _arrange(given: list[int]) -> None:
    """Keep nothing open but what was given, in the places that it belongs to."""
    # First out of the way of each other.
    request, out, frame, doubt, *data = (fcntl.fcntl(descriptor, fcntl.F_DUPFD_CLOEXEC, _AWAY) for descriptor in given)
    nothing = os.open(os.devnull, os.O_RDONLY)
    places = ((nothing, 0), (doubt, _DOUBT), (out, 1), (out, 2), (frame, _FRAME), (request, _REQUEST))
    for source, target in places:
        os.dup2(source, target)
    for place, source in enumerate(data, _DATA):
        os.dup2(source, place, inheritable=False)
    os.closerange(_DATA + len(data), MOST_DESCRIPTORS)


def _confine(owner: int, memory: int, asked: dict[str, Any], place: dict[str, Any]) -> None:
    write = [place["folder"]] if asked["disk"] else []
    limits = Limits(
        memory=memory + asked["memory"],
        cpu_seconds=asked["cpu_seconds"],
        files=asked["descriptors"],
        # The least there is: it can open nothing to write in any case.
        file_size=asked["disk"] or 1,
    )
    if sys.platform == "darwin":
        from graphwright.sandbox import seatbelt

        seatbelt.confine(place["read"], write, limits)
        return
    from graphwright.sandbox import libc

    libc.prctl(_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != owner:
        os._exit(1)
    confine(Confinement(read=place["read"], write=write, limits=limits))
