"""What the worker and its owner send each other: messages of a kind, with the shapes of the port as JSON."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import fields, is_dataclass
from typing import Any, Literal, TypeAlias

from graphwright.sandbox.child import MOST_BYTES, framed

Kind: TypeAlias = Literal["ask", "done", "error", "batch", "more"]
"""A request; its answer; the error instead; a part of a stream; the request for the next part of one."""

OUT_OF_MEMORY = 12
"""The exit status of a worker that could not get the memory it needed."""

_BATCH_BYTES = 512 * 1024
_HEADER_BYTES = 100


class Unsendable(Exception):
    """What was to be sent is no JSON, or larger than a frame; nothing was sent. It says which."""


def message(kind: Kind, value: Any = None) -> bytes:
    """A frame with a value: JSON, and dataclasses of the port. Raises Unsendable."""
    return _frame(kind, _encoded(value))


def batches(items: Iterable[Any]) -> Iterator[bytes]:
    """The items as frames of at least half a megabyte, but for the last. Raises Unsendable."""
    batch: list[bytes] = []
    size = 0
    for item in items:
        batch.append(_encoded(item))
        size += len(batch[-1])
        if size >= _BATCH_BYTES:
            yield _frame("batch", b"[%b]" % b",".join(batch))
            batch, size = [], 0
    if batch:
        yield _frame("batch", b"[%b]" % b",".join(batch))


def read(received: tuple[Any, bytes]) -> tuple[Kind, Any]:
    """The kind and the value of a message as the channel returns it. Raises ValueError for what is none."""
    return received[0], json.loads(received[1])


def _encoded(value: Any) -> bytes:
    try:
        text = json.dumps(value, ensure_ascii=False, separators=(",", ":"), default=_plain)
    except (TypeError, ValueError, RecursionError) as error:
        raise Unsendable(f"is not JSON ({error})") from None
    # The engine refuses lone surrogates; `json.loads` accepts them.
    return text.encode("utf-8", "surrogatepass")


def _plain(value: Any) -> Any:
    if is_dataclass(value):
        return {field.name: getattr(value, field.name) for field in fields(value)}
    if isinstance(value, Mapping):
        return dict(value)
    raise TypeError(f"{type(value).__name__} is not JSON")


def _frame(kind: Kind, body: bytes) -> bytes:
    if len(body) > MOST_BYTES - _HEADER_BYTES:
        raise Unsendable("is larger than 64 MiB")
    return framed(kind, body)
