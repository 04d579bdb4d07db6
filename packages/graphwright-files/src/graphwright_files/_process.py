"""The confined reading process, from both sides: the caller sends files, and child processes read them.

The process itself reads no untrusted data: it imports the readers and forks. A child that reads tables can access the
file, the new folder for its results, and Python's libraries; one that reads documents gets their bytes through the pipe
and can access only the libraries. The child is replaced after each file of a format whose parsers are often attacked.
"""

from __future__ import annotations

import json
import os
import sys
import sysconfig
from collections.abc import Callable
from contextlib import closing
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any, Literal, NoReturn

from graphwright.extras import install_hint
from graphwright_confined import Confinement
from graphwright_confined import Limits as ProcessLimits
from graphwright_confined.child import Child, Died, serve
from graphwright_files.errors import FileError, FilesUnavailable, NotReadable, TooMuch, UnusableFile, from_json, reading
from graphwright_files.limits import GB, MB, Limits
from graphwright_files.source import Source, state_of

What = Literal["data", "documents"]
"""The kind of data that a process reads."""

_MODULES = {"data": "graphwright_files.tables._reading", "documents": "graphwright_files.documents._reading"}
_ENVIRONMENT = {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1", "MALLOC_ARENA_MAX": "4"}
_MOST_THREADS = 4
_GRACE_SECONDS, _START_SECONDS, _CLOSE_SECONDS = 5.0, 60.0, 0.3
"""Seconds: after the time limit until it is killed; until it is ready for the first file; until it ends after closing.
"""

_FILES_A_CHILD = 500
_SPARE_BYTES = 16 * MB

Answer = tuple[dict[str, Any], bytes]


def read_tables(source: Source, folder: Path, limits: Limits) -> dict[str, Any]:
    """Read the tables of a file into the empty folder `folder`. Returns the result of `tables.reading.read_file`.

    Raises the errors of the reader, TooMuch if it ran out of time or memory, FilesUnavailable if it cannot start.
    """
    threads = min(os.cpu_count() or 1, _MOST_THREADS)
    limits = replace(limits, seconds=limits.seconds * (1 + source.state[2] // GB))
    job = {"path": str(source.path), "folder": str(folder), "threads": threads, "limits": asdict(limits)}
    with closing(Process("data", limits.memory)) as process:
        found, _ = process.ask(job, b"", 400 * MB, alone=True)
    with reading():
        # The file may have been removed.
        changed = state_of(source.path.stat()) != source.state
    if changed:
        raise NotReadable("changed_file", "It changed while it was read.", "Try again when nothing writes to it.")
    return found


class Process:
    """Reads one file after another. Not thread-safe. `close` ends the process, and so does an error."""

    def __init__(self, what: What, memory: int) -> None:
        self._what, self._memory = what, memory
        self._child: Child | None = None
        self._files = 0

    def ask(self, job: dict[str, Any], content: bytes, most: int, *, alone: bool) -> Answer:
        """The result of a job with its `limits`: the JSON and, for an image, its new bytes.

        After a file that is read `alone`, a new child is used. `most` is the maximum size of an answer in bytes. Raises
        the errors of the reader, TooMuch if it ran out of time or memory, FilesUnavailable if it cannot start.
        """
        limits = job["limits"]
        seconds = limits["seconds"] + _GRACE_SECONDS + (0 if self._child else _START_SECONDS)
        child = self._child = self._child or self._started()
        self._files = 0 if alone or self._files + 1 >= _FILES_A_CHILD else self._files + 1
        asked = {**job, "seconds": limits["seconds"], "last": not self._files}
        try:
            answer, data = child.ask(asked, content, seconds, most + _SPARE_BYTES)
        except Died as died:
            self.close()
            raise self._failure(died, limits) from None
        if not isinstance(answer, dict):
            self.close()
            raise NotReadable("unreadable_file", "What was read from it makes no sense.", "Try again.")
        if "error" in answer:
            raise from_json(*answer["error"])
        return answer, data

    def close(self) -> None:
        """End the process and its child. A later `ask` starts another one."""
        if self._child is not None:
            self._child.close()
        self._child, self._files = None, 0

    def _started(self) -> Child:
        settings = {"memory": self._memory}
        try:
            return Child(_MODULES[self._what], settings, environment=_ENVIRONMENT, closing=_CLOSE_SECONDS)
        except OSError as error:
            why = f"The process that reads files cannot be started ({error.strerror})."
            hint = "Close other programs, or raise the limits on processes and open files."
            raise FilesUnavailable("files_unavailable", why, hint) from None

    def _failure(self, died: Died, limits: dict[str, Any]) -> FileError:
        """The error for a process without an answer."""
        if died.why == "late":
            why = f"Reading it took longer than {limits['seconds']:g} seconds."
            return TooMuch("out_of_time", why, "Give a part of it, or raise the limit `seconds`.")
        if died.why == "memory":
            why = f"Reading it needs more memory than the limit of {limits['memory'] / GB:.1f} GB."
            return TooMuch("out_of_memory", why, "Give a part of it, or raise the limit `memory`.")
        if died.why == "broken":
            return UnusableFile("damaged_file", f"It broke the program that reads it (status {died.status}).")
        if died.why == "start":
            return FilesUnavailable(
                "files_unavailable", "The process that reads files does not start.", install_hint("files")
            )
        hint = "Run `graphwright doctor`, which says what is missing."
        return FilesUnavailable("files_unavailable", "The process that reads files cannot be confined here.", hint)


def serve_reader(read: Callable[[dict[str, Any], bytes], Answer]) -> NoReturn:
    """In the reading process: serve jobs by `read`. `sys.argv[2]` is `{"memory"}` as JSON."""
    import charset_normalizer

    memory = json.loads(sys.argv[2])["memory"]
    # Libraries import some of their parts at first use.
    libraries = str(Path(charset_normalizer.__file__).parents[1])
    places = {sysconfig.get_path("stdlib"), sysconfig.get_path("platstdlib"), libraries}

    def confinement(job: dict[str, Any]) -> Confinement:
        given, made = ([job["path"]], [job["folder"]]) if "path" in job else ([], [])
        size = 2 * job["limits"]["unpacked_bytes"] if made else 1
        limits = ProcessLimits(memory=memory, cpu_seconds=None, files=64, file_size=size)
        return Confinement(read=sorted({*places, *given}), write=made, limits=limits)

    def answer(job: dict[str, Any], content: bytes) -> Answer:
        try:
            with reading():
                return read(job, content)
        except FileError as error:
            return {"error": [type(error).__name__, error.code, error.message, error.hint]}, b""

    serve(answer, confinement)
