"""Shared by tests of the embedded graph: its worker processes seen from outside, and programs that own one."""

from __future__ import annotations

import contextlib
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import IO

from graphwright_confined import available

TIMEOUT_SECONDS = 60.0
"""Seconds after which a test stops waiting."""

UNCONFINED = "".join(error.message for error in available().missing)
"""Why no worker can be confined here, and none is started; empty if one can."""


def workers(path: Path) -> list[int]:
    """The processes that have the graph in this file open."""
    found = []
    for process in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            command = (process / "cmdline").read_bytes()
            if b"embedded._worker" in command and f'"{path}"'.encode() in command:
                found.append(int(process.name))
    return found


_BEGINNING = """
import sys
from pathlib import Path
from graphwright_graph import *
from graphwright_graph.embedded._client import EmbeddedStore
store = EmbeddedStore(Path(sys.argv[1]))
def tell(*words):
    print(*words, flush=True)
"""


@contextlib.contextmanager
def program(script: str, path: Path, *arguments: str) -> Iterator[tuple[subprocess.Popen[str], IO[str]]]:
    """A separate program that has the graph in this file as `store`, and its messages; killed at the end."""
    with subprocess.Popen(
        [sys.executable, "-c", _BEGINNING + script, str(path), *arguments],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "SOME_API_KEY": "hidden-in-the-environment"},
    ) as started:
        assert started.stdout is not None
        try:
            yield started, started.stdout
        finally:
            started.kill()
