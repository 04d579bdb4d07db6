"""A warm process, for its owner: started, sent one request at a time, supervised within the limits, ended."""

from __future__ import annotations

import contextlib
import json
import os
import queue
import select
import signal
import socket
import subprocess
import tempfile
import threading
import time
from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import dataclass
from functools import cache
from typing import Any

from graphwright_confined import _isolation_levels as isolation_levels
from graphwright_confined import _runtime_paths as runtime_paths
from graphwright_confined._errors import SandboxUnavailable
from graphwright_confined.execution import ExecutionLimits, LimitName, MalformedReport, Report
from graphwright_confined.zygote._server import STOP

START_SECONDS = 120.0
"""The time limit of a start, on a busy machine, in seconds."""

_LONGEST_MESSAGE = _PIECE = 65_536
_GRACE = 3.0
"""The time limit for the end of a stopped execution, in seconds."""


class WorkerLost(Exception):
    """The warm process has ended, or sent an invalid message."""


class Worker:
    """One warm process. It loads its libraries when it starts; a request may be sent before it is ready."""

    def __init__(self, isolation: str) -> None:
        self.isolation = isolation
        self.runs = 0
        self._received = bytearray()
        self._ready = False
        self._errors = tempfile.TemporaryFile()  # noqa: SIM115 - it is open as long as the process runs
        self.control, theirs = socket.socketpair()
        """The socket for messages."""
        started: Future[subprocess.Popen[bytes]] = Future()
        try:
            # The kernel ends a child with the thread that started it, and this thread lives as long as the process.
            _starts(os.getpid()).put((lambda: self._start(theirs), started))
            self._process = started.result()
        except BaseException:
            self.control.close()
            self._errors.close()
            raise
        finally:
            theirs.close()

    def _start(self, theirs: socket.socket) -> subprocess.Popen[bytes]:
        contained = self.isolation == isolation_levels.CONTAINER
        environment = runtime_paths.environment()
        settings = {
            "control": theirs.fileno(),
            "read": list(map(str, runtime_paths.readable())),
            "package_roots": [*map(str, runtime_paths.package_roots())],
            "user": isolation_levels.user_to_become(self.isolation),
        }
        command = [*runtime_paths.command(), json.dumps(settings)]
        if contained:
            paths = (*runtime_paths.readable(), *runtime_paths.package(), runtime_paths.interpreter())
            command = isolation_levels.container_command(command, paths, environment)
        return subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=self._errors,
            pass_fds=[theirs.fileno()],
            env=environment,
            start_new_session=True,
            cwd="/",
        )

    @property
    def has_message(self) -> bool:
        """Whether a received message was not yet returned by `message`."""
        return b"\n" in self._received

    @property
    def pid(self) -> int:
        """The started process: the warm one, or the container around it."""
        return self._process.pid

    def execute(self, settings: dict[str, Any], descriptors: list[int]) -> None:
        """Send a request with its descriptors, and wait until its child runs.

        Raises SandboxUnavailable if the warm process cannot be started, and WorkerLost if it has ended.
        """
        self.runs += 1
        deadline = time.monotonic() + START_SECONDS
        try:
            socket.send_fds(self.control, [json.dumps(settings).encode() + b"\n"], descriptors)
            message = self.message(deadline)
            if message == {"ready": True}:
                self._ready = True
                message = self.message(deadline)
        except (OSError, WorkerLost) as error:
            raise self._failure(error) from None
        unconfined = message.get("ended", {}).get("unconfined")
        if unconfined:
            raise SandboxUnavailable("child", str(unconfined), "Try graphwright doctor.")
        if message != {"started": True}:
            raise WorkerLost

    def stop(self) -> None:
        """End the running execution; its end is reported as usual."""
        with contextlib.suppress(OSError):
            self.control.sendall(STOP)

    def message(self, deadline: float) -> dict[str, Any]:
        """The next message. Raises WorkerLost if there is none before this time of the monotonic clock."""
        while not self.has_message:
            left = deadline - time.monotonic()
            if left <= 0 or not select.select([self.control], [], [], left)[0]:
                raise WorkerLost
            self.receive()
        line, _, self._received = self._received.partition(b"\n")
        try:
            message = json.loads(line)
        except ValueError:
            raise WorkerLost from None
        if not isinstance(message, dict):
            raise WorkerLost
        return message

    def receive(self) -> None:
        """Read available data. Raises WorkerLost at the end."""
        more = self.control.recv(_LONGEST_MESSAGE)
        if not more or len(self._received) > _LONGEST_MESSAGE:
            raise WorkerLost
        self._received += more

    def close(self) -> None:
        """End the warm process and everything that runs in it. Idempotent."""
        with contextlib.suppress(OSError):
            self.control.close()
        # A container that is still starting does not end with the program that started it, so the whole group is ended.
        if self._process.poll() is None:
            with contextlib.suppress(OSError):
                os.killpg(self._process.pid, signal.SIGKILL)
        self._process.kill()
        self._process.wait()
        self._errors.close()

    def _failure(self, error: Exception) -> Exception:
        """The error to raise without an answer: if the process was never ready, its start has failed."""
        if self._ready:
            return WorkerLost()
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(1)
        self._errors.seek(0)
        lines = self._errors.read().decode("utf-8", "replace").strip().splitlines()
        reason = lines[-1] if lines else str(error) or "it did not answer"
        return SandboxUnavailable(
            "start", f"The process for generated code cannot be started: {reason[:500]}.", "Try graphwright doctor."
        )


@cache
def _starts(process: int) -> queue.SimpleQueue[tuple[Callable[[], Any], Future[Any]]]:
    """The queue of a thread that lives as long as this process. A fork gets a separate thread."""
    starts: queue.SimpleQueue[tuple[Callable[[], Any], Future[Any]]] = queue.SimpleQueue()

    def serve() -> None:
        while True:
            start, future = starts.get()
            try:
                future.set_result(start())
            except BaseException as error:
                future.set_exception(error)
            del start, future

    threading.Thread(target=serve, name="graphwright-sandbox", daemon=True).start()
    return starts


@dataclass(frozen=True, slots=True)
class Outcome:
    """The end of an execution, as seen from outside: with a report, at a limit, or with a problem."""

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

    Raises SandboxUnavailable if the worker cannot be started, and WorkerLost if it ended before the code began.
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
        # All writers have ended, so the rest can be read without waiting.
        for descriptor in waiting:
            os.set_blocking(descriptor, False)
            with contextlib.suppress(BlockingIOError):
                while self._read(descriptor):
                    pass
        status = ended.get("ended")
        return self._outcome(status, reusable=True) if isinstance(status, dict) else self._outcome({}, reusable=False)

    def _read(self, descriptor: int) -> bool:
        """Read available data, up to the limit. Returns whether there may be more."""
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
            # The trusted program in the child keeps its report below the limit, so the code wrote this one.
            return Outcome(stdout, seconds, reusable and limit != "result", limit=limit)
        if status.get("code") != 0 or not self._report:
            return Outcome(stdout, seconds, False, problem=_problem(status))
        try:
            report = Report.parse(bytes(self._report))
        except MalformedReport as error:
            return Outcome(stdout, seconds, False, problem=str(error))
        return Outcome(stdout, seconds, reusable, report=report, limit=report.limit)

    def _cpu_limit(self, status: dict[str, Any]) -> LimitName | None:
        """The limit of CPU time, if the kernel ended the process for it: by the first signal or by the last one."""
        if status.get("signal") == signal.SIGXCPU:
            return "cpu"
        exceeded = float(status.get("cpu") or 0) >= self._limits.cpu_seconds
        return "cpu" if status.get("signal") == signal.SIGKILL and exceeded else None


def _problem(status: dict[str, Any]) -> str:
    number, code = status.get("signal"), status.get("code")
    if number is not None:
        return f"it was ended by signal {number} ({signal.strsignal(number)})"
    if code is None:
        return "its warm process ended"
    return f"it ended with the exit status {code} and without a result"
