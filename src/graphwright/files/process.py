"""The reading process, seen from both sides: its owner hands it files, and children of it read them, confined.

The process itself reads nothing that strangers wrote: it imports the readers and forks. A process that reads
tables reaches the file, the new folder for what it finds, and Python's libraries; one that reads documents gets their
bytes through the pipe and reaches the libraries alone. It is replaced after each file of a format whose parsers are
most often attacked.
"""

from __future__ import annotations

import importlib.util
import json
import os
import sys
import sysconfig
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any, Literal, NoReturn

from graphwright.files.errors import (
    FileError,
    FilesUnavailable,
    NotData,
    NotReadable,
    NotText,
    TooMuch,
    packed,
    reading,
    unpacked,
)
from graphwright.files.limits import GB, MB, Limits
from graphwright.files.source import Source
from graphwright.sandbox import Confinement
from graphwright.sandbox import Limits as ProcessLimits
from graphwright.sandbox.child import Child, Died, serve

What = Literal["data", "documents"]
"""What a process reads; also the extra that it needs."""

NEEDED = {
    "data": ("duckdb", "python_calamine", "charset_normalizer"),
    "documents": ("PIL", "charset_normalizer", "html_to_markdown", "mammoth", "pptx", "pypdfium2", "python_calamine"),
}
"""What the reading process imports."""

_READERS = {"data": "graphwright.files.tables.reading", "documents": "graphwright.files.documents.reading"}
"""The modules that it runs."""

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
        limits = job["limits"]
        seconds = limits["seconds"] + _PATIENCE + (0 if self._child else _START)
        child = self._child = self._child or self._started()
        self._read += 1
        last = alone or self._read >= _FRESH_AFTER
        if last:
            self._read = 0
        try:
            asked = {**job, "seconds": limits["seconds"], "last": last}
            answer, data = child.ask(asked, content, seconds, most + _SPARE_ANSWER)
        except Died as died:
            self.close()
            raise self._failure(died, limits) from None
        if not isinstance(answer, dict):
            self.close()
            raise NotReadable("unreadable_file", "what was read from it makes no sense", "Try again.")
        if "error" in answer:
            raise self._told(unpacked(answer["error"]))
        return answer, data

    def close(self) -> None:
        """End the process and its child. It can be asked again afterwards: another one is started then."""
        if self._child is not None:
            self._child.close()
        self._child, self._read = None, 0

    def _started(self) -> Child:
        try:
            return Child(_READERS[self._what], {"memory": self._memory}, environment=_OWN, closing=_GOODBYE)
        except OSError as error:
            raise FilesUnavailable(
                "files_unavailable",
                f"The process that reads files cannot be started ({error.strerror})",
                "Close other programs, or raise the limits on processes and open files.",
            ) from None

    def _told(self, error: FileError) -> FileError:
        """The error, in the words of whoever wants text where that is what was wanted."""
        if self._what == "documents" and isinstance(error, NotData):
            return NotText(error.code, error.message, error.hint)
        return error

    def _failure(self, died: Died, limits: dict[str, Any]) -> FileError:
        """Why there is no answer."""
        if died.why == "late":
            why = f"reading it took longer than {limits['seconds']:g} seconds"
            return TooMuch("out_of_time", why, "Give a part of it, or raise the limit `seconds`.")
        if died.why == "memory":
            why = f"reading it needs more memory than the limit of {limits['memory'] / GB:.1f} GB"
            return TooMuch("out_of_memory", why, "Give a part of it, or raise the limit `memory`.")
        if died.why == "broken":
            why = f"it broke the program that reads it (status {died.status})"
            return self._told(NotData("damaged_file", why))
        why, hint = "cannot be confined here", "Run `graphwright doctor`, which says what is missing."
        if died.why == "start":
            why, hint = "does not start", f'Run `pip install --force-reinstall "graphwright[{self._what}]"`.'
        return FilesUnavailable("files_unavailable", f"The process that reads files {why}", hint)


def serve_reader(read: Read) -> NoReturn:
    """In the reading process: have `read` answer jobs. `sys.argv[2]` is `{"memory"}` as JSON."""
    import charset_normalizer

    memory = json.loads(sys.argv[2])["memory"]
    # Libraries import some of their parts when they first need them.
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
            return {"error": packed(error)}, b""

    serve(answer, confinement)
