"""Attending one execution from outside: reading what comes out of it under the clock and the caps, and ending it."""

from __future__ import annotations

import contextlib
import os
import select
import signal
import tempfile
import time
from dataclasses import dataclass
from typing import Any, Literal

from graphwright.sandbox.frame import Forged, Incoming, TooLong
from graphwright.sandbox.limits import ExecutionLimits, LimitName
from graphwright.sandbox.worker import Lost, Worker

_PIECE = 65_536
_GRACE = 3.0
"""Seconds that the end of an execution may take once it was asked for."""


@dataclass(frozen=True, slots=True)
class Ended:
    """How an execution ended, as seen from outside."""

    why: Literal["done", "limit", "forged", "ended"]
    """`done`: it gave one whole frame and left. `ended`: it left without."""
    limit: LimitName | None
    said: str
    """Why, where it is neither done nor a limit."""
    payload: bytes | None
    stdout: str
    seconds: float
    sound: bool
    """Whether the warm process can be used again without a thought."""


def attend(worker: Worker, asked: dict[str, Any], request: bytes, data: list[int], limits: ExecutionLimits) -> Ended:
    """Let this worker execute a request, and see it through. The descriptors of the data stay open.

    Raises SandboxUnavailable where the worker cannot be started, and Lost where it was gone before the code began.
    """
    pipes = [*os.pipe(), *os.pipe()]
    out, their_out, frame, their_frame = pipes
    try:
        with tempfile.TemporaryFile() as file:
            file.write(request)
            file.seek(0)
            worker.ask(asked, [file.fileno(), their_out, their_frame, *data])
        began = time.monotonic()
        for descriptor in (their_out, their_frame):
            os.close(descriptor)
            pipes.remove(descriptor)
        return _Attendance(worker, limits, began, out, frame).until_the_end()
    finally:
        for descriptor in pipes:
            os.close(descriptor)


class _Attendance:
    def __init__(self, worker: Worker, limits: ExecutionLimits, began: float, out: int, frame: int) -> None:
        self._worker, self._limits, self._began = worker, limits, began
        self._out, self._frame = out, frame
        self._stdout = bytearray()
        self._incoming = Incoming(limits.result)
        self._limit: LimitName | None = None
        self._forged = ""

    def until_the_end(self) -> Ended:
        deadline = self._began + self._limits.wall_seconds
        told: dict[str, Any] | None = None
        stopping = False
        open_pipes = {self._out, self._frame}
        poll = select.poll()
        control = self._worker.control.fileno()
        for descriptor in (*open_pipes, control):
            poll.register(descriptor, select.POLLIN)
        try:
            while told is None:
                left = deadline - time.monotonic()
                if left <= 0:
                    if stopping:
                        raise Lost
                    self._limit = self._limit or "wall"
                wait = 0 if self._worker.heard else max(0, left) * 1000
                for descriptor, _ in poll.poll(wait):
                    if descriptor in open_pipes and not self._read(descriptor):
                        poll.unregister(descriptor)
                        open_pipes.remove(descriptor)
                    elif descriptor == control:
                        self._worker.listen()
                if self._worker.heard:
                    told = self._worker.message(time.monotonic())
                if told is None and not stopping and (self._limit or self._forged):
                    stopping = True
                    self._worker.stop()
                    deadline = time.monotonic() + _GRACE
        except Lost:
            return self._ended({}, sound=False)
        # Everybody who could write is gone, so what is left comes at once.
        for descriptor in open_pipes:
            os.set_blocking(descriptor, False)
            with contextlib.suppress(BlockingIOError):
                while self._read(descriptor):
                    pass
        ended = told.get("ended")
        return self._ended(ended if isinstance(ended, dict) else {}, sound=isinstance(ended, dict))

    def _read(self, descriptor: int) -> bool:
        """Take what is there; whether there may be more."""
        piece = os.read(descriptor, _PIECE)
        if descriptor == self._out:
            room = self._limits.output - len(self._stdout)
            self._stdout += piece[: max(0, room)]
            if len(piece) > room:
                self._limit = self._limit or "output"
                return False
        elif not self._forged and self._limit != "result":
            try:
                self._incoming.take(piece)
            except TooLong:
                self._limit = self._limit or "result"
                return False
            except Forged as error:
                self._forged = str(error)
                return False
        return bool(piece)

    def _ended(self, told: dict[str, Any], *, sound: bool) -> Ended:
        seconds = time.monotonic() - self._began
        limit = self._limit or told.get("over") or self._cpu(told)
        payload, forged = None, self._forged
        if not limit and not forged:
            try:
                payload = self._incoming.payload()
            except Forged as error:
                forged = str(error)
        stdout = bytes(self._stdout).decode("utf-8", "replace")
        if limit:
            # The program in there never sends more than it may.
            return Ended("limit", limit, "", None, stdout, seconds, sound and limit != "result")
        if payload is not None and told.get("code") == 0:
            return Ended("done", None, "", payload, stdout, seconds, sound)
        if forged:
            return Ended("forged", None, forged, None, stdout, seconds, False)
        return Ended("ended", None, _way(told), None, stdout, seconds, False)

    def _cpu(self, told: dict[str, Any]) -> LimitName | None:
        """Whether it was ended for computing too long: by the first signal, or by the second where it ignored that."""
        if told.get("signal") == signal.SIGXCPU:
            return "cpu"
        beyond = float(told.get("cpu") or 0) >= self._limits.cpu_seconds
        return "cpu" if told.get("signal") == signal.SIGKILL and beyond else None


def _way(told: dict[str, Any]) -> str:
    number, code = told.get("signal"), told.get("code")
    if number is not None:
        try:
            return f"it was ended by {signal.Signals(number).name}"
        except ValueError:
            return f"it was ended by signal {number}"
    if code is None:
        return "the process round it ended"
    return f"it left with the exit status {code}, and without a result"
