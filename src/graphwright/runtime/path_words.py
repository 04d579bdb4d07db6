"""The events of choosing a path in words: the same in the trace for people and in golden traces."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

Event = Mapping[str, Any]
Write = Callable[[Any], str]

_NO_VOTE = {"unsure": "not sure enough", "locked": "the choice is made"}


def votes_text(votes: Mapping[str, float]) -> str:
    """Votes by path, the most first."""
    return ", ".join(f"{path} {number:g}" for path, number in sorted(votes.items(), key=lambda item: -item[1]))


def _voted(e: Event, write: Write) -> str:
    sure = f" ({e['confidence']:g})" if e.get("confidence") is not None else ""
    why = f", because {write(e['rationale'])}" if e.get("rationale") else ""
    if not e["counted"]:
        return f"vote for {e['path']}{sure} does not count, {_NO_VOTE.get(e['reason'], e['reason'])}{why}"
    return f"vote for {e['path']}{sure}{why}: {votes_text(e['votes'])} of {e['threshold']:g}"


def _refused(e: Event, write: Write) -> str:
    why = "there is no such path" if e["reason"] == "unknown" else "the reply was read as several paths"
    return f"no vote for {write(e['path'])}, {why}"


PATH_WORDS: Mapping[str, Callable[[Event, Write], str]] = {
    "path_voted": _voted,
    "path_switched": lambda e, write: f"path {e['path']} takes the lead from {e['before']}",
    "path_locked": lambda e, write: f"path {e['path']} is chosen",
    "path_corrected": lambda e, write: f"path {e['path']} is chosen instead of {e['before']}, by the user's correction",
    "path_refused": _refused,
}
"""By the type of event: its words, made of the event and of what writes a value as a short text."""
