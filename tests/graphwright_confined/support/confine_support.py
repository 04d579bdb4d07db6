"""Shared by the tests of confinement: real child processes that confine themselves, as this and as another user."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest

from graphwright_confined import available

needs_confinement = pytest.mark.skipif(
    bool(available().missing), reason=" ".join(str(missing) for missing in available().missing)
)

# The prelude of a child. Everything is imported before the child confines itself, as in any program.
PRELUDE = """
import ctypes, errno, fcntl, json, mmap, os, resource, signal, socket, sqlite3, sys, threading, time
from pathlib import Path
from graphwright_confined import Confinement, Limits, SandboxUnavailable, confine
from graphwright_confined import _landlock as landlock, _libc as libc, _seccomp as seccomp

given = json.loads(sys.argv[1])
inside, outside = Path(given["inside"]), Path(given["outside"])
if given["user"] is not None:
    os.setgroups([])
    os.setgid(given["user"])
    os.setuid(given["user"])
    # A change of the user makes a process non-dumpable; that is for confine() to do.
    libc.prctl(4, 1)

def tried(way):
    "'done', or the name of the error."
    try:
        way()
    except OSError as error:
        return errno.errorcode[error.errno]
    return "done"

def all_tried(ways):
    return {name: tried(way) for name, way in ways.items()}

def tell(what):
    print(json.dumps(what), flush=True)
"""


@dataclass(frozen=True)
class Place:
    """Two folders, one of them writable for the child, and the user it runs as (None: the current user)."""

    inside: Path
    outside: Path
    user: int | None

    def put(self, name: str, content: str) -> Path:
        """Write a file outside that belongs to the user of the child, so that only the confinement protects it."""
        path = self.outside / name
        path.write_text(content, "utf-8")
        if self.user is not None:
            os.chown(path, self.user, self.user)
        return path

    def start(self, code: str, **given: Any) -> subprocess.Popen[str]:
        """Start a child that runs the code after the prelude; `given` is further input besides the place."""
        task = {"inside": str(self.inside), "outside": str(self.outside), "user": self.user, **given}
        return subprocess.Popen(
            [sys.executable, "-c", PRELUDE + code, json.dumps(task)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def end(self, code: str, **given: Any) -> tuple[int, str, str]:
        """The exit status of a child, and its output."""
        child = self.start(code, **given)
        try:
            out, err = child.communicate(timeout=60)
        except subprocess.TimeoutExpired:
            child.kill()
            raise
        return child.returncode, out, err

    def sent_values(self, code: str, **given: Any) -> Any:
        """The values that a successful child sent."""
        status, out, err = self.end(code, **given)
        assert status == 0, (status, err)
        return json.loads(out)


def places(user: int | None) -> Iterator[Place]:
    with TemporaryDirectory(prefix="graphwright-") as folder:
        Path(folder).chmod(0o755)
        made = []
        for name in ("inside", "outside"):
            path = Path(folder, name)
            path.mkdir()
            if user is not None:
                os.chown(path, user, user)
            made.append(path)
        yield Place(made[0], made[1], user)
