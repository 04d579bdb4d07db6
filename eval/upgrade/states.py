"""The state of a server without ids and times: every experiment, user, list and enrolment, in the terms of cases."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Set
from typing import Any

import httpx

from eval.states import State
from graphwright_upgrade.client._calls import UpgradeClient
from graphwright_upgrade.client._experiment import Experiment, UserList

BLANK: Mapping[str, Any] = {
    **{"description": "", "state": "inactive", "only_listed": False, "goal": None, "after": "continue"},
    **{"if_reached": [], "tags": [], "include": {}, "exclude": {}, "payloads": []},
}
"""The initial fields of a new experiment."""

_INSIDE = "http://upgrade.local/api"
_UNKNOWN_USER = "a made-up user"
_KEPT_APART = ("enrolled", "excluded", "groups enrolled", "groups excluded")


def client(app: Any) -> UpgradeClient:
    """A client in this process."""
    return UpgradeClient(_INSIDE, transport=httpx.ASGITransport(app=app))


async def state_of(app: Any, handles: Mapping[str, str], users: Iterable[str]) -> State:
    """The state of a service: experiments by handle (new ones by name), these users as `user ID`.

    The service is not changed, as long as it knows the users.
    """
    async with client(app) as asked:
        experiments = await asked.experiments()
        known = [await asked.init(user) for user in sorted(users)]
    titles = _titles(experiments, handles)
    state: State = {
        f"user {user.id}": {
            "groups": {kind: sorted(ids) for kind, ids in user.groups.items()},
            "working": dict(user.working_groups),
            "visits": [],
        }
        for user in known
    }
    for each in experiments:
        state[titles[each.id]] = _experiment(each)
    codes = {condition.id: condition.code for each in experiments for condition in each.conditions}
    async with httpx.AsyncClient(transport=httpx.ASGITransport(app=app)) as http:
        for dump, field, who, what in (
            ("individualAssignment", "enrolled", "userId", "conditionId"),
            ("individualExclusion", "excluded", "userId", "exclusionCode"),
            ("groupAssignment", "groups enrolled", "groupId", "conditionId"),
            ("groupExclusion", "groups excluded", "groupId", "exclusionCode"),
        ):
            for row in (await http.get(f"{_INSIDE}/check/{dump}")).json():
                state[titles[row["experimentId"]]][field][row[who]] = codes.get(row[what], row[what])
        for row in (await http.get(f"{_INSIDE}/check/monitoredExperimentPoint")).json():
            state[f"user {row['userId']}"]["visits"].append(f"{row['site']}/{row['target']}")
    for fields in state.values():
        fields.get("visits", []).sort()
    return state


def without_made_up(state: State, people: Set[str], groups: Set[str]) -> State:
    """Replace all other users and groups by their numbers."""
    kept: State = {}
    made_up = 0
    for thing, fields in state.items():
        if thing.startswith("user ") and thing.removeprefix("user ") not in people:
            made_up += 1
            continue
        kept[thing] = dict(fields)
        for field in _KEPT_APART:
            if field in fields:
                kept[thing][field] = _counted(fields[field], groups if field.startswith("groups") else people)
    if made_up:
        kept["made-up users"] = {"number": made_up}
    return kept


def _titles(experiments: Iterable[Experiment], handles: Mapping[str, str]) -> dict[str, str]:
    """The title of each: its handle, or the name of a new one, numbered if it is already used."""
    found: dict[str, str] = {}
    taken: Counter[str] = Counter()
    for each in sorted(experiments, key=lambda each: each.id not in handles):
        title = handles.get(each.id, each.name)
        taken[title] += 1
        found[each.id] = title if taken[title] == 1 else f"{title} ({taken[title]})"
    return found


def _experiment(each: Experiment) -> dict[str, Any]:
    codes = {condition.id: condition.code for condition in each.conditions}
    after = codes.get(each.revert_to, "default") if each.post_experiment_rule == "assign" else each.post_experiment_rule
    return {
        "name": each.name,
        "context": each.context,
        "description": each.description,
        "state": each.state.value,
        # Two conditions may have the same code, which a mapping would hide.
        "conditions": _weights(each),
        "points": sorted(f"{point.site}/{point.target}" for point in each.decision_points),
        "if_reached": sorted(f"{p.site}/{p.target}" for p in each.decision_points if p.exclude_if_reached),
        "unit": each.assignment_unit,
        "consistency": each.consistency_rule,
        "group": each.group,
        "after": after,
        "only_listed": each.filter_mode == "excludeAll",
        "tags": sorted(each.tags),
        "goal": [each.enrollment_goal.users, each.enrollment_goal.groups] if each.enrollment_goal else None,
        "include": _lists(each.inclusions),
        "exclude": _lists(each.exclusions),
        "payloads": sorted(
            [codes.get(payload.condition_id, ""), payload.type, payload.value]
            for payload in each.payloads
            # Servers create these at the first change.
            if payload.value != codes.get(payload.condition_id)
        ),
        **{field: {} for field in _KEPT_APART},
    }


def _weights(each: Experiment) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for condition in each.conditions:
        weight = round(condition.weight, 2)
        found[condition.code] = [*_as_list(found[condition.code]), weight] if condition.code in found else weight
    return found


def _as_list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [value]


def _lists(lists: Iterable[UserList]) -> dict[str, list[str]]:
    """The members of lists, by kind: two lists of one kind are the same as one."""
    members: dict[str, set[str]] = {}
    for each in lists:
        for kind, ids in (("individual", each.users), ("segment", each.segments)):
            if ids:
                members.setdefault(kind, set()).update(ids)
        for group in each.groups:
            members.setdefault(group.type, set()).add(group.id)
    return {kind: sorted(ids) for kind, ids in sorted(members.items())}


def _counted(who: Mapping[str, Any], named: Set[str]) -> dict[str, Any]:
    made_up = sum(each not in named for each in who)
    kept = {each: value for each, value in who.items() if each in named}
    return {**kept, _UNKNOWN_USER: made_up} if made_up else kept
