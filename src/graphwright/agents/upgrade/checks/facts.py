"""What is known of an experiment, in the words of the actions' parameters and small enough for a channel."""

from __future__ import annotations

from typing import TypedDict

from graphwright.agents.upgrade.client.experiment import Experiment, UserList


class WeightedCode(TypedDict):
    """A condition; `weight` in per cent."""

    code: str
    weight: float


class Place(TypedDict):
    """A decision point."""

    site: str
    target: str
    exclude_if_reached: bool


class Listed(TypedDict):
    """How many users, groups and segments stand on the lists of a side."""

    users: int
    groups: int
    segments: int


class Members(TypedDict):
    """Who stands on the lists of a side: ids of users, and groups as (type, id)."""

    users: list[str]
    groups: list[tuple[str, str]]


class Facts(TypedDict):
    """An experiment. `state` is the internal name, `revert_to` a condition code (None: the default condition).

    `goal_users` and `goal_groups` are the numbers after which it is complete by itself, None where there are none.
    """

    experiment_id: str
    name: str
    description: str
    context: str
    state: str
    unit: str
    group: str
    consistency: str
    post_rule: str
    revert_to: str | None
    filter_mode: str
    tags: list[str]
    conditions: list[WeightedCode]
    decision_points: list[Place]
    include: Listed
    exclude: Listed
    goal_users: int | None
    goal_groups: int | None


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
        "include": _listed(experiment.inclusions),
        "exclude": _listed(experiment.exclusions),
        "goal_users": goal.users if goal else None,
        "goal_groups": goal.groups if goal else None,
    }


def members_of(experiment: Experiment) -> dict[str, Members]:
    """Who stands on the lists of an experiment, by side: `include`, `exclude`. It may be thousands."""
    return {"include": _members(experiment.inclusions), "exclude": _members(experiment.exclusions)}


def _members(lists: tuple[UserList, ...]) -> Members:
    users = dict.fromkeys(user for each in lists for user in each.users)
    groups = dict.fromkeys((group.type, group.id) for each in lists for group in each.groups)
    return {"users": list(users), "groups": list(groups)}


def _listed(lists: tuple[UserList, ...]) -> Listed:
    return {
        "users": len({user for each in lists for user in each.users}),
        "groups": len({(group.type, group.id) for each in lists for group in each.groups}),
        "segments": len({segment for each in lists for segment in each.segments}),
    }
