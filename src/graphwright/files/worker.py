"""The reading process: it keeps the readers ready, and each child of it reads confined.

Started by `graphwright.files.process`. The process itself reads nothing that strangers wrote: it imports the readers
and forks. A child confines itself before it reads. One that reads tables reaches the file, the new folder for what it
finds, and Python's libraries; one that reads documents gets their bytes through the pipe and reaches the libraries
alone. It is replaced after each file of a format whose parsers are most often attacked. Where no confinement is to be
had, the limits on memory and time hold alone.
"""

from __future__ import annotations

import json
import os
import resource
import signal
import sysconfig
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any, NoReturn

import charset_normalizer

from graphwright.errors import said
from graphwright.files.errors import FileError, NotData, NotReadable, NotText, packed
from graphwright.files.naming import shown
from graphwright.files.process import ENDED_BY, OUT_OF_MEMORY, UNCONFINED, What
from graphwright.sandbox import Confinement, SandboxUnavailable, available, confine
from graphwright.sandbox import Limits as ProcessLimits

_NEXT, _DONE = 0, 1
_HEADER = 16
_CHUNK = 1 << 20

Answer = tuple[dict[str, Any], bytes]


def main(what: What, memory: int) -> NoReturn:
    """Have children read, one at a time, each with so many bytes of address space, until stdin ends."""
    out = os.dup(1)
    nothing = os.open(os.devnull, os.O_RDWR)
    os.dup2(nothing, 1)
    os.umask(0o077)
    signal.signal(signal.SIGALRM, signal.SIG_DFL)
    read = _tables() if what == "data" else _documents()
    while True:
        child = os.fork()
        if not child:
            _child(read, out, memory)
        _, ended = os.waitpid(child, 0)
        if os.WIFSIGNALED(ended):
            os._exit(ENDED_BY + os.WTERMSIG(ended))
        if (status := os.WEXITSTATUS(ended)) != _NEXT:
            os._exit(0 if status == _DONE else status)


def _tables() -> Callable[[dict[str, Any], bytes], Answer]:
    from graphwright.files.limits import Limits
    from graphwright.files.tables.engine import started
    from graphwright.files.tables.reading import read_file

    connection = started()

    def read(job: dict[str, Any], content: bytes) -> Answer:
        path = Path(job["path"])
        _same(path, job["stat"])
        found = read_file(connection, path, Path(job["folder"]), Limits(**job["limits"]), job["threads"])
        _same(path, job["stat"])
        return found, b""

    return read


def _documents() -> Callable[[dict[str, Any], bytes], Answer]:
    from graphwright.files.documents.limits import DocumentLimits, ImageLimits
    from graphwright.files.documents.reading import document, picture

    def read(job: dict[str, Any], content: bytes) -> Answer:
        if job["picture"]:
            return picture(content, job["name"], ImageLimits(**job["limits"]))
        return document(content, job["name"], DocumentLimits(**job["limits"])), b""

    return read


def _child(read: Callable[[dict[str, Any], bytes], Answer], out: int, memory: int) -> NoReturn:
    status = OUT_OF_MEMORY
    try:
        status = _serve(read, out, memory)
    except SandboxUnavailable:
        status = UNCONFINED
    except BrokenPipeError:
        status = _DONE
    except MemoryError:
        pass
    finally:
        os._exit(status)


def _serve(read: Callable[[dict[str, Any], bytes], Answer], out: int, memory: int) -> int:
    """Read files until one says that it is the last for this child (`_NEXT`), or there are no more (`_DONE`)."""
    isolation: str | None = None
    while True:
        header = _taken(_HEADER)
        told = header and _taken(int.from_bytes(header[:8], "big"))
        if not header or not told:
            return _DONE
        job = json.loads(told)
        if isolation is None:
            # Before the first byte of a file.
            isolation = _confined(job, memory)
        content = _taken(int.from_bytes(header[8:], "big"))
        if content is None:
            return _DONE
        signal.setitimer(signal.ITIMER_REAL, job["limits"]["seconds"])
        answer, data = _answer(read, job, content)
        signal.setitimer(signal.ITIMER_REAL, 0)
        _write(out, json.dumps({**answer, "isolation": isolation}).encode("ascii"), data)
        if job["last"]:
            return _NEXT


def _answer(read: Callable[[dict[str, Any], bytes], Answer], job: dict[str, Any], content: bytes) -> Answer:
    try:
        return read(job, content)
    except FileError as error:
        return {"error": packed(error)}, b""
    except MemoryError:
        raise
    except OSError as error:
        why = f"it cannot be read ({said(error)})"
        return {"error": packed(NotReadable("unreadable_file", why, "Look at the file and the disk."))}, b""
    except Exception as error:
        # A parser that stumbles says so in ways that nobody can list.
        broken = NotData if "path" in job else NotText
        why = f"it cannot be read ({shown(said(error), 150)})"
        return {"error": packed(broken("damaged_file", why, "Save or export it once more."))}, b""


def _confined(job: dict[str, Any], memory: int) -> str:
    if not available().isolation:
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        # macOS knows the limit and does not hold it.
        with suppress(OSError, ValueError):
            resource.setrlimit(resource.RLIMIT_AS, (memory, memory))
        return ""
    # Libraries import some of their parts when they first need them.
    own = Path(charset_normalizer.__file__).parents[1]
    readable = [sysconfig.get_path("stdlib"), sysconfig.get_path("platstdlib"), str(own)]
    writable = list[str]()
    size = 1
    if "path" in job:
        readable.append(job["path"])
        writable.append(job["folder"])
        size = 2 * job["limits"]["unpacked_bytes"]
    limits = ProcessLimits(memory=memory, cpu_seconds=None, files=64, file_size=size)
    return confine(Confinement(read=sorted(set(readable)), write=writable, limits=limits))


def _same(path: Path, stat: list[int]) -> None:
    now = path.stat()
    if [now.st_dev, now.st_ino, now.st_size, now.st_mtime_ns] != stat:
        raise NotReadable("changed_file", "it changed while it was read", "Try again when nothing writes to it.")


def _taken(size: int) -> bytes | None:
    """So many bytes of stdin, and not one more: the next child goes on from there. None where they are not there."""
    parts: list[bytes] = []
    while size:
        part = os.read(0, min(size, _CHUNK))
        if not part:
            return None
        parts.append(part)
        size -= len(part)
    return b"".join(parts)


def _write(out: int, told: bytes, data: bytes) -> None:
    rest = memoryview(b"".join((len(told).to_bytes(8, "big"), len(data).to_bytes(8, "big"), told, data)))
    while rest:
        rest = rest[os.write(out, rest) :]
