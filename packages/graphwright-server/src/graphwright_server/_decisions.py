"""The decisions of a conversation: what became of each approval, read from the trace and the audit."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

from graphwright.errors import GraphwrightError
from graphwright.store import AuditEntry, EventRow, ThreadRow
from graphwright_server._approvals import WINDOW, described, is_plain
from graphwright_server.access.principal import Principal
from graphwright_server.service import Service

TYPES = ("turn_started", "branched", "prompted", "answer_committed", "answer_refused", "confirmation_given")
"""The types of events from which decisions and turns are read."""

_MOST = 500
"""Number of entries of the audit that are read."""

_MOST_ASKED = 10
"""Number of earlier questions that are searched for the content of a decision."""

_OUTCOMES = ("performed", "failed", "unknown", "changed")
"""What became of the actions of a yes that counted."""


@dataclass(slots=True)
class _Asked:
    """An approval that was asked for with event `at`, in the turn that began with event `turn`.

    `since` is the time of the event. The audit has a decision under a time shortly before that of its event.
    """

    at: int
    turn: int
    node: str
    since: str
    decision: str = ""
    is_superseded: bool = False
    time: str = ""
    hash: str = ""
    actions: list[str] = field(default_factory=list)


async def decided(
    service: Service, row: ThreadRow, principal: Principal, events: Sequence[EventRow]
) -> dict[int, dict[str, Any]]:
    """Return the decided approvals of a thread as JSON, by the event with which the turn that asked began.

    `events` are those of `TYPES`, in order. An approval that is still pending is not among them.
    """
    try:
        flow = (await service.agents.of(row.agent)).flow
    except GraphwrightError:
        # Without its flow, only approvals that were given can be recognized.
        questions = {each.event["node"] for each in events if each.event["type"] == "confirmation_given"}
    else:
        questions = {each.event["node"] for each in events if each.event["type"] == "prompted"}
        questions = {node for node in questions if node in flow.nodes and flow.confirmed_by(node)}
    found = _asked(events, questions)
    if not found:
        return {}
    audit = (await service.workspace.store.access.audit.page(_MOST, thread=row.thread))[::-1]
    plain = is_plain(row.agent)
    return {each.turn: {**_json(each, audit, principal), "plain": plain} for each in found}


def _asked(events: Iterable[EventRow], questions: Collection[str]) -> list[_Asked]:
    """Return the approvals that are no longer pending, in order."""
    found: list[_Asked] = []
    turn, pending = 0, None
    for row in events:
        event, kind = row.event, row.event["type"]
        if kind in ("turn_started", "branched"):
            turn = row.seq
            if pending is not None and not pending.decision:
                # Until a yes or a no follows, the user wrote something else.
                pending.decision, pending.time = "replaced", row.time
                found.append(pending)
        elif kind == "prompted" and event["node"] in questions:
            pending = _Asked(row.seq, turn, event["node"], row.time)
        elif pending is None or event.get("node") != pending.node:
            continue
        elif kind == "answer_committed" and event.get("value") is False:
            pending.decision, pending.time = "rejected", row.time
        elif kind == "answer_refused" and event["stage"] == "superseded":
            pending.decision, pending.time = "approved" if event["value"] else "rejected", row.time
            pending.is_superseded = True
        elif kind == "confirmation_given":
            pending.decision, pending.time, pending.hash = "approved", row.time, event["content"]
            pending.actions.append(event["action"])
    return found


def _json(asked: _Asked, audit: Sequence[AuditEntry], principal: Principal) -> dict[str, Any]:
    """Return a decision with its user, and the outcome of its actions, as the audit has them."""
    later = [each for each in audit if each.time >= asked.since]
    by = next((each for each in later if each.event == asked.decision and each.node == asked.node), None)
    # The audit has the hash of all that was shown; the event that of the values alone.
    hash = by.content if by is not None else asked.hash
    done = (each.event for each in later if each.event in _OUTCOMES and each.action in asked.actions)
    outcome = next(done, "") if asked.decision == "approved" else ""
    return {
        "at": asked.at,
        "node": asked.node,
        "decision": asked.decision,
        "time": asked.time,
        "hash": hash,
        "actions": asked.actions,
        "user": by.user if by is not None else "",
        "yours": by is not None and by.user == principal.user,
        "outcome": "superseded" if asked.is_superseded else outcome,
    }


async def describe(service: Service, row: ThreadRow, waits: dict[str, Any] | None, until: str = "") -> None:
    """Add to a pending approval what its card shows, with the messages of the thread `until` that time."""
    if waits is None or "approval" not in waits:
        return
    if until:
        whole = await service.workspace.store.messages.read(row.thread)
        messages = [each for each in whole if each.time <= until][-WINDOW:]
    else:
        messages = await service.workspace.messages(row.thread, limit=WINDOW)
    waits["approval"] = described(waits["approval"], messages, row.agent)


async def content_of(service: Service, entry: AuditEntry) -> dict[str, Any] | None:
    """Return the question of an audited decision, with the approval of exactly the `content` of the entry.

    None if the entry is not about an approval, or its thread or its flow no longer exists.
    """
    with suppress(GraphwrightError):
        row = await service.workspace.thread(entry.thread)
        agent = await service.agents.of(row.agent)
        events = await service.workspace.store.events.of_type(entry.thread, "prompted", "confirmation_given")
        given = [each.event for each in events if each.event["type"] == "confirmation_given"]
        nodes = {entry.node, *(each["node"] for each in given if each["action"] == entry.action)}
        asked = [each for each in events if each.event["type"] == "prompted" and each.event["node"] in nodes]
        for each in [each for each in asked if each.time <= entry.time][::-1][:_MOST_ASKED]:
            moment = await service.workspace.moment(entry.thread, each.seq, agent)
            waits = moment["waiting_for"] or {}
            # The person who wrote a no did not name the content.
            if "approval" in waits and entry.content in ("", waits["approval"]["hash"]):
                await describe(service, row, waits, until=each.time)
                return {"prompt": waits["prompt"], "approval": waits["approval"]}
    return None
