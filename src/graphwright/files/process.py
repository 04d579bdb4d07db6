"""The reading process as its owner sees it: started when needed, given files, and ended in any case."""

from __future__ import annotations

import importlib.util
import json
import os
import selectors
import signal
import subprocess
import sys
import tempfile
import time
from contextlib import closing, suppress
from pathlib import Path
from typing import Any, Literal

from graphwright.files.errors import FilesUnavailable, NotData, NotReadable, NotText, TooMuch, unpacked
from graphwright.files.limits import GB, MB, Limits
from graphwright.files.source import Source

What = Literal["data", "documents"]
"""What a process reads; also the extra that it needs."""

NEEDED = {
    "data": ("duckdb", "python_calamine", "charset_normalizer"),
    "documents": ("PIL", "charset_normalizer", "html_to_markdown", "mammoth", "pptx", "pypdfium2", "python_calamine"),
}
"""What the reading process imports."""

OUT_OF_MEMORY = 77
UNCONFINED = 78
ENDED_BY = 100
"""Statuses with which it ends: no memory left; no confinement; and the signal that ended its child, added to this."""

# Nothing of the environment comes along but where libraries lie and what time it is here.
_KEPT = ("LD_LIBRARY_PATH", "TZ", "SYSTEMROOT")
_OWN = {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1", "MALLOC_ARENA_MAX": "4"}
_MOST_THREADS = 4
_PATIENCE = 5.0
"""Seconds after its limit at which it is killed. It ends itself before, if it still can."""

_START = 60.0
"""Seconds that it may take to be ready for the first file."""

_GOODBYE = 0.3
"""Seconds that it may take to end when nothing is asked of it any more."""

_FRESH_AFTER = 500
"""Files that one child reads."""

_CHUNK = 1 << 18
_HEADER = 16
_SPARE_ANSWER = 16 * MB


def read(source: Source, folder: Path, limits: Limits) -> dict[str, Any]:
    """Have the tables of a file read into `folder`, which exists and is empty: what was found, as the worker says it.

    Raises what the worker raises, TooMuch where it ran out of time or memory, FilesUnavailable where it cannot be had.
    """
    job = {
        "path": str(source.path),
        "folder": str(folder),
        "stat": source.stat,
        "limits": limits.to_json(),
        "threads": min(os.cpu_count() or 1, _MOST_THREADS),
    }
    with closing(Process("data", limits.memory)) as process:
        return process.ask(job, b"", 100 * MB, alone=True)[0]


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
        self._process: subprocess.Popen[bytes] | None = None
        self._read = 0

    def ask(self, job: dict[str, Any], content: bytes, most: int, *, alone: bool) -> tuple[dict[str, Any], bytes]:
        """The answer to a job with its `limits`: what was found and, of an image, its new bytes.

        After a file that is read `alone`, another child takes over. `most` is how many bytes an answer may have. Raises
        what the process raises, TooMuch where it ran out of time or memory, FilesUnavailable where it cannot be had.
        """
        waiting = job["limits"]["seconds"] + _PATIENCE
        if self._process is None:
            self._process = _started(f"main({self._what!r}, {self._memory})")
            waiting += _START
        self._read += 1
        last = alone or self._read >= _FRESH_AFTER
        told = json.dumps({**job, "last": last}).encode("ascii")
        if last:
            self._read = 0
        answer: Any = None
        try:
            header = len(told).to_bytes(8, "big") + len(content).to_bytes(8, "big")
            said = _exchanged(self._process, [header, told, content], time.monotonic() + waiting, most)
            if said is None:
                raise self._failure(job["limits"])
            with suppress(ValueError):
                answer = json.loads(said[0])
            if not isinstance(answer, dict):
                raise NotReadable("unreadable_file", "what was read from it makes no sense", "Try again.")
        finally:
            if answer is None:
                self.close()
        if "error" in answer:
            raise unpacked(answer["error"])
        return answer, said[1]

    def close(self) -> None:
        """End the process and its child. It can be asked again afterwards: another one is started then."""
        process, self._process = self._process, None
        self._read = 0
        if process is None:
            return
        for stream in (process.stdin, process.stdout):
            if stream is not None:
                stream.close()
        # Without work it ends by itself, and what it took is counted. The child has nobody else to end it.
        with suppress(subprocess.TimeoutExpired):
            process.wait(_GOODBYE)
        with suppress(OSError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()

    def _failure(self, limits: dict[str, Any]) -> Exception:
        """Why there is no answer, by the status with which the process ended."""
        assert self._process is not None
        try:
            status = self._process.wait(1.0)
        except subprocess.TimeoutExpired:
            status = ENDED_BY + signal.SIGALRM
        if status == ENDED_BY + signal.SIGALRM:
            why = f"reading it took longer than {limits['seconds']:g} seconds"
            return TooMuch("out_of_time", why, "Give a part of it, or raise the limit `seconds`.")
        if status in (OUT_OF_MEMORY, ENDED_BY + signal.SIGKILL, ENDED_BY + signal.SIGABRT, -signal.SIGKILL):
            why = f"reading it needs more memory than the limit of {limits['memory'] / GB:.1f} GB"
            return TooMuch("out_of_memory", why, "Give a part of it, or raise the limit `memory`.")
        if status in (UNCONFINED, 1, 2):
            why, hint = (
                "does not start",
                f'Install it anew: `pip install --force-reinstall "graphwright[{self._what}]"`.',
            )
            if status == UNCONFINED:
                why, hint = "cannot be confined here", "Run `graphwright doctor`, which says what is missing."
            return FilesUnavailable("files_unavailable", f"The process that reads files {why}", hint)
        broken = NotData if self._what == "data" else NotText
        why = f"it broke the program that reads it (status {status})"
        return broken("damaged_file", why, "Save or export it once more, in another format perhaps.")


def _started(call: str) -> subprocess.Popen[bytes]:
    """A Python process in a session of its own, with pipes for stdin and stdout and nothing of its surroundings."""
    own = str(Path(__file__).absolute().parents[2])
    places = dict.fromkeys([own, *(entry for entry in sys.path if os.path.isabs(entry))])
    code = f"import sys; sys.path[:] = sys.argv[1:]; from graphwright.files.worker import main; {call}"
    try:
        return subprocess.Popen(
            # -I and -S: no variable, folder or hook of the user's Python decides what is imported.
            [sys.executable, "-I", "-S", "-X", "utf8", "-c", code, *places],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            bufsize=0,
            cwd=tempfile.gettempdir(),
            env={name: os.environ[name] for name in _KEPT if name in os.environ} | _OWN,
            close_fds=True,
            start_new_session=True,
        )
    except OSError as error:
        raise FilesUnavailable(
            "files_unavailable",
            f"The process that reads files cannot be started ({error.strerror})",
            "Close other programs, or raise the limits on processes and open files.",
        ) from None


def _exchanged(
    process: subprocess.Popen[bytes], parts: list[bytes], deadline: float, most: int
) -> tuple[bytes, bytes] | None:
    """Write the parts and read the answer, both as far as the other side goes; None where none comes in time."""
    assert process.stdin is not None
    assert process.stdout is not None
    into, out = process.stdin.fileno(), process.stdout.fileno()
    os.set_blocking(into, False)
    waiting = memoryview(b"".join(parts))
    got, size = bytearray(), -1
    with selectors.DefaultSelector() as selector:
        selector.register(out, selectors.EVENT_READ)
        selector.register(into, selectors.EVENT_WRITE)
        while (left := deadline - time.monotonic()) > 0:
            for key, _ in selector.select(left):
                if key.fd == into:
                    try:
                        waiting = waiting[os.write(into, waiting[:_CHUNK]) :]
                    except BlockingIOError:
                        continue
                    except BrokenPipeError:
                        waiting = memoryview(b"")
                    if not waiting:
                        selector.unregister(into)
                    continue
                chunk = os.read(out, _CHUNK)
                if not chunk:
                    return None
                got += chunk
                if size < 0 and len(got) >= _HEADER:
                    size = int.from_bytes(got[:8], "big") + int.from_bytes(got[8:16], "big")
                if size > most + _SPARE_ANSWER:
                    return None
                if 0 <= size <= len(got) - _HEADER:
                    told = _HEADER + int.from_bytes(got[:8], "big")
                    return bytes(got[_HEADER:told]), bytes(got[told : _HEADER + size])
    return None
