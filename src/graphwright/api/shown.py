"""JSON of threads, turns, events and files as the service shows it: without local paths and private values."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from typing import Any

from graphwright import Turn
from graphwright.host.event_json import without_private
from graphwright.store import Message, RunRow, ThreadRow
from graphwright.text.hidden import with_turns_named

THREAD = ("thread", "title", "status", "turns", "created", "updated", "waiting_for")


def thread_json(row: ThreadRow, agent: str) -> dict[str, Any]:
    """Return a thread of the list as JSON."""
    return {"agent": agent, **{name: getattr(row, name) for name in THREAD}}


def run_json(row: RunRow) -> dict[str, Any]:
    """Return a run as JSON: with a `problem` if it failed without a turn, `unread` if its message must be sent
    again."""
    kind, data = row.last or ("", None)
    told = dict(data or {})
    unread = {"unread": told.pop("unread")} if kind in ("run_failed", "run_cancelled") and "unread" in told else {}
    problem = {"problem": told} if kind == "run_failed" else {}
    turn = {"turn": told} if kind == "turn_ended" else {}
    shown = {name: getattr(row, name) for name in ("id", "thread", "status", "created", "updated")}
    return {**shown, **turn, **problem, **unread}


def artifact_id(path: str) -> str:
    """Return the id that replaces the path of an artifact."""
    return hashlib.sha256(path.encode()).hexdigest()[:16]


def _without_path(artifact: Mapping[str, Any]) -> dict[str, Any]:
    rest = {name: value for name, value in artifact.items() if name != "path"}
    return {**rest, "id": artifact_id(artifact["path"])}


def event_json(event: Mapping[str, Any]) -> dict[str, Any]:
    """Return an event of a turn as JSON."""
    shown = without_private(event)
    return _without_path(shown) if event["type"] == "artifact_made" else shown


def conversation_markdown(title: str, messages: Iterable[Message]) -> str:
    """Return the messages of a thread as Markdown, each under its speaker and time in UTC.

    Characters that reverse the direction of writing are shown by name.
    """
    said = "\n".join(
        f"## {'You' if message.role == 'user' else 'Agent'}, {message.time[:16].replace('T', ' ')}\n\n{message.text}\n"
        for message in messages
    )
    return with_turns_named(f"# {title}\n\n{said}")


def turn_json(turn: Turn, approval: Mapping[str, Any] | None = None) -> dict[str, Any]:
    """Return the last event of a turn, with its result; `approval` is what a yes would approve, or None."""
    shown = turn.to_json()
    if approval is not None:
        shown["waiting_for"] = {**shown["waiting_for"], "approval": approval}
    return {"type": "turn_ended", **shown, "artifacts": [_without_path(each) for each in shown["artifacts"]]}
