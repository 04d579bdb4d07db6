"""The reading process for documents as its owner sees it: started when needed, given files, and ended in any case."""

from __future__ import annotations

import json
import os
import selectors
import signal
import subprocess
import tempfile
import time
from contextlib import suppress
from pathlib import Path
from typing import Any

from graphwright.files.documents.limits import GB, MB
from graphwright.files.errors import FilesUnavailable, NotReadable, NotText, TooMuch, unpacked
from graphwright.files.starting import needed, started

NEEDED = ("PIL", "charset_normalizer", "lxml", "mammoth", "pptx", "pypdfium2", "python_calamine")
"""What the reading process imports."""

OUT_OF_MEMORY = 77
UNCONFINED = 78
ENDED_BY = 100
"""Statuses with which it ends: no memory left; no confinement; and the signal that ended its child, added to this."""

_PATIENCE = 5.0
"""Seconds after its limit at which it is killed. It ends itself before, if it still can."""

_START = 60.0
"""Seconds that it may take to be ready for the first file."""

_FRESH_AFTER = 500
"""Files that one child reads."""

_CHUNK = 1 << 18
_HEADER = 16
_SPARE_ANSWER = 16 * MB


class Process:
    """Reads one file after the other. Not for several threads at once; `close` ends it, and so does an error."""

    def __init__(self, memory: int) -> None:
        needed(NEEDED, "Documents cannot be read", "documents")
        self._memory = memory
        self._process: subprocess.Popen[bytes] | None = None
        self._read = 0

    def ask(self, job: dict[str, Any], content: bytes, most: int, *, alone: bool) -> tuple[dict[str, Any], bytes]:
        """The answer to a job, `{picture, name, limits}`: what was found and, of an image, its new bytes.

        After a file that is read `alone`, another child takes over. `most` is how many bytes an answer may have. Raises
        what the process raises, TooMuch where it ran out of time or memory, FilesUnavailable where it cannot be had.
        """
        waiting = job["limits"]["seconds"] + _PATIENCE
        if self._process is None:
            self._process = started(
                f"from graphwright.files.documents.worker import main; main({self._memory})",
                Path(tempfile.gettempdir()),
            )
            waiting += _START
        self._read += 1
        last = alone or self._read >= _FRESH_AFTER
        told = json.dumps({**job, "last": last}).encode("ascii")
        if last:
            self._read = 0
        answered = False
        try:
            header = len(told).to_bytes(8, "big") + len(content).to_bytes(8, "big")
            said = _exchanged(self._process, [header, told, content], time.monotonic() + waiting, most)
            answer = self._found(said, job["limits"])
            answered = True
        finally:
            if not answered:
                self.close()
        if "error" in answer[0]:
            raise unpacked(answer[0]["error"])
        return answer

    def close(self) -> None:
        """End the process and its child. It can be asked again afterwards: another one is started then."""
        process, self._process = self._process, None
        self._read = 0
        if process is None:
            return
        # The child is in its session, and has nobody else to end it.
        with suppress(OSError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        for stream in (process.stdin, process.stdout):
            if stream is not None:
                stream.close()

    def _found(self, said: tuple[bytes, bytes] | None, limits: dict[str, Any]) -> tuple[dict[str, Any], bytes]:
        if said is None:
            raise self._failure(limits)
        try:
            answer = json.loads(said[0])
        except ValueError:
            answer = None
        if not isinstance(answer, dict):
            raise NotReadable("unreadable_file", "what was read from it makes no sense", "Try again.")
        return answer, said[1]

    def _failure(self, limits: dict[str, Any]) -> Exception:
        """Why there is no answer, by the status with which the process ended."""
        process = self._process
        assert process is not None
        try:
            status = process.wait(1.0)
        except subprocess.TimeoutExpired:
            status = ENDED_BY + signal.SIGALRM
        if status == ENDED_BY + signal.SIGALRM:
            return TooMuch(
                "out_of_time",
                f"reading it took longer than {limits['seconds']:g} seconds",
                "Give a part of it, or raise the limit `seconds`.",
            )
        if status in (OUT_OF_MEMORY, ENDED_BY + signal.SIGKILL, ENDED_BY + signal.SIGABRT, -signal.SIGKILL):
            return TooMuch(
                "out_of_memory",
                f"reading it needs more memory than the limit of {limits['memory'] / GB:.1f} GB",
                "Give a part of it, or raise the limit `memory`.",
            )
        if status == UNCONFINED:
            return FilesUnavailable(
                "files_unavailable",
                "The process that reads documents cannot be confined here",
                "Run `graphwright doctor`, which says what is missing.",
            )
        if status in (1, 2):
            return FilesUnavailable(
                "files_unavailable",
                "The process that reads documents does not start",
                'Install it anew: `pip install --force-reinstall "graphwright[documents]"`.',
            )
        return NotText(
            "damaged_file",
            f"it broke the program that reads it (status {status})",
            "Save it once more, as PDF for example.",
        )


def _exchanged(
    process: subprocess.Popen[bytes], parts: list[bytes], deadline: float, most: int
) -> tuple[bytes, bytes] | None:
    """Write the parts and read the answer, both as far as the other side goes; None where none comes in time."""
    assert process.stdin is not None
    assert process.stdout is not None
    into, out = process.stdin.fileno(), process.stdout.fileno()
    os.set_blocking(into, False)
    waiting = [memoryview(part) for part in parts if part]
    got = bytearray()
    size = -1
    with selectors.DefaultSelector() as selector:
        selector.register(out, selectors.EVENT_READ)
        selector.register(into, selectors.EVENT_WRITE)
        while (left := deadline - time.monotonic()) > 0:
            for key, _ in selector.select(left):
                if key.fd == into:
                    try:
                        waiting[0] = waiting[0][os.write(into, waiting[0][:_CHUNK]) :]
                    except BlockingIOError:
                        continue
                    except BrokenPipeError:
                        waiting.clear()
                    if waiting and not waiting[0]:
                        waiting.pop(0)
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
