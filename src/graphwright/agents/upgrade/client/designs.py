"""An experiment's design in plain data, as the calls that make it or change it.

The data are `{name, context, description, tags, conditions: [{code, weight}], decision_points: [{site, target,
exclude_if_reached}], unit, group, consistency, post_rule, revert_to (a code), filter_mode, include, exclude: {users,
groups: [{type, id}]}}`; changes have some of these, `new_name` for the name, and `uninclude, unexclude`, which take off
the lists (`all` empties one).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from graphwright.agents.upgrade.client.calls import UpgradeClient
from graphwright.agents.upgrade.client.dialects import drafts_of
from graphwright.agents.upgrade.client.drafts import (
    ConditionDraft,
    DecisionPointDraft,
    ExperimentChanges,
    ExperimentDraft,
    ListDraft,
    Side,
)
from graphwright.agents.upgrade.client.experiment import Experiment, UserList

Facts = dict[str, Any]
"""An experiment in the words of the actions' parameters: `experiment_id, name, description, context, state, unit,
group, consistency, post_rule, revert_to` (a code, None for the default), `filter_mode, tags, conditions [{code,
weight}], decision_points [{site, target, exclude_if_reached}], include, exclude` ({users, groups, segments}: how many
are on the lists), `goal` ({users, groups} or None)."""

_FIELDS = {
    "new_name": "name",
    "description": "description",
    "tags": "tags",
    "unit": "assignment_unit",
    "group": "group",
    "consistency": "consistency_rule",
    "filter_mode": "filter_mode",
}
_ADDED: Mapping[str, Side] = {"include": "inclusion", "exclude": "exclusion"}
_TAKEN_OFF: Mapping[str, Side] = {"uninclude": "inclusion", "unexclude": "exclusion"}


def draft_of(params: Mapping[str, Any], id: str) -> ExperimentDraft:
    """A new experiment under an id of its own."""
    return ExperimentDraft(
        id=id,
        name=params["name"],
        description=params.get("description", ""),
        context=params["context"],
        assignment_unit=params["unit"],
        consistency_rule=params["consistency"],
        group=params["group"],
        filter_mode=params["filter_mode"],
        tags=tuple(params.get("tags", ())),
        conditions=tuple(ConditionDraft(**each) for each in params["conditions"]),
        decision_points=tuple(DecisionPointDraft(**each) for each in params["decision_points"]),
        inclusions=_lists(params.get("include")),
        exclusions=_lists(params.get("exclude")),
    )


async def change(
    client: UpgradeClient, experiment: Experiment, params: Mapping[str, Any], done: list[str]
) -> Experiment:
    """Change an experiment step by step; what was carried out is noted in `done`, also where a step fails.

    Conditions keep their ids by their codes, points by site and target, and with the ids their enrolments. Doing it
    again changes nothing. Raises UpgradeError.
    """
    now = experiment
    if design := [name for name in (*_FIELDS, "conditions", "decision_points") if name in params]:
        now = await _replaced(client, now, params)
        done += design
    if "post_rule" in params:
        now = await set_rule(client, now, params)
        done.append("post_rule")
    for name, side in _TAKEN_OFF.items():
        if name in params:
            now = await _reduced(client, now, side, params[name])
            done.append(name)
    for name, side in _ADDED.items():
        if name in params:
            now = await _extended(client, now, side, _lists(params[name]))
            done.append(name)
    return now


async def set_rule(client: UpgradeClient, experiment: Experiment, params: Mapping[str, Any]) -> Experiment:
    """Give an experiment the rule for when it is stopped, and the condition that its users then get, by its code."""
    revert_to = next((each.id for each in experiment.conditions if each.code == params.get("revert_to")), None)
    if (experiment.post_experiment_rule, experiment.revert_to) == (params["post_rule"], revert_to or ""):
        return experiment
    changes = ExperimentChanges(post_experiment_rule=params["post_rule"], revert_to=revert_to)
    return await client.update(experiment.id, changes)


def _lists(members: Mapping[str, Any] | None) -> tuple[ListDraft, ...]:
    """Users and groups as lists, one a kind: servers show no mixed ones."""
    users, groups = ((members or {}).get(kind) or () for kind in ("users", "groups"))
    found = [ListDraft(kind="individual", members=tuple(users))]
    for type in dict.fromkeys(each["type"] for each in groups):
        found.append(ListDraft(kind=type, members=tuple(g["id"] for g in groups if g["type"] == type)))
    return tuple(each for each in found if each.members)


async def _replaced(client: UpgradeClient, before: Experiment, params: Mapping[str, Any]) -> Experiment:
    given: dict[str, Any] = {_FIELDS[name]: params[name] for name in _FIELDS if name in params}
    if "conditions" in params:
        ids: dict[str, dict[str, Any]] = {each.code: {"id": each.id} for each in before.conditions}
        given["conditions"] = [ConditionDraft(**ids.get(each["code"], {}), **each) for each in params["conditions"]]
    if "decision_points" in params:
        at: dict[tuple[str, str], dict[str, Any]] = {
            (each.site, each.target): {"id": each.id} for each in before.decision_points
        }
        given["decision_points"] = [
            DecisionPointDraft(**at.get((each["site"], each["target"]), {}), **each)
            for each in params["decision_points"]
        ]
    return await client.update(before.id, ExperimentChanges(**given))


async def _extended(
    client: UpgradeClient, experiment: Experiment, side: Side, drafts: tuple[ListDraft, ...]
) -> Experiment:
    there = {
        (draft.kind, member) for each in experiment.lists(side) for draft in drafts_of(each) for member in draft.members
    }
    for draft in drafts:
        new = tuple(member for member in draft.members if (draft.kind, member) not in there)
        # A list of its own: what somebody else changes in the others at this moment is not lost.
        if new:
            await client.add_list(experiment.id, side, ListDraft(kind=draft.kind, members=new))
    return await client.experiment(experiment.id)


async def _reduced(client: UpgradeClient, experiment: Experiment, side: Side, off: Mapping[str, Any]) -> Experiment:
    """Take members off every list of a side; a list on which nobody is left goes."""
    gone = {(draft.kind, member) for draft in _lists(off) for member in draft.members}
    for each in experiment.lists(side):
        there = drafts_of(each)
        left = [
            draft.model_copy(update={"members": tuple(m for m in draft.members if (draft.kind, m) not in gone)})
            for draft in there
        ]
        kept = [draft for draft in left if draft.members]
        if off["all"] or (there and not kept):
            await client.delete_list(experiment.id, side, each.id)
        elif kept != [*there]:
            await client.replace_list(experiment.id, side, each.id, *kept)
    return await client.experiment(experiment.id)


def facts_of(experiment: Experiment) -> Facts:
    """The facts of an experiment as the client gives it."""
    codes = {each.id: each.code for each in experiment.conditions}
    goal = experiment.enrollment_goal
    return {
        "experiment_id": experiment.id,
        "name": experiment.name,
        "description": experiment.description,
        "context": experiment.context,
        "state": experiment.state.value,
        "unit": experiment.assignment_unit,
        "group": experiment.group,
        "consistency": experiment.consistency_rule,
        "post_rule": experiment.post_experiment_rule,
        "revert_to": codes.get(experiment.revert_to),
        "filter_mode": experiment.filter_mode,
        "tags": list(experiment.tags),
        "conditions": [{"code": each.code, "weight": each.weight} for each in experiment.conditions],
        "decision_points": [
            {"site": each.site, "target": each.target, "exclude_if_reached": each.exclude_if_reached}
            for each in experiment.decision_points
        ],
        **{side: _counted(lists) for side, lists in sides_of(experiment).items()},
        "goal": {"users": goal.users, "groups": goal.groups} if goal else None,
    }


def members_of(lists: Iterable[UserList]) -> dict[str, list[Any]]:
    """Who stands on lists: `users` by id, `groups` as {type, id}. It may be thousands."""
    users = dict.fromkeys(user for each in lists for user in each.users)
    groups = dict.fromkeys((group.type, group.id) for each in lists for group in each.groups)
    return {"users": list(users), "groups": [{"type": type, "id": id} for type, id in groups]}


def sides_of(experiment: Experiment) -> dict[str, tuple[UserList, ...]]:
    """The lists of an experiment, by the side as the data call it."""
    return {"include": experiment.inclusions, "exclude": experiment.exclusions}


def _counted(lists: Sequence[UserList]) -> dict[str, int]:
    found = members_of(lists)
    segments = {segment for each in lists for segment in each.segments}
    return {"users": len(found["users"]), "groups": len(found["groups"]), "segments": len(segments)}
