"""An update as calls of the client: the design in one replacement, the rule for afterwards, changes of the lists."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from graphwright.agents.upgrade.checks.checked_design import OFF
from graphwright.agents.upgrade.checks.facts import facts_of
from graphwright.agents.upgrade.client.calls import UpgradeClient
from graphwright.agents.upgrade.client.dialects import drafts_of
from graphwright.agents.upgrade.client.drafts import (
    ConditionDraft,
    DecisionPointDraft,
    ExperimentChanges,
    ListDraft,
    Side,
)
from graphwright.agents.upgrade.client.experiment import Experiment
from graphwright.agents.upgrade.client.failures import UpgradeError

SIDES: Mapping[str, Side] = {"include": "inclusion", "exclude": "exclusion"}
_FIELDS = {
    "new_name": "name",
    "description": "description",
    "tags": "tags",
    "unit": "assignment_unit",
    "group": "group",
    "consistency": "consistency_rule",
    "filter_mode": "filter_mode",
}


@dataclass(frozen=True, slots=True)
class Changed:
    """An experiment as the server last had it, and the parameters that were carried out."""

    experiment: Experiment
    done: tuple[str, ...]


async def change(
    client: UpgradeClient, before: Experiment, params: Mapping[str, Any]
) -> tuple[Changed, UpgradeError | None]:
    """Carry out an update, step by step; gives how far it came, and the error at which it stopped.

    Conditions keep their ids by their codes, and decision points by site and target, and with the ids their enrolments.
    Doing it again changes nothing.
    """
    now, done = before, list[str]()
    try:
        design = [name for name in (*_FIELDS, "conditions", "decision_points") if name in params]
        if design:
            now = await _replaced(client, now, params)
            done += design
        if "post_rule" in params:
            now = await set_rule(client, now, params)
            done.append("post_rule")
        for name, of in OFF.items():
            if name in params:
                now = await _reduced(client, now, SIDES[of], params[name])
                done.append(name)
        for name, side in SIDES.items():
            if name in params:
                now = await _extended(client, now, side, lists_of(params[name]))
                done.append(name)
    except UpgradeError as error:
        return Changed(now, tuple(done)), error
    return Changed(now, tuple(done)), None


async def set_rule(client: UpgradeClient, experiment: Experiment, params: Mapping[str, Any]) -> Experiment:
    """Give an experiment the rule for when it is stopped, and the condition that its users then get, by its code."""
    code = params["revert_to"]
    revert_to = next((each.id for each in experiment.conditions if each.code == code), None)
    if (experiment.post_experiment_rule, experiment.revert_to) == (params["post_rule"], revert_to or ""):
        return experiment
    return await client.update(
        experiment.id, ExperimentChanges(post_experiment_rule=params["post_rule"], revert_to=revert_to)
    )


def lists_of(members: Mapping[str, Any] | None) -> tuple[ListDraft, ...]:
    """Users and groups as lists, one a kind."""
    if not members:
        return ()
    users, groups = members.get("users") or (), members.get("groups") or ()
    types = dict.fromkeys(each["type"] for each in groups)
    found = (
        ListDraft(kind="individual", members=tuple(users)),
        *(ListDraft(kind=type, members=tuple(g["id"] for g in groups if g["type"] == type)) for type in types),
    )
    return tuple(each for each in found if each.members)


async def _replaced(client: UpgradeClient, before: Experiment, params: Mapping[str, Any]) -> Experiment:
    given: dict[str, Any] = {_FIELDS[name]: params[name] for name in _FIELDS if name in params}
    if "conditions" in params:
        ids = {each.code: each.id for each in before.conditions}
        given["conditions"] = [
            ConditionDraft(**_id(ids.get(each["code"])), code=each["code"], weight=each["weight"])
            for each in params["conditions"]
        ]
    if "decision_points" in params:
        at = {(each.site, each.target): each.id for each in before.decision_points}
        given["decision_points"] = [
            DecisionPointDraft(**_id(at.get((each["site"], each["target"]))), **each)
            for each in params["decision_points"]
        ]
    try:
        return await client.update(before.id, ExperimentChanges(**given))
    except UpgradeError as error:
        if error.done is False:
            raise
        # The answer was lost; what is there now says whether it was done.
        found = await seen(client, before.id)
        if found is None or not _carried_out(found, params):
            raise
        return found


async def seen(client: UpgradeClient, id: str) -> Experiment | None:
    """An experiment as it is now, None where that cannot be seen."""
    try:
        return await client.experiment(id)
    except UpgradeError:
        return None


def _id(id: str | None) -> dict[str, Any]:
    return {} if id is None else {"id": id}


def _carried_out(experiment: Experiment, params: Mapping[str, Any]) -> bool:
    facts = facts_of(experiment)
    now: dict[str, Any] = {**facts, "new_name": facts["name"], "group": facts["group"] or None}
    return all(now[name] == params[name] for name in (*_FIELDS, "conditions", "decision_points") if name in params)


async def _extended(
    client: UpgradeClient, experiment: Experiment, side: Side, drafts: tuple[ListDraft, ...]
) -> Experiment:
    there = experiment.lists(side)
    users = {user for each in there for user in each.users}
    groups = {(group.type, group.id) for each in there for group in each.groups}
    for draft in drafts:
        own = draft.kind == "individual"
        new = tuple(m for m in draft.members if (m not in users if own else (draft.kind, m) not in groups))
        # A list of its own: what somebody else changes in the others at this moment is not lost.
        if new:
            await client.add_list(experiment.id, side, ListDraft(kind=draft.kind, members=new))
    return await client.experiment(experiment.id)


async def _reduced(client: UpgradeClient, experiment: Experiment, side: Side, off: Mapping[str, Any]) -> Experiment:
    """Take members off every list of a side; a list on which nobody is left goes."""
    users = set(off["users"])
    groups = {(each["type"], each["id"]) for each in off["groups"]}
    for each in experiment.lists(side):
        there = drafts_of(each)
        kept = [left for draft in there if (left := _without(draft, users, groups)).members]
        if off["all"] or (there and not kept):
            await client.delete_list(experiment.id, side, each.id)
        elif kept != [*there]:
            await client.replace_list(experiment.id, side, each.id, *kept)
    return await client.experiment(experiment.id)


def _without(draft: ListDraft, users: set[str], groups: set[tuple[str, str]]) -> ListDraft:
    own = draft.kind == "individual"
    left = (member for member in draft.members if (member not in users if own else (draft.kind, member) not in groups))
    return draft.model_copy(update={"members": tuple(left)})
