"""The turns of a thread, with the usage of their model calls."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from graphwright.models.usage import call_cost
from graphwright.store import EventRow
from graphwright.store.rows import seconds_between

USED = ("turn_started", "turn_failed", "interaction_noted", "model_called")
"""The types of events that `turns_of` needs, with the last event of each turn."""


def turns_of(events: Iterable[EventRow]) -> list[dict[str, Any]]:
    """Return the turns that begin in these events, in order, each with its usage; `cost` is None without a price.

    A turn that the user stopped did not fail.
    """
    turns: list[dict[str, Any]] = []
    failed = False
    for row in events:
        event = row.event
        if event["type"] == "turn_started":
            failed = False
            about = {"turn": event["turn"], "seq": row.seq, "time": row.time, "message": event.get("message")}
            turns.append(
                {**about, "failed": False, "stopped": False, "calls": 0, "tokens": 0, "seconds": 0.0, "cost": 0.0}
            )
        if not turns:
            continue
        if is_stop(event):
            turns[-1]["stopped"] = True
        elif event["type"] == "turn_failed":
            turns[-1]["failed"] = failed = True
        elif event["type"] == "interaction_noted" and event.get("success") is not None:
            # As in the interaction log: the last word of the agent counts.
            turns[-1]["failed"] = failed or not event["success"]
        elif event["type"] == "model_called":
            _add(turns[-1], event)
        turns[-1]["seconds"] = round(seconds_between(turns[-1]["time"], row.time), 3)
    return turns


def is_stop(event: Mapping[str, Any]) -> bool:
    """Whether an event is the end of a turn that the user stopped."""
    return event["type"] == "turn_failed" and event.get("code") == "stopped"


def usage_of(turns: Iterable[Mapping[str, Any]]) -> dict[str, Any]:
    """Return the usage of several turns together, and how many of them failed."""
    usage: dict[str, Any] = {"seconds": 0.0, "calls": 0, "tokens": 0, "cost": 0.0, "failed_turns": 0}
    for turn in turns:
        usage["failed_turns"] += turn["failed"]
        usage["seconds"] = round(usage["seconds"] + turn["seconds"], 3)
        for name in ("calls", "tokens"):
            usage[name] += turn[name]
        usage["cost"] = _sum(usage["cost"], turn["cost"])
    return usage


def _add(turn: dict[str, Any], call: Mapping[str, Any]) -> None:
    """Add the usage of a model call."""
    turn["calls"] += 1
    turn["tokens"] += call.get("input_tokens", 0) + call.get("output_tokens", 0)
    turn["cost"] = _sum(turn["cost"], call_cost(call))


def _sum(one: float | None, other: float | None) -> float | None:
    return None if one is None or other is None else one + other
