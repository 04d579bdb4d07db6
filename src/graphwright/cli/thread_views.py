"""Threads as the command line shows them: their state at an earlier point, their branches, and what is counted."""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from graphwright.cli.console import facts, next_table, note, result, result_json, shown
from graphwright.errors import UsageError
from graphwright.testing.trace_lines import path_text, trace_line, value_text, without_private
from graphwright.text.sentences import many

if TYPE_CHECKING:
    from graphwright.runtime.branch import Branch
    from graphwright.runtime.replay import Moment
    from graphwright.runtime.telemetry.counters import FlowCount, GuardCount
    from graphwright.store import Store, ThreadRow


async def moment_json(store: Store, row: ThreadRow, moment: Moment) -> dict[str, Any]:
    """A moment as JSON: large values as their contents, no private channel."""
    state = moment.state
    waits = moment.status == "waiting" and state.waiting is not None
    channels = {name: value for name, value in state.channels.items() if name not in moment.private}
    return {
        "thread": row.thread,
        "agent": row.agent,
        "flow_id": row.flow_id,
        "flow_hash": state.flow_hash,
        "at": moment.row.seq,
        "time": moment.row.time,
        "event": without_private(moment.row.event),
        "turn": state.turn,
        "status": moment.status,
        "node": moment.node,
        "waiting_for": dict(state.waiting) if waits and state.waiting else None,
        "position": state.position.to_json() if state.position else None,
        "paths": state.paths.to_json(),
        "values": {
            "answers": dict(state.answers),
            **{name: await _content(store, value) for name, value in channels.items()},
        },
    }


async def _content(store: Store, value: Any) -> Any:
    from graphwright.runtime.channels import blob_key

    key = blob_key(value)
    return await store.blobs.get(key) if key else value


def show_moment(moment: Mapping[str, Any], last: int, paths: Any) -> None:
    """A moment for people; `last` is the number of the trace's last event."""
    where = f" at {moment['node']}" if moment["node"] and moment["status"] != "ended" else ""
    status = f"in the midst of a turn{where}" if moment["status"] == "running" else f"{moment['status']}{where}"
    facts(
        [
            ("thread", moment["thread"]),
            ("agent", moment["agent"]),
            ("flow", f"{moment['flow_id']} ({moment['flow_hash'][:12]})"),
            ("event", f"{moment['at']} (of 0 to {last}): {trace_line(moment['event']).strip()}"),
            ("time", moment["time"][:19].replace("T", " ")),
            ("turn", str(moment["turn"])),
            ("status", status),
            *([("path", path_text(paths))] if paths.votes else []),
            *([("prompt", moment["waiting_for"]["prompt"])] if moment["waiting_for"] else []),
        ]
    )
    channels = {name: value for name, value in moment["values"].items() if name != "answers"}
    for title, values in (("answers", moment["values"]["answers"]), ("channels", channels)):
        result()
        shown((title, "bold"), "" if values else ": none")
        for name, value in values.items():
            shown(f"  {name} = {value_text(value)}")


def show_branch(branch: Branch, agent: str, *, as_json: bool) -> None:
    """A branch that was made: its id is the result, the rest goes to stderr."""
    if as_json:
        result_json(branch.to_json())
        return
    result(branch.thread)
    stands = {"ended": "has ended"}.get(branch.status, "waits")
    where = f" at {branch.waiting_for.node}: {branch.waiting_for.prompt}" if branch.waiting_for else ""
    note(f"Thread {branch.thread} goes on after event {branch.at} of {branch.source}, and {stands}{where}")
    for key, at in branch.asked_at.items():
        note(
            f"The flow is not walked anew for {key}, which was asked for after event {at}. "
            f"To take another way from there: --at {at}"
        )
    note(f"Go on with: graphwright ask {shlex.quote(agent)} TEXT --thread {shlex.quote(branch.thread)}")


def changed_answers(given: list[str]) -> dict[str, str]:
    """The answers of `--answer KEY=VALUE`, as they were written. Raises UsageError."""
    answers: dict[str, str] = {}
    for text in given:
        key, equals, value = text.partition("=")
        if not equals or not key.strip():
            raise UsageError("bad_answer", f"{text!r} is no answer.", "Write --answer KEY=VALUE.")
        if key.strip() in answers:
            raise UsageError("bad_answer", f"The answer {key.strip()!r} was given twice.", "Give it once.")
        answers[key.strip()] = value
    return answers


def show_counts(flow: FlowCount) -> None:
    """The counts of one flow, the busiest first."""
    shown((flow.flow, "bold"))
    result(
        f"  {many(flow.conversations, 'conversation')}, {many(flow.turns, 'turn')} "
        f"({flow.failed} failed, {flow.escalated} escalated)"
    )
    result(
        f"  {many(flow.model_calls, 'model call')} ({flow.model_failures} failed), {flow.input_tokens:,} tokens in, "
        f"{flow.output_tokens:,} out, {flow.seconds:.1f} s"
    )
    if flow.tool_calls:
        result(f"  {many(flow.tool_calls, 'tool call')} ({flow.tool_failures} failed)")
    nodes = sorted(flow.nodes.items(), key=lambda item: (-item[1].entered, item[0]))
    edges = sorted(flow.edges.items(), key=lambda item: (-item[1].taken, item[0]))
    guards = sorted(flow.guards.items(), key=lambda item: (-_checked(item[1]), item[0]))
    next_table(
        [
            (str(n.entered), str(n.passed), str(n.waited), str(n.performed), str(n.failed), f"{name} ({n.kind})")
            for name, n in nodes
        ],
        ("ENTERED", "PASSED", "WAITED", "DONE", "FAILED", "NODE"),
    )
    next_table(
        [(str(e.taken), str(e.ambiguous), _edge(name, e.source, e.target)) for name, e in edges],
        ("TAKEN", "AMBIGUOUS", "EDGE"),
    )
    next_table(
        [(str(g.opened), str(g.closed), str(g.missing), str(g.failed), f"{name}: {g.guard}") for name, g in guards],
        ("OPENED", "CLOSED", "MISSING", "FAILED", "GUARD"),
    )


def _checked(guard: GuardCount) -> int:
    return guard.opened + guard.closed + guard.missing + guard.failed


def _edge(name: str, source: str, target: str) -> str:
    way = f"{source} -> {target}"
    return way if name == f"{source}->{target}" else f"{way} ({name})"
