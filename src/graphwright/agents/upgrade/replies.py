"""What the agent says by templates, from facts: confirmations, results, errors, and what was looked up."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from graphwright.agents.upgrade.client.designs import Facts
from graphwright.agents.upgrade.client.experiment import State
from graphwright.agents.upgrade.wording import (
    CONSISTENCIES,
    FILTER_MODES,
    MEANING,
    SIDES,
    listed,
    many,
    members_text,
    number_text,
    one_line,
    place,
    places,
    quoted,
    rule_text,
    shares,
    spoken,
)

_MOST_ENTRIES = 20
_LONGEST = 600

TITLES = {
    "create_experiment": "Create an experiment",
    "update_experiment": "Change an experiment",
    "update_experiment_status": "Start, stop, resume or cancel an experiment",
    "delete_experiment": "Delete an experiment",
    "init_experiment_user": "Initialise a user",
    "get_decision_point_assignments": "See which conditions a user gets",
    "mark_decision_point": "Mark the visit of a user",
    "simulate_experiment": "Simulate users",
}
LOOK_UPS = {
    "experiments": "List the experiments",
    "experiment_details": "Show an experiment, with its enrolment",
    "contexts": "Show the contexts",
    "terms": "Explain the terms",
}


def lines_of(action: str, params: Mapping[str, Any], facts: Facts | None) -> list[str]:
    """The question about an action whose parameters were checked, and below it what exactly will be done."""
    return list(_ASKED[action](params, facts))


def confirmation(
    lines: Sequence[str],
    *,
    server: str,
    id: str = "",
    later: str = "",
    marks: Sequence[str] = (),
    cautions: Sequence[str] = (),
) -> str:
    """The text that a person says yes to: what will be done and where, then what to know before, after "⚠️ ".

    `later` is a time that the user named; `id` tells experiments of one name apart.
    """
    shown = [lines[0], *(f"- {line}" for line in (*lines[1:], f"Id: {id}" if id else "", f"Server: {server}") if line)]
    if later:
        shown.append(f"⚠️ You said {quoted(later)}: I cannot do anything later. A yes does it now.")
    return "\n".join([*shown, *(f"⚠️ {one_line(each, 400)}" for each in (*marks, *cautions))])


def _name(facts: Facts | None, params: Mapping[str, Any]) -> str:
    return quoted(facts["name"] if facts else params.get("experiment_id", ""))


def _create(params: Mapping[str, Any], _facts: Facts | None) -> Iterator[str]:
    yield f"Create experiment {quoted(params['name'])} in context {quoted(params['context'])}?"
    yield f"Conditions: {shares(params['conditions'])}"
    yield f"Decision points: {places(params['decision_points'])}"
    yield _unit(params)
    yield f"Who takes part: {FILTER_MODES[params['filter_mode']]}"
    yield from _list_changes(params)
    yield f"Once it is stopped: {rule_text(params['post_rule'], params['revert_to'])}"
    if params.get("tags"):
        yield f"Tags: {listed(params['tags'])}"
    if params.get("description"):
        yield f"Description: {one_line(params['description'], 200)}"
    yield "It will be inactive until you start it."


def _unit(params: Mapping[str, Any]) -> str:
    who = "single users" if params["unit"] == "individual" else f"groups ({one_line(params['group'])})"
    return f"Assigned: {who}; consistency {params['consistency']}: {CONSISTENCIES[params['consistency']]}"


def _update(params: Mapping[str, Any], facts: Facts | None) -> Iterator[str]:
    yield f"Update experiment {_name(facts, params)} with new settings?"
    now = facts or {}
    if "new_name" in params:
        yield f"Name: {quoted(params['new_name'])} (now: {quoted(now.get('name', ''))})"
    if "description" in params:
        yield f"Description: {one_line(params['description'], 200) or 'none'}"
    if "tags" in params:
        yield f"Tags: {listed(params['tags']) or 'none'} (now: {listed(now.get('tags', [])) or 'none'})"
    if "conditions" in params:
        yield f"Conditions: {shares(params['conditions'])} (now: {shares(now.get('conditions', []))})"
    if "decision_points" in params:
        yield f"Decision points: {places(params['decision_points'])} (now: {places(now.get('decision_points', []))})"
    if "unit" in params:
        yield f"{_unit(params)} (now: {now.get('unit')}, {now.get('consistency')})"
    if "post_rule" in params:
        before = rule_text(now.get("post_rule", ""), now.get("revert_to"))
        yield f"Once it is stopped: {rule_text(params['post_rule'], params['revert_to'])} (now: {before})"
    if "filter_mode" in params:
        yield f"Who takes part: {FILTER_MODES[params['filter_mode']]}"
    yield from _list_changes(params)
    if facts:
        yield f"It is {spoken(facts['state'])}, and stays so."


def _list_changes(params: Mapping[str, Any]) -> Iterator[str]:
    for name, side in SIDES.items():
        if params.get(name):
            verb = "Taken off" if name.startswith("un") else "Added to"
            yield f"{verb} the {side} list: {members_text(params[name])}"


def _status(params: Mapping[str, Any], facts: Facts | None) -> Iterator[str]:
    yield f"Change experiment {_name(facts, params)} status to '{params['status']}'?"
    after = State(params["status"])
    if facts:
        yield f"Now: {spoken(facts['state'])}: {MEANING[State(facts['state'])]}."
    yield f"Then: {spoken(after)}: {MEANING[after]}."
    if facts and after is State.ENROLLMENT_COMPLETE:
        yield f"From then on: {rule_text(facts['post_rule'], facts['revert_to'])}."
        yield "It can be resumed. The Stop button of UpGrade's screens is another one: it ends an experiment for good."


def _delete(params: Mapping[str, Any], facts: Facts | None) -> Iterator[str]:
    yield f"⚠️ PERMANENTLY DELETE experiment {_name(facts, params)}? This cannot be undone!"
    yield f"Id: {params['experiment_id']}"
    if facts:
        yield f"In context {quoted(facts['context'])}, {spoken(facts['state'])}"


def _init(params: Mapping[str, Any], _facts: Facts | None) -> Iterator[str]:
    yield f"Initialize user {quoted(params['user_id'])} for experiment simulation?"
    for type, ids in params.get("group", {}).items():
        yield f"Belongs to {one_line(type)} {listed(ids)}, in place of what is stored"
    for type, id in params.get("working_group", {}).items():
        yield f"Works in {one_line(type)} {quoted(id)}"


def _assignments(params: Mapping[str, Any], _facts: Facts | None) -> Iterator[str]:
    yield f"Get condition assignments for context {quoted(params['context'])}?"
    yield f"User: {quoted(params['user_id'])}"
    for name in ("site", "target"):
        if params.get(name):
            yield f"Only at the {name} {quoted(params[name])}"
    yield "This only looks: nobody is enrolled by it."


def _mark(params: Mapping[str, Any], facts: Facts | None) -> Iterator[str]:
    yield f"Mark decision point visit for experiment {_name(facts, params['assigned_condition'])}?"
    code = params["assigned_condition"]["condition_code"]
    with_code = f"condition {quoted(code)}" if code else "no condition"
    yield f"User {quoted(params['user_id'])} at {quoted(place(params))}, {with_code}"
    yield "UpGrade enrols the user where it takes part, in the condition that it computes itself."


def _simulate(params: Mapping[str, Any], facts: Facts | None) -> Iterator[str]:
    yield f"Simulate {many(params['users'], 'user')} in experiment {_name(facts, params)}?"
    if "groups" in params:
        yield f"In {many(params['groups'], 'group')}"
    if facts:
        yield f"Expected: {shares(facts['conditions'])}"
        yield f"They come to {places(facts['decision_points'])}"
    yield "They are new users, whose ids begin with 'sim-'."


_ASKED: Mapping[str, Callable[[Mapping[str, Any], Facts | None], Iterator[str]]] = dict(
    zip(TITLES, (_create, _update, _status, _delete, _init, _assignments, _mark, _simulate), strict=True)
)


def heading(action: str, params: Mapping[str, Any], facts: Facts | None) -> str:
    """What is being prepared, as the beginning of a question about it."""
    name = facts["name"] if facts else params.get("name") or params.get("user_id")
    return f"{TITLES[action]}{f': {quoted(name)}' if name else ''}."


# What was done


def done_text(entry: Mapping[str, Any]) -> str:
    """What came of an action, by its entry in the execution log."""
    params, result = entry["params"], entry["result"] or {}
    if entry["status"] != "success":
        return f"It did not work: {one_line(entry['error_message'] or 'no reason is known', _LONGEST)}"
    name, user = quoted(result.get("name", "")), quoted(params.get("user_id", ""))
    match entry["action"]:
        case "create_experiment":
            where = quoted(result["context"])
            return f"Created experiment {name} in context {where}. Its id is {result['experiment_id']}. It is inactive."
        case "update_experiment":
            return f"Updated experiment {name}: {', '.join(result['changed']).replace('_', ' ')}."
        case "update_experiment_status":
            state = State(result["state"])
            return f"Experiment {name} status changed to {spoken(state)}: {MEANING[state]}."
        case "delete_experiment":
            return f"Deleted experiment {name}, with its enrolments and lists."
        case "init_experiment_user":
            groups = "; ".join(f"{type} {listed(ids, 5)}" for type, ids in sorted(result["group"].items()))
            return f"Initialised user {user}{f', {groups}' if groups else ''}."
        case "get_decision_point_assignments":
            return _assigned(params, result)
        case "mark_decision_point":
            code = result["condition_code"]
            recorded = f"condition {quoted(code)}" if code else "no condition"
            return f"Marked the visit of user {user} at {place(params)}. Recorded: {recorded}."
    return _simulated(result)


def _assigned(params: Mapping[str, Any], result: Mapping[str, Any]) -> str:
    user, context, found = quoted(params["user_id"]), quoted(params["context"]), result["assignments"]
    if not found:
        return f"User {user} is assigned nothing in {context}: the default condition."
    shown = [f"- {place(each)}: condition {quoted(each['condition_code'] or 'default')}" for each in found[:20]]
    more = [f"... and {len(found) - 20:,} more"] if len(found) > 20 else []
    return "\n".join([f"User {user} is assigned in {context}:", *shown, *more])


def _simulated(result: Mapping[str, Any]) -> str:
    # With the client, which whoever only reports does not need.
    from graphwright.agents.upgrade.client.simulating import Simulation, verdict

    simulation = Simulation(**result)
    counts, unit = simulation.tested, "user" if simulation.assigned_groups is None else "group"
    whole = sum(simulation.expected.values()) or 100
    counted = sum(counts.values()) or 1
    lines = [f"Simulated {many(simulation.users, 'user')} in experiment {quoted(simulation.name)}."]
    for code, weight in list(simulation.expected.items())[:_MOST_ENTRIES]:
        share, wanted = number_text(100 * counts[code] / counted), number_text(100 * weight / whole)
        lines.append(f"- {quoted(code, 60)}: {many(counts[code], unit)} ({share} %), expected {wanted} %")
    return "\n".join([*lines, verdict(simulation)])


def report_text(log: Sequence[Mapping[str, Any]]) -> str:
    """What the conversation has done so far, in order; what failed is said to have failed."""
    if not log:
        return "Nothing was done in this conversation yet."
    shown = [f"{number}. {one_line(done_text(each), 200)}" for number, each in enumerate(log, 1)]
    return "\n".join(["Done so far:", *shown[-_MOST_ENTRIES:]])


def declined_text(action: str, params: Mapping[str, Any], facts: Facts | None) -> str:
    """The user does not want it."""
    return f"All right, nothing was done. ({heading(action, params, facts).rstrip('.')})"


# Errors and what was looked up

_NEXT_STEP = {
    "auth": "Set UPGRADE_SERVICE_ACCOUNT or UPGRADE_AUTH_TOKEN as the server wants it, and start me again.",
    "api": "Nothing is lost: say it again once the server answers. 'graphwright upgrade status' says where I look.",
}


def error_text(errors: Mapping[str, str]) -> str:
    """What went wrong, with what to do next. `errors["execution"]` repeats the others and gives way."""
    kinds = [kind for kind in errors if kind != "execution"] or list(errors)
    lines = []
    for kind in kinds:
        lines += [one_line(errors[kind], _LONGEST), _NEXT_STEP.get(kind, "")]
    return "\n".join(line for line in lines if line)


def facts_text(gathered: Mapping[str, Any]) -> str:
    """What was looked up, without a model's words."""
    return "\n\n".join(_TOLD[kind](value) if kind in _TOLD else _plain(kind, value) for kind, value in gathered.items())


def _plain(kind: str, value: Any) -> str:
    if isinstance(value, str):
        return value
    if isinstance(value, Mapping):
        return "\n".join(f"- {name}: {_short(each)}" for name, each in value.items())
    return f"{kind.replace('_', ' ')}: {_short(value)}"


def _short(value: Any) -> str:
    return listed([str(each) for each in value], 20) if isinstance(value, list) else one_line(value, 200)


def _listing(found: Mapping[str, Any]) -> str:
    rows = [f"- {quoted(each['name'])} ({each['context']}): {spoken(each['state'])}" for each in found["shown"]]
    more = found["total"] - len(rows)
    head = f"There {'is' if found['total'] == 1 else 'are'} {many(found['total'], 'experiment')}."
    return "\n".join([head, *rows, *([f"... and {more:,} more"] if more > 0 else [])])


def details_text(facts: Mapping[str, Any]) -> str:
    """An experiment, with its enrolment where it has been started."""
    lines = [
        f"Experiment {quoted(facts['name'])}",
        f"- State: {spoken(facts['state'])}: {MEANING[State(facts['state'])]}",
        f"- Context: {quoted(facts['context'])}",
        f"- Conditions: {shares(facts['conditions'])}",
        f"- Decision points: {places(facts['decision_points'])}",
        f"- {_unit(facts)}",
        f"- Who takes part: {FILTER_MODES.get(facts['filter_mode'], facts['filter_mode'])}",
        f"- Once it is stopped: {rule_text(facts['post_rule'], facts['revert_to'])}",
        f"- Id: {facts['experiment_id']}",
    ]
    for side, members in facts.get("members", {}).items():
        if members["users"] or members["groups"]:
            lines.append(f"- On the {SIDES[side]} list: {members_text(members)}")
    if enrolled := facts.get("enrollment"):
        by_code = ", ".join(f"{one_line(row['code'], 60)} {row['users']:,}" for row in enrolled["conditions"])
        lines.append(f"- Enrolled: {many(enrolled['users'], 'user')} ({by_code})")
        lines.append(f"- Excluded: {many(enrolled['excluded_users'], 'user')}")
        lines += [f"- {enrolled['split']}"] if "split" in enrolled else []
    return "\n".join(lines)


_TOLD: Mapping[str, Callable[[Any], str]] = {"experiments": _listing, "experiment_details": details_text}
