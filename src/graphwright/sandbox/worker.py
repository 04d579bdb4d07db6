"""A warm process as its owner has it: started, asked for one execution at a time, ended."""

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
from pathlib import Path
from typing import Any, TypeVar

from graphwright.sandbox import bubblewrap, places, tiers
from graphwright.sandbox.errors import SandboxUnavailable
from graphwright.sandbox.zygote.serving import STOP

T = TypeVar("T")

START_SECONDS = 120.0
"""How long a start may take, on a machine that is busy, before it counts as failed."""

_LONGEST_MESSAGE = 65_536
_PREFIX = "graphwright-sandbox-"


class Lost(Exception):
    """The warm process is gone, or says what it never should."""


class Worker:
    """One warm process. It loads its libraries from its start on; a request may be sent before it is ready."""

    def __init__(self, isolation: str, disk: int) -> None:
        self.isolation = isolation
        self.disk = disk
        self.runs = 0
        self._folder: Path | None = None
        self._heard = bytearray()
        self._ready = False
        self._errors = tempfile.TemporaryFile()  # noqa: SIM115 - it is open as long as the process runs
        self._control, theirs = socket.socketpair()
        try:
            # What ends a child with its parent looks at the thread that started it, and this one goes on to the end.
            self._process = _in_lasting_thread(lambda: self._started(theirs))
        except BaseException:
            self._control.close()
            self._errors.close()
            self._remove_folder()
            raise
        finally:
            theirs.close()

    def _started(self, theirs: socket.socket) -> subprocess.Popen[bytes]:
        contained = self.isolation == tiers.CONTAINER
        user = tiers.user_to_become(self.isolation)
        environment = places.environment()
        folder = bubblewrap.FOLDER
        if not contained:
            self._folder = _folder_of_its_own(user)
            environment["TMPDIR"] = str(self._folder)
            folder = str(self._folder / "work")
        settings = {
            "control": theirs.fileno(),
            "read": list(map(str, places.readable())),
            "folder": folder,
            "own": str(places.root()),
            "user": user,
        }
        command = [*places.command(), json.dumps(settings)]
        if contained:
            command = bubblewrap.command(
                command,
                (*places.readable(), *places.package()),
                environment,
                self.disk,
                [places.interpreter()],
            )
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
    def control(self) -> socket.socket:
        """The socket that messages come from, to wait for."""
        return self._control

    @property
    def heard(self) -> bool:
        """Whether a message is here already: the socket tells of those alone that are still to be read."""
        return b"\n" in self._heard

    @property
    def pid(self) -> int:
        """The process that was started: the warm one, or the container round it."""
        return self._process.pid

    def ask(self, asked: dict[str, Any], given: list[int]) -> None:
        """Send a request with its descriptors, and wait until its child runs.

        Raises SandboxUnavailable where the warm process cannot be started, and Lost where it is gone by now.
        """
        self.runs += 1
        ends = time.monotonic() + START_SECONDS
        try:
            socket.send_fds(self._control, [json.dumps(asked).encode() + b"\n"], given)
            message = self.message(ends)
            if message == {"ready": True}:
                self._ready = True
                message = self.message(ends)
        except (OSError, Lost) as error:
            raise self._failed(error) from None
        unconfined = message.get("ended", {}).get("unconfined")
        if unconfined:
            raise SandboxUnavailable("child", str(unconfined), "Try graphwright doctor.")
        if message != {"started": True}:
            raise Lost

    def stop(self) -> None:
        """End the execution that runs; how it ended is told as always."""
        with contextlib.suppress(OSError):
            self._control.sendall(STOP)

    def message(self, ends: float) -> dict[str, Any]:
        """The next message; raises Lost where none comes before this moment of the monotonic clock."""
        while not self.heard:
            left = ends - time.monotonic()
            if left <= 0 or not select.select([self._control], [], [], left)[0]:
                raise Lost
            self.listen()
        line, _, rest = bytes(self._heard).partition(b"\n")
        self._heard = bytearray(rest)
        try:
            message = json.loads(line)
        except ValueError:
            raise Lost from None
        if not isinstance(message, dict):
            raise Lost
        return message

    def listen(self) -> None:
        """Take what is there to be read; raises Lost where that is an end."""
        more = self._control.recv(_LONGEST_MESSAGE)
        if not more or len(self._heard) > _LONGEST_MESSAGE:
            raise Lost
        self._heard += more

    def close(self) -> None:
        """End the warm process, and whatever runs in it, for good. May be called twice."""
        with contextlib.suppress(OSError):
            self._control.close()
        # A container that is only starting does not end with the program that set it up: the whole group is ended.
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

    def _failed(self, error: Exception) -> Exception:
        """What to raise where nothing answers: before it was ever ready, its start has failed."""
        if self._ready:
            return Lost()
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(1)
        self._errors.seek(0)
        lines = self._errors.read().decode("utf-8", "replace").strip().splitlines()
        said = lines[-1] if lines else str(error) or "it did not answer"
        return SandboxUnavailable(
            "start", f"the process for generated code cannot be started: {said[:500]}.", "Try graphwright doctor."
        )


def _folder_of_its_own(user: int | None) -> Path:
    """A folder for what libraries write when they are loaded, and in it the working folder of the code."""
    for left in Path(tempfile.gettempdir()).glob(f"{_PREFIX}*-*"):
        # An owner that was killed could not remove its own.
        owner = left.name.removeprefix(_PREFIX).partition("-")[0]
        if owner.isdecimal() and not _exists(int(owner)):
            shutil.rmtree(left, ignore_errors=True)
    folder = Path(tempfile.mkdtemp(prefix=f"{_PREFIX}{os.getpid()}-"))
    work = folder / "work"
    work.mkdir(0o700)
    if user is not None:
        os.chown(work, user, user)
        os.chown(folder, user, user)
    return folder


def _exists(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except OSError:
        return True
    return True


_waiting: queue.SimpleQueue[tuple[Callable[[], Any], Future[Any]]] = queue.SimpleQueue()
_thread: tuple[int, threading.Thread] | None = None
_lock = threading.Lock()


def _in_lasting_thread(work: Callable[[], T]) -> T:
    """Let the one thread do it that lives as long as this process does."""
    global _thread, _waiting
    with _lock:
        # A process that was forked has none of its threads.
        if _thread is None or _thread[0] != os.getpid():
            _waiting = queue.SimpleQueue()
            thread = threading.Thread(target=_last, args=(_waiting,), name="graphwright-sandbox", daemon=True)
            thread.start()
            _thread = (os.getpid(), thread)
    future: Future[T] = Future()
    _waiting.put((work, future))
    return future.result()


def _last(waiting: queue.SimpleQueue[tuple[Callable[[], Any], Future[Any]]]) -> None:
    while True:
        work, future = waiting.get()
        try:
            future.set_result(work())
        except BaseException as error:
            future.set_exception(error)
        del work, future
