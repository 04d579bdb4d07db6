"""The rows of the store as plain frozen data, and the encoding of JSON values as text."""

from __future__ import annotations

import json
from collections.abc import Collection
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Literal, TypedDict

from graphwright.store._errors import StoreError, damaged

__all__ = ["seconds_between", "utc_now"]


def storable(text: str) -> str:
    """Return the text with lone surrogates, which cannot be encoded, replaced by U+FFFD."""
    if text.isascii():
        return text
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def seconds_between(began: str, ended: str) -> float:
    """Return the seconds from one time of a row to another; 0 if the clock was set back in between."""
    return max(0.0, (datetime.fromisoformat(ended) - datetime.fromisoformat(began)).total_seconds())


_COMPACT = json.JSONEncoder(ensure_ascii=False, allow_nan=False, separators=(",", ":"))
_CANONICAL = json.JSONEncoder(ensure_ascii=False, allow_nan=False, separators=(",", ":"), sort_keys=True)


def dump(value: Any, what: str, *, canonical: bool = False) -> str:
    """Return compact JSON text, keys in the given order; if `canonical`, equal values have equal texts.

    Raises `StoreError("not_json")`, which names `what`, for values that JSON does not have: NaN, dates, sets, cycles.
    """
    try:
        text = (_CANONICAL if canonical else _COMPACT).encode(value)
    except (TypeError, ValueError, RecursionError) as error:
        raise StoreError(
            "not_json",
            f"{what} is not JSON: {error}.",
            "Keep only texts, finite numbers, true, false, null, lists and objects with text keys.",
        ) from error
    return storable(text)


def load(text: str) -> Any:
    """Return the value of a text from `dump`. Raises `StoreError("corrupted")` if it is damaged."""
    try:
        return json.loads(text)
    except ValueError as error:
        raise damaged("a text in it that must be JSON is none") from error


ThreadStatus = Literal["new", "running", "waiting", "ended", "failed"]
LiveStatus = ThreadStatus | Literal["cut_short"]
"""The status that `Store.current` returns: `running` while a turn holds the thread, `cut_short` if it was
interrupted."""

Rating = Literal["good", "bad"]
OutcomeStatus = Literal["started", "done", "raised", "broken"]
Role = Literal["user", "assistant"]


class ThreadChanges(TypedDict, total=False):
    """Changes of a thread's row. A new row needs `agent`, `flow_id` and `flow_hash`."""

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
    """One thread. `waiting_for` and `position` are JSON values; times are ISO 8601 in UTC.

    `agent` is the name of a built-in agent, or a path. `pinned`, `folder` and `model` are choices of its owner; the
    texts are empty for none. `family` is the id of the thread from which it and its branches come, directly or not; a
    branch has the id of its `source`, and the number of its first own turn, `source_turn`.
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
    pinned: bool = False
    folder: str = ""
    model: str = ""
    family: str = ""
    source: str = ""
    source_turn: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Feedback:
    """The rating of the answer of a turn, by its user."""

    thread: str
    turn: int
    rating: Rating
    comment: str
    user: str
    time: str


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
    """The outcome of one visit of an action.

    It was `started` and its end is unknown, it is `done`, it `raised` (nothing was done), or its contract is `broken`,
    with the `error` (JSON): it must never be performed again.
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
    """One record of an agent, under a key of one of its collections."""

    collection: str
    key: str
    value: Any
    agent: str
    thread: str
    created: str


@dataclass(frozen=True, slots=True)
class Beginning:
    """The first `events` events and `messages` messages of a thread, and the `blobs` (hashes) that they refer to.

    `turn` is the number of the next turn.
    """

    thread: str
    events: int
    messages: int
    blobs: Collection[str]
    turn: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class FlowDraft:
    """The text of a flow that is being edited. `revision` counts from 1."""

    flow: str
    text: str
    revision: int
    author: str
    updated: str


@dataclass(frozen=True, slots=True, kw_only=True)
class FlowVersion:
    """A published version of a flow. `number` counts from 1 per flow, `hash` is that of its document.

    `text` is the document as it was written, with its comments; empty if only the document is known.
    """

    flow: str
    number: int
    hash: str
    author: str
    note: str
    created: str
    text: str = ""


class ThreadChoice(TypedDict, total=False):
    """The threads of a page, the most recently updated first: at most `limit`, by default 50.

    `after` is (`updated`, `thread`) of the last one of the page before. `agent`, `status`, `owner`, `pinned` and
    `folder` select threads; those that try a draft are left out unless `agent` names it. `text` must occur in the title
    or in a message, ignoring case, or the agent be one of those `called`. `begun` selects threads whose last commit was
    in the middle of a turn, and the threads in it. `families` selects the most recently updated thread of each
    conversation with its branches, `files` those that were given a file or made one. They were last updated at `since`
    or later, and before `until`, both ISO 8601 in UTC.
    """

    agent: str | None
    status: ThreadStatus | None
    text: str
    after: tuple[str, str] | None
    limit: int
    owner: str | None
    begun: Collection[str] | None
    pinned: bool | None
    folder: str | None
    families: bool
    files: bool
    called: Collection[str]
    since: str
    until: str


# The service

RunStatus = Literal["running", "waiting", "ended", "failed", "cancelled"]

DRAFT = "draft:"
"""The agents of threads in which authors try the draft of a flow begin with it: `draft:shop`."""

LOCAL = "local"
"""The user of a service without login, who also owns the threads of the command line."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RunRow:
    """One turn requested over HTTP. `last` is its final event, `[type, data]`, or None while it runs."""

    id: str
    thread: str
    owner: str
    worker: str
    status: RunStatus
    last: Any
    created: str
    updated: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Upload:
    """An uploaded file. `kind` is the type of its content, if recognized."""

    id: str
    owner: str
    name: str
    sha256: str
    kind: str
    created: str
    bytes: int


@dataclass(frozen=True, slots=True, kw_only=True)
class AcceptedRow:
    """The accepted message of a run, as JSON, and the number of its turn.

    `turn` is that of the unfinished turn if the thread was `interrupted` in the middle of one; `left` is the number of
    workers that died during the run.
    """

    message: Any
    turn: int
    interrupted: bool
    left: int


RunEvent = tuple[str, Any]
"""The type of an event, and its data as JSON."""


class ThreadBusy(Exception):
    """Another run of the thread is in progress; `run` is its row."""

    def __init__(self, run: RunRow) -> None:
        self.run = run


class KeyReused(Exception):
    """The idempotency key was already used with another request."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ApiKey:
    """An API key without its secret. `id` is its beginning; times are ISO 8601 in UTC, empty if they do not apply.

    `role` is `viewer`, `user`, `author`, `publisher` or `admin`; `hash` the SHA-256 of the whole key in hex.
    """

    id: str
    hash: str
    user: str
    role: str
    name: str
    created: str
    expires: str = ""
    last_used: str = ""
    revoked: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditEntry:
    """A decision about an action that needs approval, the outcome of the action, or the migration of a thread.

    `event` is `approved`, `rejected`, `changed` (a yes to something else: nothing was done), `performed`, `failed` or
    `unknown`; `migrated` or `migration_undone` where an operator moved a thread to another version of its flow;
    `published` for a version of a flow. `content` is the hash of exactly what was approved, or of that version. `door`
    is the protocol: `api`, `agui`, `openai`, `mcp` or `cli`; `key` the id of the API key. The store sets `number`, and
    `time` if it is empty.
    """

    user: str
    event: str
    agent: str
    thread: str
    action: str
    content: str
    node: str = ""
    key: str = ""
    door: str = ""
    run: str = ""
    number: int = 0
    time: str = ""


def utc_now() -> datetime:
    """Return the current time in UTC."""
    return datetime.now(UTC)
