"""A child process for dangerous work: a Python of its own that is asked over two pipes, and is ended in any case.

The child confines itself (`confine`) before the dangerous part; this module is how both sides talk. A message is a
frame: two lengths of eight bytes, big-endian, then so much JSON, then so many bytes of data. The owner (`Child`) does
not believe what the child says: a frame that is too long or no JSON ends it.
"""

from __future__ import annotations

import json
import os
import resource
import select
import signal
import struct
import subprocess
import sys
import tempfile
import time
import weakref
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, Literal, NoReturn

from graphwright.sandbox.confine import Confinement, available, confine
from graphwright.sandbox.errors import SandboxUnavailable

MOST_BYTES = 64 * 1024 * 1024
"""The largest frame that is taken where nothing else is said."""

_LENGTHS = struct.Struct(">QQ")
_PIECE = 1 << 20
_ENDING_SECONDS = 1.0

# Nothing of the environment comes along but where libraries lie and what time it is here.
_KEPT = ("LD_LIBRARY_PATH", "TZ")
_BOOT = "import sys; sys.path[:] = sys.argv[3:]; from importlib import import_module; import_module(sys.argv[1]).main()"


class Gone(Exception):
    """The other side has ended, or what it sent is no frame: nothing more can be said to it."""


class Late(Exception):
    """The other side did not read or answer in time."""


Why = Literal["late", "memory", "unconfined", "start", "broken"]

_MEMORY, _UNCONFINED, _GONE, _SIGNALLED = 77, 78, 79, 100
"""Exit statuses: no memory left; no confinement; the owner is gone; a signal, which is added to the last one."""


class Died(Exception):
    """A child ended without an answer: it took too long (`late`), needed more than its `memory`, could not be confined
    (`unconfined`) or started (`start`), or its work `broken` it. `status` is its exit status; None: it was killed."""

    def __init__(self, status: int | None) -> None:
        super().__init__(status)
        self.status = status

    @property
    def why(self) -> Why:
        status = self.status if self.status is None or self.status >= 0 else _SIGNALLED - self.status
        if status in (None, _SIGNALLED + signal.SIGALRM):
            return "late"
        if status in (_MEMORY, _SIGNALLED + signal.SIGKILL, _SIGNALLED + signal.SIGABRT):
            return "memory"
        return "unconfined" if status == _UNCONFINED else "start" if status in (1, 2) else "broken"


def framed(message: Any, data: bytes = b"") -> bytes:
    """A frame. Raises TypeError, ValueError and RecursionError for a message that is no JSON."""
    body = json.dumps(message, separators=(",", ":")).encode("ascii")
    return b"".join((_LENGTHS.pack(len(body), len(data)), body, data))


class Channel:
    """One side of a conversation: a descriptor to read frames from, and one to write them to; both are closed by it."""

    def __init__(self, incoming: int, outgoing: int) -> None:
        self._incoming, self._outgoing = incoming, outgoing
        os.set_blocking(outgoing, False)

    @classmethod
    def own(cls) -> Channel:
        """The pipes of this child, out of the way of whatever reads from stdin or prints to stdout."""
        channel = cls(os.dup(0), os.dup(1))
        nothing = os.open(os.devnull, os.O_RDWR)
        os.dup2(nothing, 0)
        os.dup2(nothing, 1)
        os.close(nothing)
        return channel

    def send(self, frame: bytes, seconds: float | None = None) -> None:
        """Write what `framed` made. Raises Gone, and Late after so many seconds (None: never)."""
        deadline = None if seconds is None else time.monotonic() + seconds
        left = memoryview(frame)
        while left:
            try:
                left = left[os.write(self._outgoing, left[:_PIECE]) :]
            except BlockingIOError:
                _wait(self._outgoing, select.POLLOUT, deadline)
            except OSError:
                raise Gone from None

    def receive(self, seconds: float | None = None, most: float = MOST_BYTES) -> tuple[Any, bytes]:
        """The next message and its data. Raises Gone, and Late when it is not there, whole, after so many seconds."""
        deadline = None if seconds is None else time.monotonic() + seconds
        told, held = _LENGTHS.unpack(self._exactly(_LENGTHS.size, deadline))
        if told + held > most:
            raise Gone
        body, data = self._exactly(told, deadline), self._exactly(held, deadline)
        try:
            return json.loads(body), bytes(data)
        except (ValueError, RecursionError):
            raise Gone from None

    def _exactly(self, size: int, deadline: float | None) -> bytearray:
        """So many bytes and not one more: another process may go on from there."""
        body = bytearray()
        while len(body) < size:
            if deadline is not None:
                _wait(self._incoming, select.POLLIN, deadline)
            try:
                piece = os.read(self._incoming, min(_PIECE, size - len(body)))
            except OSError:
                raise Gone from None
            if not piece:
                raise Gone
            body += piece
        return body

    def wait_for_end(self) -> None:
        """Block until the other side has ended. Another thread may receive meanwhile."""
        poll = select.poll()
        # Without any event asked for, only the end is told.
        poll.register(self._incoming, 0)
        poll.poll()

    def close(self) -> None:
        """Let go of both descriptors. Idempotent."""
        for descriptor in {self._incoming, self._outgoing} - {-1}:
            os.close(descriptor)
        self._incoming = self._outgoing = -1


class Child:
    """A child as its owner sees it: it runs `main()` of a module, whose settings are `sys.argv[2]` as JSON.

    It serves one thread at a time. It ends when it is closed, when nothing refers to it any more, and when its owner
    ends; `closing` is how many seconds it may take for that. Raises OSError where it cannot be started.
    """

    def __init__(
        self,
        module: str,
        settings: Mapping[str, Any],
        *,
        folder: Path | None = None,
        environment: Mapping[str, str] | None = None,
        closing: float = 5.0,
    ) -> None:
        own = str(Path(__file__).absolute().parents[2])
        places = dict.fromkeys([own, *(entry for entry in sys.path if os.path.isabs(entry))])
        self._process = subprocess.Popen(
            # -I and -S: no variable, folder or hook of the user's Python decides what is imported.
            [sys.executable, "-I", "-S", "-X", "utf8", "-c", _BOOT, module, json.dumps(settings), *places],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            bufsize=0,
            cwd=folder or tempfile.gettempdir(),
            env={name: os.environ[name] for name in _KEPT if name in os.environ} | dict(environment or {}),
            close_fds=True,
            # Ctrl-C is meant for the owner, which decides what becomes of its child.
            start_new_session=True,
        )
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        with self._process.stdin as into, self._process.stdout as out:
            self._channel = Channel(os.dup(out.fileno()), os.dup(into.fileno()))
        self._let_go = weakref.finalize(self, _ended, self._process, self._channel, closing)
        _children.add(self)

    @property
    def pid(self) -> int:
        return self._process.pid

    @property
    def alive(self) -> bool:
        return self._let_go.alive and self._process.poll() is None

    def ask(self, message: Any, data: bytes, seconds: float, most: float = MOST_BYTES) -> tuple[Any, bytes]:
        """Send a message with its data and give the answer, of at most so many bytes. Raises Died."""
        self.send(framed(message, data), seconds)
        return self.receive(seconds, most)

    def send(self, frame: bytes, seconds: float) -> None:
        """Send a frame. Raises Died; the child has ended then."""
        with self._guarded():
            self._channel.send(frame, seconds)

    def receive(self, seconds: float, most: float = MOST_BYTES) -> tuple[Any, bytes]:
        """The next message and its data. Raises Died; the child has ended then."""
        with self._guarded():
            return self._channel.receive(seconds, most)

    @contextmanager
    def _guarded(self) -> Iterator[None]:
        status = None
        try:
            yield
        except (Gone, Late) as error:
            if isinstance(error, Gone):
                with suppress(subprocess.TimeoutExpired):
                    status = self._process.wait(_ENDING_SECONDS)
            self.kill()
            raise Died(status) from None

    def close(self) -> None:
        """Let it finish and end. Idempotent."""
        self._let_go()

    def kill(self) -> None:
        """End it at once, with whatever it has started. Idempotent."""
        if self._let_go.detach():
            _ended(self._process, self._channel, 0.0)

    def disown(self) -> None:
        """In a forked process: let go of what belongs to the parent, without touching its child."""
        if self._let_go.detach():
            self._channel.close()
            self._process.returncode = 0


def serve(
    answer: Callable[[dict[str, Any], bytes], tuple[dict[str, Any], bytes]],
    confinement: Callable[[dict[str, Any]], Confinement],
) -> NoReturn:
    """In a child: have forked processes answer, one at a time, each confined for its first request, until the end.

    A request has `seconds`, which it may take, and `last`: another process answers the next one then. To the answer is
    added what confines it, `isolation`: empty where no confinement is to be had, and the limit on memory holds alone.
    """
    channel = Channel.own()
    os.umask(0o077)
    signal.signal(signal.SIGALRM, signal.SIG_DFL)
    while True:
        if not (process := os.fork()):
            os._exit(_served(channel, answer, confinement))
        _, ended = os.waitpid(process, 0)
        if os.WIFSIGNALED(ended):
            os._exit(_SIGNALLED + os.WTERMSIG(ended))
        if status := os.WEXITSTATUS(ended):
            os._exit(status if status != _GONE else 0)


def _served(channel: Channel, answer: Callable[..., Any], confinement: Callable[..., Confinement]) -> int:
    isolation: str | None = None
    try:
        while True:
            request, data = channel.receive(most=sys.maxsize)
            if isolation is None:
                # Before the first look at the data.
                isolation = _confined(confinement(request))
            signal.setitimer(signal.ITIMER_REAL, request["seconds"])
            found, more = answer(request, data)
            signal.setitimer(signal.ITIMER_REAL, 0)
            channel.send(framed({**found, "isolation": isolation}, more))
            if request["last"]:
                return 0
    except Gone:
        return _GONE
    except SandboxUnavailable:
        return _UNCONFINED
    except MemoryError:
        return _MEMORY
    except BaseException:
        return 1


def _confined(confinement: Confinement) -> str:
    if available().isolation:
        return confine(confinement)
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    # macOS knows the limit and does not hold it.
    with suppress(OSError, ValueError):
        if memory := confinement.limits.memory:
            resource.setrlimit(resource.RLIMIT_AS, (memory, memory))
    return ""


def _ended(process: subprocess.Popen[bytes], channel: Channel, seconds: float) -> None:
    channel.close()
    # Without work it ends by itself, and what it took is counted.
    with suppress(subprocess.TimeoutExpired):
        if seconds:
            process.wait(seconds)
    # What it forked has nobody else to end it.
    with suppress(OSError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()


def _wait(descriptor: int, event: int, deadline: float | None) -> None:
    poll = select.poll()
    poll.register(descriptor, event)
    left = None if deadline is None else max(0.0, deadline - time.monotonic()) * 1000
    if not poll.poll(left):
        raise Late


_children: weakref.WeakSet[Child] = weakref.WeakSet()


def _disown_all() -> None:
    for child in list(_children):
        child.disown()


# A process that holds its parent's pipe would keep a child from noticing that the parent has ended.
os.register_at_fork(after_in_child=_disown_all)
