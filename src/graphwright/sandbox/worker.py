"""A warm process as its owner has it: started, told to execute one request at a time, ended."""

from __future__ import annotations

import contextlib
import json
import os
import queue
import select
import shutil
import signal
import socket
import subprocess
import tempfile
import threading
import time
from collections.abc import Callable
from concurrent.futures import Future
from functools import cache
from pathlib import Path
from typing import Any

from graphwright.sandbox import bubblewrap, isolation_levels, runtime_paths
from graphwright.sandbox.errors import SandboxUnavailable
from graphwright.sandbox.zygote.server import STOP

START_SECONDS = 120.0
"""How long a start may take, on a busy machine, before it counts as failed."""

_LONGEST_MESSAGE = 65_536
_PREFIX = "graphwright-sandbox-"


class WorkerLost(Exception):
    """The warm process has ended, or sent what it never should."""


class Worker:
    """One warm process. It loads its libraries from its start on; a request may be sent before it is ready."""

    def __init__(self, isolation: str, disk: int) -> None:
        self.isolation = isolation
        self.disk = disk
        self.runs = 0
        self._folder: Path | None = None
        self._received = bytearray()
        self._ready = False
        self._errors = tempfile.TemporaryFile()  # noqa: SIM115 - it is open as long as the process runs
        self.control, theirs = socket.socketpair()
        """Where messages come from."""
        started: Future[subprocess.Popen[bytes]] = Future()
        try:
            # The kernel ends a child with the thread that started it, and this thread lives as long as the process.
            _starts(os.getpid()).put((lambda: self._start(theirs), started))
            self._process = started.result()
        except BaseException:
            self.control.close()
            self._errors.close()
            self._remove_folder()
            raise
        finally:
            theirs.close()

    def _start(self, theirs: socket.socket) -> subprocess.Popen[bytes]:
        contained = self.isolation == isolation_levels.CONTAINER
        user = isolation_levels.user_to_become(self.isolation)
        environment = runtime_paths.environment()
        folder = bubblewrap.FOLDER
        if not contained:
            self._folder = _working_folder(user)
            environment["TMPDIR"] = str(self._folder)
            folder = str(self._folder / "work")
        settings = {
            "control": theirs.fileno(),
            "read": list(map(str, runtime_paths.readable())),
            "folder": folder,
            "package_root": str(runtime_paths.package_root()),
            "user": user,
        }
        command = [*runtime_paths.command(), json.dumps(settings)]
        if contained:
            paths = (*runtime_paths.readable(), *runtime_paths.package(), runtime_paths.interpreter())
            command = bubblewrap.command(command, paths, environment, self.disk)
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
        """Whether a message was received that `message` has not returned yet."""
        return b"\n" in self._received

    @property
    def pid(self) -> int:
        """The process that was started: the warm one, or the container around it."""
        return self._process.pid

    def execute(self, settings: dict[str, Any], descriptors: list[int]) -> None:
        """Send a request with its descriptors, and wait until its child runs.

        Raises SandboxUnavailable where the warm process cannot be started, and WorkerLost where it has ended.
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
        """End the execution that runs; its end is reported as always."""
        with contextlib.suppress(OSError):
            self.control.sendall(STOP)

    def message(self, deadline: float) -> dict[str, Any]:
        """The next message. Raises WorkerLost where none comes before this moment of the monotonic clock."""
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
        """Read what has come. Raises WorkerLost at the end."""
        more = self.control.recv(_LONGEST_MESSAGE)
        if not more or len(self._received) > _LONGEST_MESSAGE:
            raise WorkerLost
        self._received += more

    def close(self) -> None:
        """End the warm process and all that runs in it. May be called twice."""
        with contextlib.suppress(OSError):
            self.control.close()
        # A container that is still starting does not end with the program that set it up: the whole group is ended.
        if self._process.poll() is None:
            with contextlib.suppress(OSError):
                os.killpg(self._process.pid, signal.SIGKILL)
        self._process.kill()
        self._process.wait()
        self._errors.close()
        self._remove_folder()

    def _remove_folder(self) -> None:
        if self._folder is not None:
            shutil.rmtree(self._folder, ignore_errors=True)

    def _failure(self, error: Exception) -> Exception:
        """The error to raise where no answer came: before the process was ever ready, its start has failed."""
        if self._ready:
            return WorkerLost()
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(1)
        self._errors.seek(0)
        lines = self._errors.read().decode("utf-8", "replace").strip().splitlines()
        reason = lines[-1] if lines else str(error) or "it did not answer"
        return SandboxUnavailable(
            "start", f"the process for generated code cannot be started: {reason[:500]}.", "Try graphwright doctor."
        )


def _working_folder(user: int | None) -> Path:
    """A folder for what libraries write when they are loaded; in it `work`, the working folder of the code."""
    for left in Path(tempfile.gettempdir()).glob(f"{_PREFIX}*-*"):
        # An owner that was killed could not remove its own.
        owner = left.name.removeprefix(_PREFIX).partition("-")[0]
        if owner.isdecimal() and not _exists(int(owner)):
            shutil.rmtree(left, ignore_errors=True)
    folder = Path(tempfile.mkdtemp(prefix=f"{_PREFIX}{os.getpid()}-"))
    (folder / "work").mkdir(0o700)
    if user is not None:
        for path in (folder / "work", folder):
            os.chown(path, user, user)
    return folder


def _exists(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except OSError:
        return True
    return True


@cache
def _starts(process: int) -> queue.SimpleQueue[tuple[Callable[[], Any], Future[Any]]]:
    """The queue of a thread that lives as long as this process does. A fork gets a thread of its own."""
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
