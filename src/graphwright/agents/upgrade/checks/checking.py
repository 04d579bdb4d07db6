"""What is checked of an action before it is confirmed: all that servers accept although it makes no sense."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any
from uuid import UUID

from graphwright.agents.upgrade.checks import cautions
from graphwright.agents.upgrade.checks.checked_design import CHANGES, check_changes, check_new, weights_of_facts
from graphwright.agents.upgrade.checks.facts import Facts, Members
from graphwright.agents.upgrade.checks.findings import Findings
from graphwright.agents.upgrade.checks.transitions import MEANING, refusal, spoken, state_of, ways
from graphwright.agents.upgrade.client.experiment import State
from graphwright.agents.upgrade.words.naming import Experiments
from graphwright.agents.upgrade.words.places import Contexts
from graphwright.agents.upgrade.words.quoting import listed, quoted

MOST_USERS = 10_000
"""The most users of one simulation."""


@dataclass(frozen=True, slots=True)
class Checked:
    """An action's parameters, looked through.

    `params` has the defaults filled in and only fields of the action. `missing` are the pieces to ask for, in a
    sensible order. `errors` are sentences by type (`validation`, `not_found`), `warnings` sentences.
    """

    params: dict[str, Any]
    missing: list[str] = field(default_factory=list)
    errors: dict[str, str] = field(default_factory=dict)
    warnings: list[str] = field(default_factory=list)

    @property
    def ready(self) -> bool:
        """Whether it may be confirmed: nothing is missing, nothing is wrong."""
        return not self.missing and not self.errors


def check(
    action: str,
    params: Mapping[str, Any],
    *,
    contexts: Contexts,
    names: Experiments,
    experiment: Facts | None = None,
    members: Mapping[str, Members] | None = None,
) -> Checked:
    """Look an action through, without a server.

    `contexts` and `names` (ids and names) are what the server has; `experiment` is the one that `params` name by
    `experiment_id`, where it has been read: without it, what depends on its design or state is not checked. `members`
    are those on its lists, by side: without them nobody is looked for there.
    Checking the `params` of the result again gives the same. Raises KeyError for an action that there is not.
    """
    found = Findings(contexts, names)
    found.members = members
    # Models write null for what nobody said.
    given = {name: value for name, value in params.items() if value is not None}
    made = _CHECKS[action](found, given, experiment)
    if not found.missing and not found.errors:
        found.warnings += cautions.cautions(action, made, contexts=contexts, names=names, experiment=experiment)
    return Checked(made, found.missing, found.errors, list(dict.fromkeys(found.warnings)))


def _create(found: Findings, given: Mapping[str, Any], _experiment: Facts | None) -> dict[str, Any]:
    return check_new(found, given)


def _update(found: Findings, given: Mapping[str, Any], experiment: Facts | None) -> dict[str, Any]:
    made = _named(found, given, experiment)
    if not any(name in given for name in CHANGES):
        found.lacks("changes")
    if experiment is not None and experiment["state"] == State.ARCHIVED:
        found.invalid(f"{_it(made)} is archived, and what is archived is not changed.")
    return {**made, **check_changes(found, given, experiment)}


def _delete(found: Findings, given: Mapping[str, Any], experiment: Facts | None) -> dict[str, Any]:
    return _named(found, given, experiment)


def _status(found: Findings, given: Mapping[str, Any], experiment: Facts | None) -> dict[str, Any]:
    made = _named(found, given, experiment)
    if given.get("status") in (None, ""):
        found.lacks("status")
        return made
    after = state_of(given["status"])
    if after is None:
        known = ", ".join(spoken(state) for state in (State.ENROLLING, State.ENROLLMENT_COMPLETE, State.CANCELLED))
        found.invalid(f"{quoted(given['status'])} is no state of an experiment. There are: {known}.")
        return made
    made["status"] = after.value
    if experiment is None:
        return made
    before = State(experiment["state"])
    if why := refusal(before, after):
        found.invalid(f"{_it(made)} stays as it is. {why}")
    elif after is State.ENROLLING and before is State.INACTIVE:
        _startable(found, made, experiment)
    return made


def _startable(found: Findings, made: Mapping[str, Any], experiment: Facts) -> None:
    parts = (("conditions", experiment["conditions"]), ("decision points", experiment["decision_points"]))
    lacking = [what for what, there in parts if not there]
    if lacking:
        found.invalid(f"{_it(made)} cannot be started: it has no {' and no '.join(lacking)}.")
    elif why := weights_of_facts(experiment):
        found.invalid(f"{_it(made)} cannot be started: {why} Correct the weights first.")


def _init(found: Findings, given: Mapping[str, Any], _experiment: Facts | None) -> dict[str, Any]:
    made: dict[str, Any] = {"user_id": found.user_id(given)}
    groups = _groups(found, given.get("group"))
    working = _working_groups(found, given.get("working_group"))
    for type, id in working.items():
        if id not in groups.setdefault(type, [id]):
            found.invalid(
                f"The user would work in {type} {quoted(id)} without belonging to it, and take part in no experiment "
                f"of such groups. {type}: {listed(groups[type])}."
            )
    known = {type for context in found.contexts.values() for type in context.get("group_types", ())}
    for type in groups:
        if known and type not in known:
            found.invalid(f"No context has groups of the type {quoted(type)}. There are: {listed(sorted(known))}.")
        if len(groups[type]) == 1:
            # In an experiment of groups only who works in one takes part, and here it can only be this one.
            working.setdefault(type, groups[type][0])
    if groups:
        made["group"] = groups
    if working:
        made["working_group"] = working
    return made


def _groups(found: Findings, given: object) -> dict[str, list[str]]:
    groups: dict[str, list[str]] = {}
    if given is not None and not isinstance(given, Mapping):
        found.invalid("Groups are given by their type, such as schoolId: north.")
        return {}
    for type, ids in (given or {}).items():
        each = [ids] if isinstance(ids, str | int) else ids
        if not isinstance(each, list | tuple) or not each or not all(str(id).strip() for id in each):
            found.invalid(f"The groups of the type {quoted(type)} are no list of ids.")
            continue
        groups[str(type)] = list(dict.fromkeys(str(id).strip() for id in each))
    return groups


def _working_groups(found: Findings, given: object) -> dict[str, str]:
    if given is not None and not isinstance(given, Mapping):
        found.invalid("A working group is given by its type, such as schoolId: north.")
        return {}
    working = {}
    for type, id in (given or {}).items():
        if not isinstance(id, str | int) or not str(id).strip():
            found.invalid(f"A user works in one group of the type {quoted(type)}.")
            continue
        working[str(type)] = str(id).strip()
    return working


def _assignments(found: Findings, given: Mapping[str, Any], _experiment: Facts | None) -> dict[str, Any]:
    made: dict[str, Any] = {"user_id": found.user_id(given), "context": found.context(given)}
    made |= {name: found.text(given, name) for name in ("site", "target") if name in given}
    return made


def _mark(found: Findings, given: Mapping[str, Any], experiment: Facts | None) -> dict[str, Any]:
    made: dict[str, Any] = {"user_id": found.user_id(given)}
    made |= {name: found.needed(given, name) for name in ("site", "target")}
    condition = given.get("assigned_condition")
    if condition is not None and not isinstance(condition, Mapping):
        found.invalid("The assigned condition is given as an experiment and a condition code.")
        return made
    condition = condition or {}
    named = _named(found, condition, experiment)
    if "condition_code" not in condition:
        found.lacks("condition_code")
    code = condition.get("condition_code") or None
    made["assigned_condition"] = {"experiment_id": named.get("experiment_id", ""), "condition_code": code}
    if experiment is None:
        return made
    codes = [each["code"] for each in experiment["conditions"]]
    if code is not None and code not in codes:
        found.invalid(f"{_it(named)} has no condition {quoted(code)}. It has: {listed(codes)}.")
    points = [(each["site"], each["target"]) for each in experiment["decision_points"]]
    if made["site"] and made["target"] and (made["site"], made["target"]) not in points:
        there = listed([f"{site}/{target}" for site, target in points])
        at = f"{made['site']}/{made['target']}"
        found.invalid(f"{_it(named)} has no decision point {quoted(at)}. It has: {there or 'none'}.")
    return made


def _simulate(found: Findings, given: Mapping[str, Any], experiment: Facts | None) -> dict[str, Any]:
    made = _named(found, given, experiment)
    if "users" not in given:
        found.lacks("users")
    elif (users := found.whole(given["users"])) is None or not 1 <= users <= MOST_USERS:
        found.invalid(f"A simulation has between 1 and {MOST_USERS:,} users, not {quoted(given['users'])}.")
    else:
        made["users"] = users
    if "groups" in given:
        most = made.get("users", MOST_USERS)
        if (groups := found.whole(given["groups"])) is None or not 1 <= groups <= most:
            found.invalid(f"The users can be in 1 to {most:,} groups, not {quoted(given['groups'])}.")
        elif experiment is not None and experiment["unit"] != "group":
            found.invalid(f"{_it(made)} assigns single users: leave the groups out.")
        else:
            made["groups"] = groups
    if experiment is not None and (why := unsimulated(experiment)):
        found.invalid(f"{_it(made)} cannot be simulated. {why}")
    return made


def unsimulated(experiment: Facts) -> str:
    """Why users of a simulation would get nothing from an experiment, as sentences about "it"; empty where they do."""
    state = State(experiment["state"])
    if state is not State.ENROLLING:
        then = "Start it first." if State.ENROLLING in ways(state) else ""
        then = "Resume it first." if state is State.ENROLLMENT_COMPLETE else then
        return f"It is {spoken(state)}: {MEANING[state]}. All simulated users would get the default. {then}".strip()
    if experiment["filter_mode"] == "excludeAll":
        return "Only those on its inclusion list take part, and no simulated user is on it: all would get the default."
    if not experiment["decision_points"] or not experiment["conditions"]:
        return "It has no decision points or no conditions: there is nothing to get."
    return ""


def _named(found: Findings, given: Mapping[str, Any], experiment: Facts | None) -> dict[str, Any]:
    """The experiment that is meant: its id and its name, as the server has them."""
    said = given.get("experiment_id")
    if said in (None, ""):
        found.lacks("experiment")
        return {}
    try:
        id = str(UUID(str(said)))
    except ValueError:
        found.not_found(f"{quoted(said)} is not the id of an experiment.")
        return {}
    name = dict(found.names).get(id)
    if experiment is not None and experiment["experiment_id"] == id:
        name = experiment["name"]
    if name is None:
        called = f" called {quoted(given['name'])}" if given.get("name") else ""
        found.not_found(f"There is no experiment{called} with the id {id}; it may have been deleted.")
        return {}
    return {"experiment_id": id, "name": name}


def _it(made: Mapping[str, Any]) -> str:
    return f"The experiment {quoted(made['name'])}" if made.get("name") else "The experiment"


_Check = Callable[[Findings, Mapping[str, Any], "Facts | None"], dict[str, Any]]
_CHECKS: Mapping[str, _Check] = {
    "create_experiment": _create,
    "update_experiment": _update,
    "delete_experiment": _delete,
    "update_experiment_status": _status,
    "init_experiment_user": _init,
    "get_decision_point_assignments": _assignments,
    "mark_decision_point": _mark,
    "simulate_experiment": _simulate,
}
