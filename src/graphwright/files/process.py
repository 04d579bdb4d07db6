"""The reading process, seen from both sides: its owner hands it files, and children of it read them, confined.

The process itself (`main`) reads nothing that strangers wrote: it imports the readers and forks. A child confines
itself before it reads. One that reads tables reaches the file, the new folder for what it finds, and Python's
libraries; one that reads documents gets their bytes through the pipe and reaches the libraries alone. It is replaced
after each file of a format whose parsers are most often attacked. Where no confinement is to be had, the limits on
memory and time hold alone.
"""

from __future__ import annotations

import importlib.util
import json
import os
import resource
import signal
import sys
import sysconfig
from collections.abc import Callable
from contextlib import closing, suppress
from pathlib import Path
from typing import Any, Literal, NoReturn

from graphwright.errors import said
from graphwright.files.errors import (
    FileError,
    FilesUnavailable,
    NotData,
    NotReadable,
    NotText,
    TooMuch,
    packed,
    unpacked,
)
from graphwright.files.limits import GB, MB, DocumentLimits, ImageLimits, Limits
from graphwright.files.naming import shown
from graphwright.files.source import Source
from graphwright.sandbox import Confinement, SandboxUnavailable, available, confine
from graphwright.sandbox import Limits as ProcessLimits
from graphwright.sandbox.child import Channel, Child, Died, Gone, framed

What = Literal["data", "documents"]
"""What a process reads; also the extra that it needs."""

NEEDED = {
    "data": ("duckdb", "python_calamine", "charset_normalizer"),
    "documents": ("PIL", "charset_normalizer", "html_to_markdown", "mammoth", "pptx", "pypdfium2", "python_calamine"),
}
"""What the reading process imports."""

_NEXT, _DONE, _OUT_OF_MEMORY, _UNCONFINED, _ENDED_BY = 0, 1, 77, 78, 100
"""Statuses with which it ends; the last one has the signal that ended its child added to it."""

_OWN = {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1", "MALLOC_ARENA_MAX": "4"}
_MOST_THREADS = 4
_PATIENCE, _START, _GOODBYE = 5.0, 60.0, 0.3
"""Seconds: beyond the limit before it is killed; to be ready for the first file; to end when it is closed."""

_FRESH_AFTER = 500
"""Files that one child reads."""

_SPARE_ANSWER = 16 * MB

Answer = tuple[dict[str, Any], bytes]
Read = Callable[[dict[str, Any], bytes], Answer]


def read(source: Source, folder: Path, limits: Limits) -> dict[str, Any]:
    """Have the tables of a file read into `folder`, which exists and is empty: what `tables.reading.read_file` found.

    Raises what the reader raises, TooMuch where it ran out of time or memory, FilesUnavailable where it cannot be had.
    """
    threads = min(os.cpu_count() or 1, _MOST_THREADS)
    job = {"path": str(source.path), "folder": str(folder), "stat": source.stat, "threads": threads}
    with closing(Process("data", limits.memory)) as process:
        return process.ask({**job, "limits": limits.to_json()}, b"", 100 * MB, alone=True)[0]


class Process:
    """Reads one file after the other. Not for several threads at once; `close` ends it, and so does an error."""

    def __init__(self, what: What, memory: int) -> None:
        missing = [name for name in NEEDED[what] if importlib.util.find_spec(name) is None]
        if missing:
            raise FilesUnavailable(
                "files_unavailable",
                f"{what.capitalize()} cannot be read: {', '.join(missing)} is not installed",
                f'Run `pip install "graphwright[{what}]"`.',
            )
        self._what, self._memory = what, memory
        self._child: Child | None = None
        self._read = 0

    def ask(self, job: dict[str, Any], content: bytes, most: int, *, alone: bool) -> Answer:
        """The answer to a job with its `limits`: what was found and, of an image, its new bytes.

        After a file that is read `alone`, another child takes over. `most` is how many bytes an answer may have. Raises
        what the reader raises, TooMuch where it ran out of time or memory, FilesUnavailable where it cannot be had.
        """
        seconds = job["limits"]["seconds"] + _PATIENCE + (0 if self._child else _START)
        child = self._child = self._child or self._started()
        self._read += 1
        last = alone or self._read >= _FRESH_AFTER
        if last:
            self._read = 0
        try:
            child.send(framed({**job, "last": last}, content), seconds)
            answer, data = child.receive(seconds, most + _SPARE_ANSWER)
        except Died as died:
            self.close()
            raise self._failure(died.status, job["limits"]) from None
        if not isinstance(answer, dict):
            self.close()
            raise NotReadable("unreadable_file", "what was read from it makes no sense", "Try again.")
        if "error" in answer:
            error = unpacked(answer["error"])
            if self._what == "documents" and isinstance(error, NotData):
                error = NotText(error.code, error.message, error.hint)
            raise error
        return answer, data

    def close(self) -> None:
        """End the process and its child. It can be asked again afterwards: another one is started then."""
        if self._child is not None:
            self._child.close()
        self._child, self._read = None, 0

    def _started(self) -> Child:
        settings = {"what": self._what, "memory": self._memory}
        try:
            return Child("graphwright.files.process", settings, environment=_OWN, closing=_GOODBYE)
        except OSError as error:
            raise FilesUnavailable(
                "files_unavailable",
                f"The process that reads files cannot be started ({error.strerror})",
                "Close other programs, or raise the limits on processes and open files.",
            ) from None

    def _failure(self, status: int | None, limits: dict[str, Any]) -> FileError:
        """Why there is no answer, by the status with which the process ended."""
        if status in (None, _ENDED_BY + signal.SIGALRM):
            why = f"reading it took longer than {limits['seconds']:g} seconds"
            return TooMuch("out_of_time", why, "Give a part of it, or raise the limit `seconds`.")
        if status in (_OUT_OF_MEMORY, _ENDED_BY + signal.SIGKILL, _ENDED_BY + signal.SIGABRT, -signal.SIGKILL):
            why = f"reading it needs more memory than the limit of {limits['memory'] / GB:.1f} GB"
            return TooMuch("out_of_memory", why, "Give a part of it, or raise the limit `memory`.")
        if status in (_UNCONFINED, 1, 2):
            why = "does not start"
            hint = f'Install it anew: `pip install --force-reinstall "graphwright[{self._what}]"`.'
            if status == _UNCONFINED:
                why, hint = "cannot be confined here", "Run `graphwright doctor`, which says what is missing."
            return FilesUnavailable("files_unavailable", f"The process that reads files {why}", hint)
        broken = NotData if self._what == "data" else NotText
        why = f"it broke the program that reads it (status {status})"
        return broken("damaged_file", why, "Save or export it once more, in another format perhaps.")


def main() -> NoReturn:
    """Have children read, one at a time, until the owner lets go. `sys.argv[2]` is `{"what", "memory"}` as JSON."""
    settings = json.loads(sys.argv[2])
    channel = Channel.own()
    os.umask(0o077)
    signal.signal(signal.SIGALRM, signal.SIG_DFL)
    read = _tables() if settings["what"] == "data" else _documents()
    while True:
        child = os.fork()
        if not child:
            _serve_and_end(channel, read, settings["memory"])
        _, ended = os.waitpid(child, 0)
        if os.WIFSIGNALED(ended):
            os._exit(_ENDED_BY + os.WTERMSIG(ended))
        if (status := os.WEXITSTATUS(ended)) != _NEXT:
            os._exit(0 if status == _DONE else status)


def _tables() -> Read:
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


def _documents() -> Read:
    from graphwright.files.documents.reading import document, picture

    def read(job: dict[str, Any], content: bytes) -> Answer:
        if job["picture"]:
            return picture(content, job["name"], ImageLimits(**job["limits"]))
        return document(content, job["name"], DocumentLimits(**job["limits"])), b""

    return read


def _serve_and_end(channel: Channel, read: Read, memory: int) -> NoReturn:
    status = _OUT_OF_MEMORY
    try:
        status = _serve(channel, read, memory)
    except SandboxUnavailable:
        status = _UNCONFINED
    except Gone:
        status = _DONE
    except MemoryError:
        pass
    finally:
        os._exit(status)


def _serve(channel: Channel, read: Read, memory: int) -> int:
    """Read files until one says that it is the last for this child. Raises Gone where there are no more."""
    isolation: str | None = None
    while True:
        job, content = channel.receive(most=sys.maxsize)
        if isolation is None:
            # Before the first look at what is in a file.
            isolation = _confined(job, memory)
        signal.setitimer(signal.ITIMER_REAL, job["limits"]["seconds"])
        answer, data = _answer(read, job, content)
        signal.setitimer(signal.ITIMER_REAL, 0)
        channel.send(framed({**answer, "isolation": isolation}, data))
        if job["last"]:
            return _NEXT


def _answer(read: Read, job: dict[str, Any], content: bytes) -> Answer:
    try:
        return read(job, content)
    except FileError as error:
        told = error
    except MemoryError:
        raise
    except OSError as error:
        told = NotReadable("unreadable_file", f"it cannot be read ({said(error)})", "Look at the file and the disk.")
    except Exception as error:
        # A parser that stumbles says so in ways that nobody can list.
        why = f"it cannot be read ({shown(said(error), 150)})"
        told = NotData("damaged_file", why, "Save or export it once more.")
    return {"error": packed(told)}, b""


def _confined(job: dict[str, Any], memory: int) -> str:
    if not available().isolation:
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        # macOS knows the limit and does not hold it.
        with suppress(OSError, ValueError):
            resource.setrlimit(resource.RLIMIT_AS, (memory, memory))
        return ""
    import charset_normalizer

    # Libraries import some of their parts when they first need them.
    libraries = Path(charset_normalizer.__file__).parents[1]
    readable = [sysconfig.get_path("stdlib"), sysconfig.get_path("platstdlib"), str(libraries)]
    writable, size = list[str](), 1
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
