"""Assignment: which experiments a user is in, and the condition in each. It reads, and enrols nobody."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from sqlalchemy import Connection

from graphwright_upgrade_server import designs, users
from graphwright_upgrade_server.designs import COMPLETE, ENROLLING, PREVIEW, Condition, Design, Place, Point
from graphwright_upgrade_server.eligibility import Groups, Outcome, by_lists, groups_of, kept_out
from graphwright_upgrade_server.pools import chosen, is_group_excluded, pools
from graphwright_upgrade_server.seeded import rand
from graphwright_upgrade_server.users import Listed, Records, User


def assignments(connection: Connection, user: User, context: str) -> list[dict[str, Any]]:
    """What the product is told for a user in a context: an element for each decision point of each experiment.

    `{target, site, experimentType, assignedCondition: [{id, conditionCode, payload, experimentId}]}`
    """
    place = designs.place(connection, context)
    if not place.designs:
        return []
    listed = users.listed(connection, user)
    if kept_out(connection, user, listed, place):
        return []
    records = users.records(connection, user)
    return [
        element
        for design in experiments(place, user, listed, records)
        if (condition := condition_of(design, user, records)) is not None
        for element in _elements(design, condition)
    ]


def experiments(place: Place, user: User, listed: Listed, records: Records) -> list[Design]:
    """The experiments of a context that the user is in: at most one of each pool.

    Pools are made of what is open to this user: two experiments that only a third one connects, which is not open, do
    not compete.
    """
    open_to_user = [
        design
        for design in place.designs
        if _reaches(design, user)
        # Enrolled users stay when their groups no longer fit.
        and (groups_of(design, user) is Groups.VALID or design.id in records.enrolled)
        and by_lists(design, user, listed, records) is Outcome.IN
    ]
    return [design for pool in pools(open_to_user) if (design := chosen(pool, user, records)) is not None]


def condition_of(design: Design, user: User, records: Records) -> Condition | None:
    """The condition of the user in an experiment, None for the default; what consistency asks for, else a draw.

    The consistency rule says whose record counts first: the user's, or that of the working group.
    """
    group = user.working(design.group)
    own = design.condition(records.enrolled.get(design.id))
    of_group = design.condition(records.group_enrolled.get((design.id, group))) if group is not None else None
    excluded = design.id in records.excluded
    group_excluded = is_group_excluded(design, user, records)
    if design.state == COMPLETE and design.post_rule != "continue":
        # Under `assign` all get one condition; under `revert` nobody gets any.
        return design.condition(design.revert_to) if design.post_rule == "assign" else None
    if design.consistency == "individual":
        order = [(excluded, own), (group_excluded, of_group)]
    elif design.consistency == "group":
        order = [(group_excluded, of_group), (excluded, own)]
    else:
        # Exclusions act through pools alone.
        order = [(False, own if design.group is None else of_group)]
    for out, condition in order:
        if out or condition is not None:
            return None if out else condition
    return drawn(design, user) if design.state in (ENROLLING, PREVIEW) else None


def drawn(design: Design, user: User) -> Condition | None:
    """The draw: the same for the same experiment and unit, whenever it is made. None without conditions."""
    # Who is enrolled can be here without a working group; a real server then draws for a group of this name.
    unit = user.id if design.group is None else user.working(design.group) or "undefined"
    number, reached = rand(f"{design.id}_{unit}") * 100, 0.0
    for condition in design.conditions:
        reached += condition.weight
        if number <= reached:
            return condition
    # Weights may add up to less than 100: what is left falls to the first.
    return design.conditions[0] if design.conditions else None


def many(
    connection: Connection, ids: Sequence[str], context: str, site: str, target: str
) -> Mapping[str, dict[str, Any] | None]:
    """What each of some users gets on one decision point: an element of `assignments`, None for the default."""
    found: dict[str, dict[str, Any] | None] = {}
    for id in ids:
        user = users.find(connection, id)
        elements = assignments(connection, user, context) if user is not None else []
        found[id] = next((e for e in elements if e["site"] == site and (e["target"] or "") == target), None)
    return found


def _reaches(design: Design, user: User) -> bool:
    if design.state == PREVIEW:
        return user.preview
    # Complete, and everybody back to the default: as good as gone.
    return not (design.state == COMPLETE and design.post_rule == "assign" and design.revert_to is None)


def _elements(design: Design, condition: Condition) -> list[dict[str, Any]]:
    return [
        {
            "target": point.target,
            "site": point.site,
            "experimentType": design.type,
            "assignedCondition": [
                {
                    "id": condition.id,
                    "conditionCode": condition.code,
                    "payload": _payload(point, condition),
                    "experimentId": design.id,
                }
            ],
        }
        for point in design.points
    ]


def _payload(point: Point, condition: Condition) -> Mapping[str, str] | None:
    """What the condition brings to the point. An empty one is none."""
    payload = point.payloads.get(condition.id)
    return payload if payload is not None and payload["value"] else None
