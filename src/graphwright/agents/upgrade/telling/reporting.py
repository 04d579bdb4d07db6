"""Reports: what a conversation has done, by its execution log, and what came of a simulation."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from graphwright.agents.upgrade.checks.weighing import number_text
from graphwright.agents.upgrade.words.quoting import one_line, quoted

MOST_ENTRIES = 20
"""Entries of the log that a report names; the last ones."""

_STATUS = {"enrolling": "started", "enrollmentComplete": "stopped", "cancelled": "cancelled", "archived": "archived"}


def report_reply(log: Sequence[Mapping[str, Any]]) -> str:
    """What the conversation has done so far, in order; what failed is said to have failed."""
    if not log:
        return "Nothing was done in this conversation yet."
    done = sum(entry.get("status") == "success" for entry in log)
    failed = len(log) - done
    head = f"So far {_many(done, 'action')} {'was' if done == 1 else 'were'} done"
    head += f", and {failed} failed:" if failed else ":"
    left_out = max(0, len(log) - MOST_ENTRIES)
    lines = [head, *([f"... {left_out:,} earlier ones"] if left_out else [])]
    for place, entry in enumerate(log[left_out:], left_out + 1):
        line = deed_text(entry)
        if entry.get("status") != "success":
            line += f": failed. {one_line(entry.get('error_message') or '', 160)}"
        lines.append(f"{place}. {line}")
    return "\n".join(lines)


def deed_text(entry: Mapping[str, Any]) -> str:
    """An entry of the log in half a line: `created experiment 'Foo'`; what failed, as what was to be done."""
    params, result = entry.get("params") or {}, entry.get("result") or {}
    name, user = quoted(params.get("name", "")), quoted(params.get("user_id", ""))
    good = entry.get("status") == "success"
    match entry.get("action"):
        case "create_experiment":
            where = f" in {quoted(params['context'])}" if params.get("context") else ""
            return f"{'created' if good else 'create'} experiment {name}{where}"
        case "update_experiment":
            return f"{'updated' if good else 'update'} experiment {name}{_changes(params, result)}"
        case "delete_experiment":
            return f"{'deleted' if good else 'delete'} experiment {name}"
        case "update_experiment_status":
            state = str(params.get("status"))
            resumed = state == "enrolling" and result.get("before") == "enrollmentComplete"
            verb = "resumed" if resumed else _STATUS.get(state, f"set to {one_line(state, 30)}")
            return (
                f"{verb} experiment {name}"
                if good
                else f"change the status of experiment {name} to {one_line(state, 30)}"
            )
        case "init_experiment_user":
            return f"{'initialised' if good else 'initialise'} user {user}"
        case "get_decision_point_assignments":
            return f"{'looked up' if good else 'look up'} what user {user} is assigned"
        case "mark_decision_point":
            return f"{'marked' if good else 'mark'} a visit of user {user}"
        case "simulate_experiment":
            users = _many(int(params.get("users") or 0), "user")
            return f"{'simulated' if good else 'simulate'} {users} in experiment {name}"
    return one_line(entry.get("action"), 60)


def _changes(params: Mapping[str, Any], result: Mapping[str, Any]) -> str:
    if params.get("new_name"):
        return f", now called {quoted(params['new_name'])}"
    changed = [str(each).replace("_", " ") for each in result.get("changed", ())]
    return f" ({', '.join(changed)})" if changed else ""


def simulation_reply(result: Mapping[str, Any]) -> str:
    """What came of a simulation, and in plain words whether the split is fair. `result` is that of the action."""
    users, unassigned = int(result["users"]), int(result.get("unassigned") or 0)
    groups = result.get("groups")
    where = f" in {_many(int(groups), 'group')}" if groups else ""
    counts: Mapping[str, int] = result.get("assigned_groups") or result["assigned"]
    unit = "group" if result.get("assigned_groups") else "user"
    expected: Mapping[str, float] = result.get("expected") or {}
    counted, weights = sum(counts.values()), sum(expected.values()) or 100
    lines = [f"Simulated {_many(users, 'user')}{where} in experiment {quoted(result['name'])}."]
    for code in list(expected or counts)[:MOST_ENTRIES]:
        count = int(counts.get(code, 0))
        share = f" ({number_text(100 * count / counted)} %)" if counted else ""
        wanted = f", expected {number_text(100 * expected[code] / weights)} %" if code in expected else ""
        lines.append(f"- {quoted(code, 60)}: {_many(count, unit)}{share}{wanted}")
    if unassigned:
        lines.append(f"- nothing: {_many(unassigned, 'user')} got the default")
    return "\n".join([*lines, _verdict(result)])


def _verdict(result: Mapping[str, Any]) -> str:
    # With the client, which whoever only reports does not need.
    from graphwright.agents.upgrade.doing.simulating import Simulation, verdict

    simulation = Simulation(**result)
    if simulation.fair is None or simulation.degrees == 0:
        return verdict(simulation)
    plain = "The split looks fair." if simulation.fair else "The split does not look fair."
    return f"{plain} {verdict(simulation)}"


def _many(count: int, what: str) -> str:
    return f"{count:,} {what}{'' if count == 1 else 's'}"
