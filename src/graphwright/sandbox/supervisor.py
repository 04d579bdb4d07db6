"""Supervises one execution from outside: reads its output under the clock and the limits, and ends it."""

from __future__ import annotations

import contextlib
import os
import select
import signal
import tempfile
import time
from dataclasses import dataclass
from typing import Any

from graphwright.sandbox.execution import ExecutionLimits, LimitName, MalformedReport, Report
from graphwright.sandbox.worker import Worker, WorkerLost

_PIECE = 65_536
_GRACE = 3.0
"""Seconds that an execution may take to end once it was told to stop."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """How an execution ended, as seen from outside: with a report, at a limit, or with a problem."""

    stdout: str
    seconds: float
    reusable: bool
    """Whether the warm process is in a known state."""
    report: Report | None = None
    limit: LimitName | None = None
    problem: str = ""


def supervise(
    worker: Worker, settings: dict[str, Any], request: bytes, data: list[int], limits: ExecutionLimits
) -> Outcome:
    """Let the worker execute a request, and wait for its end. The descriptors of the data stay open.

    Raises SandboxUnavailable where the worker cannot be started, and WorkerLost where it ended before the code began.
    """
    output, their_output = os.pipe()
    report, their_report = os.pipe()
    pipes = {output, their_output, report, their_report}
    try:
        with tempfile.TemporaryFile() as file:
            file.write(request)
            file.seek(0)
            worker.execute(settings, [file.fileno(), their_output, their_report, *data])
        started = time.monotonic()
        for descriptor in (their_output, their_report):
            os.close(descriptor)
            pipes.remove(descriptor)
        return _Supervision(worker, limits, started, output, report).run()
    finally:
        for descriptor in pipes:
            os.close(descriptor)


class _Supervision:
    def __init__(self, worker: Worker, limits: ExecutionLimits, started: float, output: int, report: int) -> None:
        self._worker, self._limits, self._started = worker, limits, started
        self._pipes = {output: bytearray(), report: bytearray()}
        self._stdout, self._report = self._pipes.values()
        self._sizes: dict[int, tuple[LimitName, int]] = {
            output: ("output", limits.output),
            report: ("result", limits.result),
        }
        self._limit: LimitName | None = None

    def run(self) -> Outcome:
        deadline = self._started + self._limits.wall_seconds
        ended: dict[str, Any] | None = None
        stopping = False
        poll = select.poll()
        control = self._worker.control.fileno()
        waiting = {*self._pipes}
        for descriptor in (*waiting, control):
            poll.register(descriptor, select.POLLIN)
        try:
            while ended is None:
                left = deadline - time.monotonic()
                if left <= 0:
                    if stopping:
                        raise WorkerLost
                    self._limit = self._limit or "wall"
                for descriptor, _ in poll.poll(0 if self._worker.has_message else max(0, left) * 1000):
                    if descriptor == control:
                        self._worker.receive()
                    elif not self._read(descriptor):
                        poll.unregister(descriptor)
                        waiting.remove(descriptor)
                if self._worker.has_message:
                    ended = self._worker.message(time.monotonic())
                if ended is None and self._limit and not stopping:
                    stopping = True
                    self._worker.stop()
                    deadline = time.monotonic() + _GRACE
        except WorkerLost:
            return self._outcome({}, reusable=False)
        # All writers have ended, so what is left can be read without waiting.
        for descriptor in waiting:
            os.set_blocking(descriptor, False)
            with contextlib.suppress(BlockingIOError):
                while self._read(descriptor):
                    pass
        status = ended.get("ended")
        return self._outcome(status, reusable=True) if isinstance(status, dict) else self._outcome({}, reusable=False)

    def _read(self, descriptor: int) -> bool:
        """Read what is there, up to the limit; return whether there may be more."""
        piece = os.read(descriptor, _PIECE)
        limit, most = self._sizes[descriptor]
        free = most - len(self._pipes[descriptor])
        self._pipes[descriptor] += piece[:free]
        if len(piece) > free:
            self._limit = self._limit or limit
            return False
        return bool(piece)

    def _outcome(self, status: dict[str, Any], *, reusable: bool) -> Outcome:
        seconds = time.monotonic() - self._started
        stdout = self._stdout.decode("utf-8", "replace")
        limit = self._limit or status.get("limit") or self._cpu_limit(status)
        if limit:
            # The trusted program in the child keeps its report below the limit: the code wrote this one.
            return Outcome(stdout, seconds, reusable and limit != "result", limit=limit)
        if status.get("code") != 0 or not self._report:
            return Outcome(stdout, seconds, False, problem=_problem(status))
        try:
            report = Report.parse(bytes(self._report))
        except MalformedReport as error:
            return Outcome(stdout, seconds, False, problem=str(error))
        return Outcome(stdout, seconds, reusable, report=report, limit=report.limit)

    def _cpu_limit(self, status: dict[str, Any]) -> LimitName | None:
        """The limit of CPU time, where the kernel ended the process for it: by the first signal or by the last one."""
        if status.get("signal") == signal.SIGXCPU:
            return "cpu"
        exceeded = float(status.get("cpu") or 0) >= self._limits.cpu_seconds
        return "cpu" if status.get("signal") == signal.SIGKILL and exceeded else None


def _problem(status: dict[str, Any]) -> str:
    number, code = status.get("signal"), status.get("code")
    if number is not None:
        try:
            return f"it was ended by {signal.Signals(number).name}"
        except ValueError:
            return f"it was ended by signal {number}"
    if code is None:
        return "its warm process ended"
    return f"it ended with the exit status {code} and without a result"
