"""What a person is asked before an action: what exactly will be done, and what to know before saying yes."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from graphwright.agents.upgrade.checks.checked_design import CONSISTENCIES, FILTER_MODES, OFF, SIDES
from graphwright.agents.upgrade.checks.facts import Facts
from graphwright.agents.upgrade.checks.transitions import MEANING, spoken
from graphwright.agents.upgrade.checks.weighing import number_text
from graphwright.agents.upgrade.client.experiment import State
from graphwright.agents.upgrade.words.quoting import listed, one_line, quoted

_MOST_LINES = 12


def confirmation(
    action: str,
    params: Mapping[str, Any],
    *,
    server: str,
    experiment: Facts | None = None,
    warnings: Sequence[str] = (),
    names: Sequence[tuple[str, str]] = (),
    said: Sequence[str] = (),
) -> str:
    """The question about an action whose parameters were checked: its first line asks, the next ones say what will be
    done and on which server, each after "- ", and the warnings come last, each after "⚠️ ".

    `experiment` is the one that the action is about, as it is now; what depends on it is left out without it. `names`
    are the ids and names of all experiments: where another one looks the same, the id is shown. `said` are the user's
    words. Raises KeyError for an action that there is not.
    """
    question, details = _WORDS[action]
    lines = [question(params, experiment)]
    lines += [f"- {line}" for line in details(params, experiment)]
    lines += [f"- {line}" for line in (_which(action, params, names), _other_stop(params, said)) if line]
    lines.append(f"- Server: {one_line(server)}")
    lines += [f"⚠️ {warning}" for warning in warnings]
    return "\n".join(lines)


def _which(action: str, params: Mapping[str, Any], names: Sequence[tuple[str, str]]) -> str:
    """The id of the experiment where its name, as it is shown, is not the name of it alone."""
    id = params.get("experiment_id") or params.get("assigned_condition", {}).get("experiment_id")
    own = next((name for other, name in names if other == id), None)
    if own is None or action == "delete_experiment":
        return ""
    shown = quoted(own)
    same = sum(quoted(name) == shown for _, name in names)
    return f"Id: {id}" if same > 1 else ""


_STOP = re.compile(r"\b(?:stop|halt|anhalt)", re.IGNORECASE)


def _other_stop(params: Mapping[str, Any], said: Sequence[str]) -> str:
    """What "stop" means on UpGrade's screens, for who says it and means, as here, what can be resumed."""
    if params.get("status") != State.ENROLLMENT_COMPLETE.value:
        return ""
    words = " ".join(said).replace(params["name"], "")
    return (
        "The Stop button of UpGrade's screens ends it for good; here that is 'cancel'." if _STOP.search(words) else ""
    )


def _create_question(params: Mapping[str, Any], _experiment: Facts | None) -> str:
    return f"Create experiment {quoted(params['name'])} in context {quoted(params['context'])}?"


def _create(params: Mapping[str, Any], _experiment: Facts | None) -> Iterator[str]:
    yield f"Conditions: {_shares(params['conditions'])}"
    yield f"Decision points: {_places(params['decision_points'])}"
    yield from _unit(params)
    if params["filter_mode"] != "includeAll" or "include" in params or "exclude" in params:
        yield f"Who takes part: {FILTER_MODES[params['filter_mode']]}"
    yield from _lists(params, "Included", "Excluded")
    if params["post_rule"] == "assign":
        yield f"Once it is stopped: {_afterwards(params)}"
    if params["tags"]:
        yield f"Tags: {listed(params['tags'])}"
    if params["description"]:
        yield f"Description: {one_line(params['description'], 200)}"
    yield "It will be inactive until you start it."


def _unit(params: Mapping[str, Any]) -> Iterator[str]:
    who = "users" if params["unit"] == "individual" else f"groups ({one_line(params['group'])})"
    rule = params["consistency"]
    if params["unit"] == "individual" and rule == "individual":
        yield "Each user is assigned, and keeps the condition."
    else:
        yield f"Assigned: {who}; consistency by {rule}: {CONSISTENCIES[rule]}"


def _afterwards(params: Mapping[str, Any]) -> str:
    if params["post_rule"] == "continue":
        return "those enrolled keep their condition"
    got = quoted(params["revert_to"]) if params.get("revert_to") else "the default, without any condition"
    return f"all who were enrolled get {got}"


def _update_question(params: Mapping[str, Any], _experiment: Facts | None) -> str:
    return f"Update experiment {quoted(params['name'])} with new settings?"


def _update(params: Mapping[str, Any], experiment: Facts | None) -> Iterator[str]:
    if "new_name" in params:
        yield f"Name: {quoted(params['new_name'])}"
    if "description" in params:
        yield f"Description: {one_line(params['description'], 200) or 'none'}"
    if "tags" in params:
        yield f"Tags: {listed(params['tags']) or 'none'}"
    if "conditions" in params:
        before = f" (now: {_shares(experiment['conditions'])})" if experiment else ""
        yield f"Conditions: {_shares(params['conditions'])}{before}"
    if "decision_points" in params:
        before = f" (now: {_places(experiment['decision_points'])})" if experiment else ""
        yield f"Decision points: {_places(params['decision_points'])}{before}"
    if "unit" in params:
        yield from _unit(params)
    if "post_rule" in params:
        yield f"Once it is stopped: {_afterwards(params)}"
    if "filter_mode" in params:
        yield f"Who takes part: {FILTER_MODES[params['filter_mode']]}"
    for off, side in OFF.items():
        if params.get(off, {}).get("all"):
            there = f" (now: {_on_lists(experiment[side])})" if experiment else ""  # type: ignore[literal-required]
            yield f"Taken off the {SIDES[side]} list: everybody on it{there}"
    off_lists = {side: params[off] for off, side in OFF.items() if off in params}
    yield from _lists(off_lists, "Taken off the inclusion list", "Taken off the exclusion list")
    yield from _lists(params, "Added to the inclusion list", "Added to the exclusion list")
    if experiment is not None:
        yield f"It is {spoken(State(experiment['state']))}, and stays so."


def _on_lists(there: Mapping[str, int]) -> str:
    return ", ".join(_many(count, what.removesuffix("s")) for what, count in there.items() if count)


def _lists(params: Mapping[str, Any], included: str, excluded: str) -> Iterator[str]:
    for side, what in (("include", included), ("exclude", excluded)):
        if (members := params.get(side)) and (members["users"] or members["groups"]):
            groups = [f"{each['type']} {each['id']}" for each in members["groups"]]
            parts = [f"{word} {listed(ids)}" for word, ids in (("users", members["users"]), ("groups", groups)) if ids]
            yield f"{what}: {', '.join(parts)}"


def _status_question(params: Mapping[str, Any], _experiment: Facts | None) -> str:
    return f"Change experiment {quoted(params['name'])} status to '{params['status']}'?"


def _status(params: Mapping[str, Any], experiment: Facts | None) -> Iterator[str]:
    after = State(params["status"])
    if experiment is not None:
        before = State(experiment["state"])
        yield f"Now: {spoken(before)}: {MEANING[before]}."
    yield f"Then: {spoken(after)}: {MEANING[after]}."
    if after is State.ENROLLMENT_COMPLETE and experiment is not None:
        yield f"Those enrolled: {_kept(experiment)}."


def _kept(experiment: Facts) -> str:
    if experiment["post_rule"] == "assign":
        return f"they get {quoted(experiment['revert_to'])}" if experiment["revert_to"] else "they get the default"
    return "they keep their condition" if experiment["post_rule"] == "continue" else "they get the default"


def _delete_question(params: Mapping[str, Any], _experiment: Facts | None) -> str:
    return f"⚠️ PERMANENTLY DELETE experiment {quoted(params['name'])}? This cannot be undone!"


def _delete(params: Mapping[str, Any], experiment: Facts | None) -> Iterator[str]:
    yield f"Id: {params['experiment_id']}"
    if experiment is not None:
        yield f"In context {quoted(experiment['context'])}, {spoken(State(experiment['state']))}"


def _init_question(params: Mapping[str, Any], _experiment: Facts | None) -> str:
    return f"Initialize user {quoted(params['user_id'])} for experiment simulation?"


def _init(params: Mapping[str, Any], _experiment: Facts | None) -> Iterator[str]:
    for type, ids in params.get("group", {}).items():
        yield f"Belongs to {one_line(type)} {listed(ids)}, in place of what is stored"
    for type, id in params.get("working_group", {}).items():
        yield f"Works in {one_line(type)} {quoted(id)}"


def _assignments_question(params: Mapping[str, Any], _experiment: Facts | None) -> str:
    return f"Get condition assignments for context {quoted(params['context'])}?"


def _assignments(params: Mapping[str, Any], _experiment: Facts | None) -> Iterator[str]:
    yield f"User: {quoted(params['user_id'])}"
    where = [f"{what} {quoted(params[what])}" for what in ("site", "target") if params.get(what)]
    if where:
        yield f"Only at {', '.join(where)}"
    yield "This only looks: nobody is enrolled by it."


def _mark_question(params: Mapping[str, Any], experiment: Facts | None) -> str:
    called = experiment["name"] if experiment else params["assigned_condition"]["experiment_id"]
    return f"Mark decision point visit for experiment {quoted(called)}?"


def _mark(params: Mapping[str, Any], _experiment: Facts | None) -> Iterator[str]:
    code = params["assigned_condition"]["condition_code"]
    at = f"{params['site']}/{params['target']}"
    yield f"User {quoted(params['user_id'])} at {quoted(at)}, {f'condition {quoted(code)}' if code else 'no condition'}"
    yield "UpGrade enrols the user where it takes part, in the condition that it computes itself."


def _simulate_question(params: Mapping[str, Any], _experiment: Facts | None) -> str:
    return f"Simulate {_many(params['users'], 'user')} in experiment {quoted(params['name'])}?"


def _simulate(params: Mapping[str, Any], experiment: Facts | None) -> Iterator[str]:
    if "groups" in params:
        yield f"In {_many(params['groups'], 'group')}"
    if experiment is not None:
        yield f"Expected: {_shares(experiment['conditions'])}"
        yield f"They come to {_places(experiment['decision_points'])}"
    yield "They are new users, whose ids begin with 'sim-'."


def _shares(conditions: Sequence[Mapping[str, Any]]) -> str:
    shown = [f"{one_line(each['code'], 60)} {number_text(each['weight'])} %" for each in conditions[:_MOST_LINES]]
    return _and_more(shown, len(conditions))


def _places(points: Sequence[Mapping[str, Any]]) -> str:
    shown = []
    for each in points[:_MOST_LINES]:
        flag = " (excludes who was there before)" if each["exclude_if_reached"] else ""
        shown.append(f"{one_line(each['site'], 60)}/{one_line(each['target'], 60)}{flag}")
    return _and_more(shown, len(points)) or "none"


def _and_more(shown: Sequence[str], count: int) -> str:
    more = f" and {count - len(shown):,} more" if count > len(shown) else ""
    return ", ".join(shown) + more


def _many(count: int, what: str) -> str:
    return f"{count:,} {what}{'' if count == 1 else 's'}"


_Question = Callable[[Mapping[str, Any], "Facts | None"], str]
_Details = Callable[[Mapping[str, Any], "Facts | None"], Iterator[str]]
_WORDS: Mapping[str, tuple[_Question, _Details]] = {
    "create_experiment": (_create_question, _create),
    "update_experiment": (_update_question, _update),
    "delete_experiment": (_delete_question, _delete),
    "update_experiment_status": (_status_question, _status),
    "init_experiment_user": (_init_question, _init),
    "get_decision_point_assignments": (_assignments_question, _assignments),
    "mark_decision_point": (_mark_question, _mark),
    "simulate_experiment": (_simulate_question, _simulate),
}
