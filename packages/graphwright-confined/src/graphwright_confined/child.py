"""Child processes for dangerous work: a Python process that receives requests over two pipes and ends with its owner.

The child confines itself (`confine`) before the dangerous part. A message is a frame: two lengths of eight bytes,
big-endian, then that much JSON and that many bytes of data. The owner (`Child`) does not trust the child: a frame that
is too long or not JSON ends it.
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

from graphwright_confined._errors import SandboxUnavailable
from graphwright_confined.confine import Confinement, available, confine

__all__ = ["MOST_BYTES", "Gone", "Died", "framed", "Channel", "Child", "serve"]

MOST_BYTES = 64 * 1024 * 1024
"""The default maximum size of a received frame, in bytes."""

_LENGTHS = struct.Struct(">QQ")
_PIECE = 1 << 20
_ENDING_SECONDS = 1.0

# The environment variables that a child inherits.
_INHERITED = ("LD_LIBRARY_PATH", "TZ")
_BOOT = "import sys; sys.path[:] = sys.argv[3:]; from importlib import import_module; import_module(sys.argv[1]).main()"


class Gone(Exception):
    """The other side has ended, or sent something that is not a frame."""


class Late(Exception):
    """The other side did not read or answer in time."""


Why = Literal["late", "memory", "unconfined", "start", "broken"]

_MEMORY, _UNCONFINED, _GONE, _SIGNALLED = 77, 78, 79, 100
"""Exit statuses: out of memory; no confinement; the owner has ended; a signal, whose number is added."""


class Died(Exception):
    """A child ended without an answer. `status` is its exit status, or None if its owner killed it.

    `why`: it took too long (`late`), needed more than its `memory`, could not be confined (`unconfined`) or started
    (`start`), or crashed at work (`broken`).
    """

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
    """The frame of a message. Raises TypeError, ValueError and RecursionError for a message that is not JSON."""
    body = json.dumps(message, separators=(",", ":")).encode("ascii")
    return b"".join((_LENGTHS.pack(len(body), len(data)), body, data))


class Channel:
    """One side of a connection: a descriptor to read frames from, and one to write them to. It owns both."""

    def __init__(self, incoming: int, outgoing: int) -> None:
        self._incoming, self._outgoing = incoming, outgoing
        os.set_blocking(outgoing, False)

    @classmethod
    def own(cls) -> Channel:
        """The pipes of this child, which are its stdin and stdout; other code can no longer use these."""
        channel = cls(os.dup(0), os.dup(1))
        nothing = os.open(os.devnull, os.O_RDWR)
        os.dup2(nothing, 0)
        os.dup2(nothing, 1)
        os.close(nothing)
        return channel

    def send(self, frame: bytes, seconds: float | None = None) -> None:
        """Write a frame of `framed`. Raises Gone, and Late after `seconds` (None: no limit)."""
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
        """The next message and its data. Raises Gone, and Late if it is not complete after `seconds`."""
        deadline = None if seconds is None else time.monotonic() + seconds
        json_size, data_size = _LENGTHS.unpack(self._exactly(_LENGTHS.size, deadline))
        if json_size + data_size > most:
            raise Gone
        body, data = self._exactly(json_size, deadline), self._exactly(data_size, deadline)
        try:
            return json.loads(body), bytes(data)
        except (ValueError, RecursionError):
            raise Gone from None

    def _exactly(self, size: int, deadline: float | None) -> bytearray:
        """Read exactly `size` bytes, because another process may read the following ones."""
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
        """Block until the other side has ended. Another thread may receive in the meantime."""
        poll = select.poll()
        # Without requested events, poll reports the end alone.
        poll.register(self._incoming, 0)
        poll.poll()

    def close(self) -> None:
        """Close both descriptors. Idempotent."""
        for descriptor in {self._incoming, self._outgoing} - {-1}:
            os.close(descriptor)
        self._incoming = self._outgoing = -1


class Child:
    """A child, for its owner: it runs `main()` of a module, with the settings as JSON in `sys.argv[2]`.

    It serves one thread at a time. It ends if it is closed, if it is no longer referenced, and if its owner ends; it
    may take `closing` seconds for that. Raises OSError if it cannot be started.
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
        own = str(Path(__file__).absolute().parents[1])
        folders = dict.fromkeys([own, *(entry for entry in sys.path if os.path.isabs(entry))])
        self._process = subprocess.Popen(
            # -I and -S: variables, folders and hooks of the user do not affect imports.
            [sys.executable, "-I", "-S", "-X", "utf8", "-c", _BOOT, module, json.dumps(settings), *folders],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            bufsize=0,
            cwd=folder or tempfile.gettempdir(),
            env={name: os.environ[name] for name in _INHERITED if name in os.environ} | dict(environment or {}),
            close_fds=True,
            # Ctrl-C interrupts the owner, which then handles its child.
            start_new_session=True,
        )
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        with self._process.stdin as into, self._process.stdout as out:
            self._channel = Channel(os.dup(out.fileno()), os.dup(into.fileno()))
        self._end = weakref.finalize(self, _end_process, self._process, self._channel, closing)
        _children.add(self)

    @property
    def pid(self) -> int:
        return self._process.pid

    @property
    def alive(self) -> bool:
        return self._end.alive and self._process.poll() is None

    def ask(self, message: Any, data: bytes, seconds: float, most: float = MOST_BYTES) -> tuple[Any, bytes]:
        """Send a message with its data and return the answer, of at most `most` bytes. Raises Died."""
        self.send(framed(message, data), seconds)
        return self.receive(seconds, most)

    def send(self, frame: bytes, seconds: float) -> None:
        """Send a frame. Raises Died."""
        with self._guarded():
            self._channel.send(frame, seconds)

    def receive(self, seconds: float, most: float = MOST_BYTES) -> tuple[Any, bytes]:
        """The next message and its data. Raises Died."""
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
        self._end()

    def kill(self) -> None:
        """End it immediately, with all that it has started. Idempotent."""
        if self._end.detach():
            _end_process(self._process, self._channel, 0.0)

    def disown(self) -> None:
        """In a forked process: close the descriptors of the parent, without ending its child."""
        if self._end.detach():
            self._channel.close()
            self._process.returncode = 0


def serve(
    answer: Callable[[dict[str, Any], bytes], tuple[dict[str, Any], bytes]],
    confinement: Callable[[dict[str, Any]], Confinement],
) -> NoReturn:
    """In a child: let forked processes answer, one at a time, each confined before its first request, until the end.

    A request has `seconds`, its time limit, and `last`: the next request is answered by a new process. The answer gets
    the field `isolation`: empty if confinement is not available and only the memory is limited.
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
                # Before the data is read.
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
    # macOS may refuse this limit.
    with suppress(OSError, ValueError):
        if memory := confinement.limits.memory:
            resource.setrlimit(resource.RLIMIT_AS, (memory, memory))
    return ""


def _end_process(process: subprocess.Popen[bytes], channel: Channel, seconds: float) -> None:
    channel.close()
    # An idle child ends by itself; waiting for it includes its CPU time.
    with suppress(subprocess.TimeoutExpired):
        if seconds:
            process.wait(seconds)
    # Its forks have no other owner.
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


# A fork that keeps the pipe of its parent open would keep a child alive after the parent.
os.register_at_fork(after_in_child=_disown_all)
