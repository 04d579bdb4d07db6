"""The warm process: it loads the libraries, then forks a child for each execution that its owner asks for.

Its owner is trusted, and so is all that it runs itself: the code never enters this process, only its children read it.
"""

from __future__ import annotations

import contextlib
import json
import os
import resource
import select
import shutil
import signal
import socket
import sys
from typing import Any

from graphwright.sandbox.zygote import figures, libraries
from graphwright.sandbox.zygote.forking import MOST_DATA, MOST_DESCRIPTORS, execute

# Imported here so that children find them: nothing of this package can be read from inside.
from graphwright.sandbox import canaries  # noqa: F401  # isort: skip

STOP = b"stop\n"
"""What the owner sends to end an execution. It may come too late."""

_QUIET = 0.3
"""Seconds without a request after which there is time to load more."""


def main(settings: str) -> None:
    """Serve the owner at the other end of the socket until it ends; settings: `{control, read, folder, own, user}`.

    `read` is what children may read, `folder` where they may write when they may, `own` the folder that this package
    was loaded from, and `user` who to become (None: stay).
    """
    place = json.loads(settings)
    control = socket.socket(fileno=place["control"])
    _settle(place)
    libraries.load(["base"])
    figures.catch_shown()
    from graphwright.sandbox.zygote import encoding  # noqa: F401

    if place["own"] not in place["read"] and place["own"] in sys.path:
        sys.path.remove(place["own"])
    sys.path_importer_cache.clear()
    _drop_to(place["user"])
    control.sendall(b'{"ready": true}\n')
    while True:
        received = _request(control)
        if received is None:
            return
        asked, given = received
        libraries.load(asked["libraries"])
        told = execute(control, asked, given, place)
        if asked["disk"]:
            _empty(place["folder"])
        with contextlib.suppress(BrokenPipeError):
            control.sendall(json.dumps({"ended": told}).encode() + b"\n")


def _settle(place: dict[str, Any]) -> None:
    # A Ctrl-C in the owner's terminal is the owner's.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (MOST_DESCRIPTORS, max(hard, MOST_DESCRIPTORS)))
    os.umask(0o077)
    os.chdir("/")
    if sys.platform == "linux":
        from graphwright.sandbox import libc

        libc.prctl(1, signal.SIGKILL)
        # Nobody of the same user looks into this process, or takes it over.
        libc.prctl(4, 0)


def _drop_to(user: int | None) -> None:
    if user is None:
        return
    os.setgroups([])
    os.setgid(user)
    os.setuid(user)
    from graphwright.sandbox import libc

    # A change of the user takes the one back, and must not be undone by the other.
    libc.prctl(1, signal.SIGKILL)
    libc.prctl(4, 0)


def _request(control: socket.socket) -> tuple[dict[str, Any], list[int]] | None:
    """The next request and its descriptors; None where the owner has ended. Loads libraries while there is none."""
    while not select.select([control], [], [], _QUIET)[0]:
        if not libraries.load_one_more():
            break
    text, given = b"", []
    while not text.endswith(b"\n"):
        more, descriptors, _, _ = socket.recv_fds(control, 65_536, MOST_DATA + 3)
        if not more:
            return None
        given += descriptors
        # The child may have ended by itself before it was to be stopped.
        text = (text + more).removeprefix(STOP)
    return json.loads(text), given


def _empty(folder: str) -> None:
    """Nothing of one execution is there for the next."""
    for entry in os.scandir(folder):
        with contextlib.suppress(OSError):
            if entry.is_dir(follow_symlinks=False):
                shutil.rmtree(entry.path, ignore_errors=True)
            else:
                os.unlink(entry.path)
