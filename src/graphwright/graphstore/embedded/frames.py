"""Frames: how the worker and its owner talk. Four bytes of length, big-endian, then that much JSON, over a pipe."""

from __future__ import annotations

import json
import os
import select
import time
from collections.abc import Iterable, Iterator
from typing import Any

from graphwright.graphstore.json_text import compact

MOST_BYTES = 64 * 1024 * 1024
"""The largest frame that either side takes. Rows and elements travel in many small ones."""

OUT_OF_MEMORY = 12
"""The exit status of a worker that could not get the memory it needed."""

_BATCH_BYTES = 512 * 1024

_PIECE = 1 << 16


class Gone(Exception):
    """The other side has ended, or what it sent is no frame: nothing more can be said to it."""


class Late(Exception):
    """The other side did not read or answer in time."""


class Unsendable(Exception):
    """What was to be sent is no JSON, or larger than a frame; nothing was sent. It says which."""


def encoded(message: Any) -> bytes:
    """A frame. Raises Unsendable."""
    return _framed(_json(message))


def batched(items: Iterable[Any]) -> Iterator[bytes]:
    """The items as frames `{"batch": [...]}` of at least half a megabyte, but for the last. Raises Unsendable."""
    batch: list[str] = []
    size = 0
    for item in items:
        text = _json(item)
        batch.append(text)
        size += len(text)
        if size >= _BATCH_BYTES:
            yield _framed(f'{{"batch":[{",".join(batch)}]}}')
            batch, size = [], 0
    if batch:
        yield _framed(f'{{"batch":[{",".join(batch)}]}}')


def _json(value: Any) -> str:
    try:
        return compact(value)
    except (TypeError, ValueError, RecursionError) as error:
        raise Unsendable(f"is no JSON ({error})") from None


def _framed(text: str) -> bytes:
    # Half a character is for the engine to refuse; `json.loads` takes it, too.
    body = text.encode("utf-8", "surrogatepass")
    if len(body) > MOST_BYTES:
        raise Unsendable("is larger than 64 MiB")
    return len(body).to_bytes(4, "big") + body


class Channel:
    """One side of a conversation: a descriptor to read frames from, and one to write them to; both are closed by it."""

    def __init__(self, incoming: int, outgoing: int) -> None:
        self._incoming = incoming
        self._outgoing = outgoing
        os.set_blocking(outgoing, False)

    def send(self, frame: bytes, seconds: float | None = None) -> None:
        """Write a frame that `encoded` made. Raises Gone, and Late after so many seconds (None: never)."""
        deadline = None if seconds is None else time.monotonic() + seconds
        left = memoryview(frame)
        while left:
            try:
                left = left[os.write(self._outgoing, left) :]
            except BlockingIOError:
                _wait(self._outgoing, select.POLLOUT, deadline)
            except OSError:
                raise Gone from None

    def receive(self, seconds: float | None = None) -> Any:
        """The next message. Raises Gone, and Late when it is not there, whole, after so many seconds."""
        deadline = None if seconds is None else time.monotonic() + seconds
        length = int.from_bytes(self._exactly(4, deadline), "big")
        if length > MOST_BYTES:
            raise Gone
        body = self._exactly(length, deadline)
        try:
            return json.loads(body)
        except (ValueError, RecursionError):
            raise Gone from None

    def _exactly(self, size: int, deadline: float | None) -> bytearray:
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


def _wait(descriptor: int, event: int, deadline: float | None) -> None:
    poll = select.poll()
    poll.register(descriptor, event)
    left = None if deadline is None else max(0.0, deadline - time.monotonic()) * 1000
    if not poll.poll(left):
        raise Late
