"""One worker process as its owner sees it: started confined, asked, and ended."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import weakref
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Literal, TypeVar

from graphwright.graphstore.embedded.frames import OUT_OF_MEMORY, Channel, Gone, Late
from graphwright.graphstore.errors import GraphError, GraphUnavailable, Transient, unpacked

START_SECONDS = 30.0
"""How long a worker may take until it is ready; opening after a crash may have to recover the file."""

_PATIENCE = 2.0
"""Seconds after its limit at which a worker is killed. It ends itself one second earlier, if it still can."""

_CLOSING_SECONDS = 5.0

# Nothing of the environment comes along but where libraries lie and what time it is here.
_KEPT = ("LD_LIBRARY_PATH", "TZ")

_BOOT = "import sys; sys.path[:] = sys.argv[2:]; from graphwright.graphstore.embedded.worker import main; main()"

_FAULTS = (signal.SIGSEGV, signal.SIGABRT, signal.SIGBUS, signal.SIGFPE, signal.SIGILL, signal.SIGSYS)

How = Literal["late", "broken", "lost"]
"""How a worker ended: it took too `late` an end; it was `broken` by its work (a fault in native code, no memory left);
or it is `lost`, because it was killed from outside."""

T = TypeVar("T")


class Died(Exception):
    """A worker ended without an answer, and its locks with it."""

    def __init__(self, how: How) -> None:
        super().__init__(how)
        self.how = how


class Worker:
    """A process that holds the engine of one database file. It serves one thread at a time.

    `isolation` says what confines it. While `midway` is true a request has not come to its answer; a worker that is
    left so can only be killed. Raises a GraphError when it cannot be started.
    """

    def __init__(self, path: Path, memory: int) -> None:
        self._process = _started(path, memory)
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        with self._process.stdin as into, self._process.stdout as out:
            self._channel = Channel(os.dup(out.fileno()), os.dup(into.fileno()))
        self.midway = True
        self._let_go = weakref.finalize(self, _let_go, self._process, self._channel)
        _workers.add(self)
        try:
            self.isolation: str = self.hear(START_SECONDS)["done"]
        except Died as died:
            if self._process.returncode in (-signal.SIGKILL, -signal.SIGTERM) and died.how == "lost":
                raise Transient(
                    "connection_lost",
                    "the process that holds the graph was ended from outside while it started",
                    "Try again: it starts anew.",
                ) from None
            raise GraphUnavailable(
                "graph_unavailable",
                "The process that holds the graph was not ready in time."
                if died.how == "late"
                else f"The process that holds the graph ended while it started (status {self._process.returncode}).",
                "Ask `graphwright doctor` whether everything that it needs is in order.",
            ) from None
        except GraphError:
            self.kill()
            raise

    @property
    def pid(self) -> int:
        return self._process.pid

    @property
    def alive(self) -> bool:
        return self._let_go.alive and self._process.poll() is None

    def ask(self, frame: bytes, seconds: float, read: Callable[[Any], T]) -> T:
        """Send a request and give its answer, read. Raises the GraphError that it came to, and Died."""
        self.send(frame, seconds)
        answer = self.hear(seconds)
        with self._guarded():
            return read(answer["done"])

    def send(self, frame: bytes, seconds: float) -> None:
        """Send a frame. Raises Died."""
        self.midway = True
        with self._guarded():
            self._channel.send(frame, seconds + _PATIENCE)

    def hear(self, seconds: float) -> dict[str, Any]:
        """The next message, which is no error. Raises the GraphError that came instead, and Died."""
        with self._guarded():
            message: dict[str, Any] = self._channel.receive(seconds + _PATIENCE)
            self.midway = "error" not in message and "done" not in message
            if "error" in message:
                raise unpacked(message["error"])
            return message

    @contextmanager
    def _guarded(self) -> Iterator[None]:
        """What goes wrong as Died; the worker has ended then."""
        try:
            yield
        except Gone:
            raise Died(self._how()) from None
        except Late:
            self.kill()
            raise Died("late") from None
        except (LookupError, TypeError, ValueError, AttributeError) as error:
            # What it said makes no sense: something in it is broken.
            self.kill()
            raise Died("broken") from error

    def _how(self) -> How:
        try:
            status = self._process.wait(1)
        except subprocess.TimeoutExpired:
            status = 0
        self.kill()
        if status == -signal.SIGALRM:
            return "late"
        return "broken" if status == OUT_OF_MEMORY or -status in _FAULTS else "lost"

    def close(self) -> None:
        """Let it finish and end. Idempotent."""
        self._let_go()

    def kill(self) -> None:
        """End it at once. Idempotent."""
        if self._let_go.detach():
            self._process.kill()
            self._process.wait()
            self._channel.close()

    def disown(self) -> None:
        """In a forked child: let go of what belongs to the parent, without touching its worker."""
        if self._let_go.detach():
            self._channel.close()
            self._process.returncode = 0


def _started(path: Path, memory: int) -> subprocess.Popen[bytes]:
    environment = {name: os.environ[name] for name in _KEPT if name in os.environ}
    # Where SQLite sorts what is large; every other place is out of its reach.
    environment["SQLITE_TMPDIR"] = str(path.parent)
    settings = json.dumps({"path": str(path), "memory": memory})
    try:
        return subprocess.Popen(
            # -I and -S: no variable, folder or hook of the user's Python decides what the worker imports.
            [sys.executable, "-I", "-S", "-X", "utf8", "-c", _BOOT, settings, *_import_path()],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            cwd=path.parent,
            env=environment,
            close_fds=True,
            # Ctrl-C is meant for the owner, which decides what becomes of its worker.
            start_new_session=True,
        )
    except OSError as error:
        raise GraphUnavailable(
            "graph_unavailable",
            f"The process that holds the graph cannot be started: {error.strerror}.",
            "Close other programs, or raise the limits on processes and open files.",
        ) from None


def _import_path() -> list[str]:
    """Where this process imports from, Graphwright's own place first."""
    own = str(Path(__file__).absolute().parents[3])
    return list(dict.fromkeys([own, *(entry for entry in sys.path if os.path.isabs(entry))]))


def _let_go(process: subprocess.Popen[bytes], channel: Channel) -> None:
    channel.close()
    try:
        process.wait(_CLOSING_SECONDS)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


_workers: weakref.WeakSet[Worker] = weakref.WeakSet()


def _disown_all() -> None:
    for worker in list(_workers):
        worker.disown()


# A child holding its parent's pipe would keep the worker from noticing that the parent has ended.
os.register_at_fork(after_in_child=_disown_all)
