"""The reading process: it is given one file and one folder, confines itself to them, reads, and says what it found.

Started by `graphwright.files.process`. It reads what strangers wrote: whatever a parser can be brought to, it reaches
nothing but that file, that folder and Python's libraries. Where no confinement is to be had, the limits on memory and
time hold alone.
"""

from __future__ import annotations

import json
import os
import signal
import sys
import sysconfig
from contextlib import suppress
from pathlib import Path
from typing import NoReturn

import pyarrow as pa

from graphwright.errors import said
from graphwright.files.errors import FileError, FilesUnavailable, NotData, NotReadable, packed
from graphwright.files.limits import Limits
from graphwright.files.naming import shown
from graphwright.files.tables.reading import read_file
from graphwright.sandbox import Confinement, SandboxUnavailable, available, confine
from graphwright.sandbox import Limits as ProcessLimits

OUT_OF_MEMORY = 77
"""The status with which it ends when there is no memory left, not even to say so."""


def main() -> NoReturn:
    """Read the job from stdin, `{path, folder, stat, limits, threads}` as JSON; write `{found}` or `{error}`."""
    out = os.dup(1)
    nothing = os.open(os.devnull, os.O_RDWR)
    os.dup2(nothing, 1)
    os.umask(0o077)
    job = json.load(sys.stdin)
    limits = Limits(**job["limits"])
    signal.signal(signal.SIGALRM, signal.SIG_DFL)
    signal.setitimer(signal.ITIMER_REAL, limits.seconds)
    path, folder = Path(job["path"]), Path(job["folder"])
    try:
        isolation = _confined(path, folder, limits)
        pa.set_cpu_count(job["threads"])
        _same(path, job["stat"])
        found = read_file(path, folder, limits, job["threads"])
        _same(path, job["stat"])
        answer = {"found": {**found, "isolation": isolation}}
    except SandboxUnavailable as error:
        answer = {"error": packed(FilesUnavailable("files_unavailable", error.message, error.hint))}
    except FileError as error:
        answer = {"error": packed(error)}
    except (MemoryError, pa.ArrowMemoryError):
        os._exit(OUT_OF_MEMORY)
    except OSError as error:
        told = NotReadable("unreadable_file", f"it cannot be read ({said(error)})", "Look at the file and the disk.")
        answer = {"error": packed(told)}
    except Exception as error:
        # A parser that stumbles says so in ways that nobody can list.
        broken = NotData("damaged_file", f"it cannot be read ({shown(said(error), 150)})", "Export the data once more.")
        answer = {"error": packed(broken)}
    with os.fdopen(out, "w", encoding="utf-8") as stream:
        json.dump(answer, stream)
    # Threads of the libraries may still be at work on nothing.
    os._exit(0)


def _confined(path: Path, folder: Path, limits: Limits) -> str:
    # Libraries import some of their parts when they first need them.
    libraries = {sysconfig.get_path("stdlib"), sysconfig.get_path("platstdlib"), str(Path(pa.__file__).parents[1])}
    taken = ProcessLimits(memory=limits.memory, cpu_seconds=None, files=64, file_size=2 * limits.unpacked_bytes)
    if not available().isolation:
        _limited(limits)
        return ""
    return confine(Confinement(read=[path, *libraries], write=[folder], limits=taken))


def _limited(limits: Limits) -> None:
    import resource

    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    # macOS knows the limit and does not hold it.
    with suppress(OSError, ValueError):
        resource.setrlimit(resource.RLIMIT_AS, (limits.memory, limits.memory))


def _same(path: Path, stat: list[int]) -> None:
    now = path.stat()
    if [now.st_dev, now.st_ino, now.st_size, now.st_mtime_ns] != stat:
        raise NotReadable("changed_file", "it changed while it was read", "Try again when nothing writes to it.")
