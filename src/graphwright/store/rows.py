"""The rows that the store takes and gives, plain frozen data; and JSON values as the text that a database keeps."""

from __future__ import annotations

import json
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal, TypedDict

from graphwright.store.errors import StoreError, damaged


def storable(text: str) -> str:
    """The text with lone surrogates, which no encoding can hold, replaced by U+FFFD."""
    if text.isascii():
        return text
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def seconds_between(began: str, ended: str) -> float:
    """The seconds from one time of a row to another; 0 if the clock was set back in between."""
    return max(0.0, (datetime.fromisoformat(ended) - datetime.fromisoformat(began)).total_seconds())


def dump(value: Any, what: str, *, canonical: bool = False) -> str:
    """Compact JSON text, keys in the given order; where it is `canonical`, equal values have equal texts.

    Raises `StoreError("not_json")`, which names `what`, for anything JSON does not have: NaN, dates, sets,
    cycles.
    """
    try:
        text = json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"), sort_keys=canonical)
    except (TypeError, ValueError, RecursionError) as error:
        raise StoreError(
            "not_json",
            f"{what} is not JSON: {error}.",
            "Keep only texts, finite numbers, true, false, null, lists and objects with text keys.",
        ) from error
    return storable(text)


def load(text: str) -> Any:
    """The value of a text that `dump` made. Raises `StoreError("corrupted")` where it is damaged."""
    try:
        return json.loads(text)
    except ValueError as error:
        raise damaged("a text in it that must be JSON is none") from error


ThreadStatus = Literal["new", "running", "waiting", "ended", "failed"]
LiveStatus = ThreadStatus | Literal["cut_short"]
"""The status as `Store.current` returns it: `running` while a turn holds the thread, `cut_short` after one that was
interrupted."""

OutcomeStatus = Literal["started", "done", "raised", "broken"]
Role = Literal["user", "assistant"]


class ThreadChanges(TypedDict, total=False):
    """What may be written to a thread's row. A new row needs `agent`, `flow_id` and `flow_hash`."""

    agent: str
    flow_id: str
    flow_hash: str
    status: ThreadStatus
    waiting_for: Any
    position: Any
    title: str
    turns: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ThreadRow:
    """One conversation. `waiting_for` and `position` are JSON values; times are ISO 8601 in UTC.

    `agent` is the name of a built-in agent, or a path.
    """

    thread: str
    agent: str
    flow_id: str
    flow_hash: str
    status: LiveStatus
    waiting_for: Any
    position: Any
    title: str
    turns: int
    created: str
    updated: str


@dataclass(frozen=True, slots=True)
class EventRow:
    """One event of a thread's trace. `seq` counts from 0 over the whole thread, `visit` is its step."""

    seq: int
    visit: int
    time: str
    event: dict[str, Any]


@dataclass(frozen=True, slots=True)
class Message:
    """One message of a thread. `seq` counts from 0 over the whole thread."""

    seq: int
    role: Role
    text: str
    time: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """What is known of one visit of an action.

    It was `started` and has not come to an end that anybody saw, it is `done`, it `raised` (nothing was done), or its
    contract is `broken`, which is `error` (JSON): it must never be performed again.
    """

    thread: str
    visit: int
    node: str
    status: OutcomeStatus
    attempt: int
    error: Any
    time: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Record:
    """One thing that an agent keeps, under a key of one of its collections."""

    collection: str
    key: str
    value: Any
    agent: str
    thread: str
    created: str
