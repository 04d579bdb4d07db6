"""The reading process for documents: it keeps readers ready, and each child of it reads confined, from a pipe alone.

Started by `graphwright.files.documents.process`. The process itself reads nothing that strangers wrote: it imports the
readers and forks. A child confines itself before it takes the first file, whose bytes come through the pipe: it can
open no file but Python's libraries, write none, and reach nobody. What is read in a child can reach only what the same
child reads later, so it is replaced after each file of a format whose parsers are most often attacked.
"""

from __future__ import annotations

import json
import os
import signal
import sysconfig
from contextlib import suppress
from pathlib import Path
from typing import Any, NoReturn

import lxml

from graphwright.errors import said
from graphwright.files.documents.limits import DocumentLimits, ImageLimits
from graphwright.files.documents.process import ENDED_BY, OUT_OF_MEMORY, UNCONFINED
from graphwright.files.documents.reading import document, picture
from graphwright.files.errors import FileError, NotText, packed
from graphwright.files.naming import shown
from graphwright.sandbox import Confinement, SandboxUnavailable, available, confine
from graphwright.sandbox import Limits as ProcessLimits

_NEXT, _DONE = 0, 1
_HEADER = 16
_CHUNK = 1 << 20


def main(memory: int) -> NoReturn:
    """Have children read, one at a time, each with so many bytes of address space, until stdin ends."""
    out = os.dup(1)
    nothing = os.open(os.devnull, os.O_RDWR)
    os.dup2(nothing, 1)
    os.umask(0o077)
    signal.signal(signal.SIGALRM, signal.SIG_DFL)
    while True:
        child = os.fork()
        if not child:
            _child(out, memory)
        _, ended = os.waitpid(child, 0)
        if os.WIFSIGNALED(ended):
            os._exit(ENDED_BY + os.WTERMSIG(ended))
        status = os.WEXITSTATUS(ended)
        if status != _NEXT:
            os._exit(0 if status == _DONE else status)


def _child(out: int, memory: int) -> NoReturn:
    status = OUT_OF_MEMORY
    try:
        isolation = _confined(memory)
        status = _serve(out, isolation)
    except SandboxUnavailable:
        status = UNCONFINED
    except BrokenPipeError:
        status = _DONE
    except MemoryError:
        pass
    finally:
        os._exit(status)


def _serve(out: int, isolation: str) -> int:
    """Read files until one says that it is the last for this child (`_NEXT`), or there are no more (`_DONE`)."""
    while True:
        header = _read(_HEADER)
        if header is None:
            return _DONE
        told = _read(int.from_bytes(header[:8], "big"))
        content = _read(int.from_bytes(header[8:], "big"))
        if told is None or content is None:
            return _DONE
        job = json.loads(told)
        signal.setitimer(signal.ITIMER_REAL, job["limits"]["seconds"])
        answer, data = _answer(job, content)
        signal.setitimer(signal.ITIMER_REAL, 0)
        _write(out, json.dumps({**answer, "isolation": isolation}).encode("ascii"), data)
        if job["last"]:
            return _NEXT


def _answer(job: dict[str, Any], content: bytes) -> tuple[dict[str, Any], bytes]:
    try:
        if job["picture"]:
            told, data = picture(content, job["name"], ImageLimits(**job["limits"]))
            return {"picture": told}, data
        return {"document": document(content, job["name"], DocumentLimits(**job["limits"]))}, b""
    except FileError as error:
        return {"error": packed(error)}, b""
    except MemoryError:
        raise
    except Exception as error:
        # A parser that stumbles says so in ways that nobody can list.
        why = f"it cannot be read ({shown(said(error), 150)})"
        return {"error": packed(NotText("damaged_file", why, "Save it once more, as PDF for example."))}, b""


def _confined(memory: int) -> str:
    # Libraries import some of their parts when they first need them.
    libraries = {sysconfig.get_path("stdlib"), sysconfig.get_path("platstdlib"), str(Path(lxml.__file__).parents[1])}
    if not available().isolation:
        import resource

        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        # macOS knows the limit and does not hold it.
        with suppress(OSError, ValueError):
            resource.setrlimit(resource.RLIMIT_AS, (memory, memory))
        return ""
    limits = ProcessLimits(memory=memory, files=64, file_size=1)
    return confine(Confinement(read=sorted(libraries), limits=limits))


def _read(size: int) -> bytes | None:
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
    for each in (len(told).to_bytes(8, "big") + len(data).to_bytes(8, "big"), told, data):
        rest = memoryview(each)
        while rest:
            rest = rest[os.write(out, rest) :]
