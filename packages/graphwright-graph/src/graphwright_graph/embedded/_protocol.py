"""The messages between the worker and its owner: each has a kind, and the data types of the port as JSON."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import fields, is_dataclass
from typing import Any, Literal, TypeAlias

from graphwright_confined.child import MOST_BYTES, framed

Kind: TypeAlias = Literal["ask", "done", "error", "batch", "more"]
"""A request; its answer; an error; a part of a stream; the request for the next part of a stream."""

OUT_OF_MEMORY = 12
"""The exit status of a worker that ran out of memory."""

_BATCH_BYTES = 512 * 1024
_HEADER_BYTES = 100


class Unsendable(Exception):
    """The value is not JSON, or larger than a frame (the message says which); nothing was sent."""


def message(kind: Kind, value: Any = None) -> bytes:
    """A frame with a value: JSON, and dataclasses of the port. Raises Unsendable."""
    return _frame(kind, _encoded(value))


def batches(items: Iterable[Any]) -> Iterator[bytes]:
    """The items as frames of at least half a megabyte, except the last. Raises Unsendable."""
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
    """The kind and the value of a received message. Raises ValueError if it is not JSON."""
    return received[0], json.loads(received[1])


def _encoded(value: Any) -> bytes:
    try:
        text = json.dumps(value, ensure_ascii=False, separators=(",", ":"), default=_plain)
    except (TypeError, ValueError, RecursionError) as error:
        raise Unsendable(f"is not JSON ({error})") from None
    # The engine rejects lone surrogates; `json.loads` accepts them.
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
