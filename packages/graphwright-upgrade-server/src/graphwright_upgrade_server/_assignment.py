"""Assignment: the experiments of a user, and the condition in each. It only reads, and does not enrol."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from enum import Enum
from typing import Any

from graphwright_upgrade_server import _designs as designs
from graphwright_upgrade_server import _users as users
from graphwright_upgrade_server._database import Connection
from graphwright_upgrade_server._designs import COMPLETE, ENROLLING, PREVIEW, Condition, Design, Place, Point
from graphwright_upgrade_server._seedrandom import rand
from graphwright_upgrade_server._users import Listed, Records, User


class Groups(Enum):
    """Whether a user's groups are sufficient for a group experiment."""

    VALID = "valid"
    MISSING = "missing"
    INVALID = "invalid"


class Outcome(Enum):
    """Whether the lists of an experiment include a user, and which of them exclude the user."""

    IN = "in"
    OUT = "out"
    OUT_BY_OWN_GROUP = "out by own group"
    """A group of the type that the experiment assigns is on the exclusion list: the whole group is excluded."""

    OUT_BY_OTHER_GROUP = "out by other group"
    """A group of another type is on the exclusion list, in an experiment that assigns groups."""


def kept_out(connection: Connection, user: User, listed: Listed, place: Place) -> bool:
    """Whether the global exclude of a context excludes the user from everything in it.

    It uses working groups, while the lists of an experiment use memberships. A real server also excludes every user
    without a working group as soon as it lists any group.
    """
    if listed.user(place.excluded):
        return True
    if not user.working_group:
        return users.any_group(connection, place.excluded)
    return bool(listed.groups(user.working_groups(), place.excluded))


def groups_of(design: Design, user: User) -> Groups:
    """Whether the user's groups are sufficient: the working group of the experiment's type must be a membership."""
    if design.group is None:
        return Groups.VALID
    if not user.group or not user.working_group:
        return Groups.MISSING
    working = user.working(design.group)
    return Groups.VALID if working is not None and working in user.group.get(design.group, ()) else Groups.INVALID


def by_lists(design: Design, user: User, listed: Listed, records: Records) -> Outcome:
    """The result of the experiment's lists: a listed user overrides a listed group, and exclusion overrides inclusion.

    The lists are evaluated each time, so that an enrolled user who is added to an exclusion list loses the condition.
    In group experiments of individual consistency, enrolled users are independent of the lists.
    """
    if design.group is not None and design.consistency == "individual" and design.id in records.enrolled:
        return Outcome.IN
    if listed.user(design.excluded):
        return Outcome.OUT
    if listed.user(design.included):
        return Outcome.IN
    excluded = listed.groups(user.memberships(), design.excluded)
    if design.filter_mode == "includeAll":
        if not excluded:
            return Outcome.IN
        if design.group is None:
            return Outcome.OUT
        own = any(type == design.group for type, _ in excluded)
        return Outcome.OUT_BY_OWN_GROUP if own else Outcome.OUT_BY_OTHER_GROUP
    # A user who is not included in an excludeAll experiment does not affect the group.
    return Outcome.IN if listed.groups(user.memberships(), design.included) and not excluded else Outcome.OUT


def pools(designs: Iterable[Design]) -> list[list[Design]]:
    """The experiments by pool; sharing is transitive. One without a point is in no pool.

    The order within a pool is that of the ids, so that it does not depend on creation times: on a real server the order
    is arbitrary.
    """
    found: list[list[Design]] = []
    pool_of: dict[tuple[str, str | None], list[Design]] = {}
    for design in designs:
        points = {(point.site, point.target) for point in design.points}
        touching = {id(pool): pool for point in points if (pool := pool_of.get(point)) is not None}
        if not points:
            continue
        # The others are merged into the largest, so that a long chain of experiments is not copied again and again.
        pool, *others = sorted(touching.values(), key=len, reverse=True) or [[]]
        pool.append(design)
        for other in others:
            pool += other
            pool_of |= {(point.site, point.target): pool for member in other for point in member.points}
            other.clear()
        pool_of |= dict.fromkeys(points, pool)
        if not touching:
            found.append(pool)
    return [sorted(pool, key=lambda design: design.id) for pool in found if pool]


def chosen(pool: Sequence[Design], user: User, records: Records) -> Design | None:
    """The experiment of a pool that the user is in.

    An enrolment of the user or the working group is kept. Without one it is drawn among those that are enrolling and do
    not exclude the user, so that complete ones get no new users. The draw depends only on the user: in two pools of the
    same size a user gets the member at the same place.
    """
    enrolled = [design for design in pool if is_enrolled(design, user, records)]
    if len(enrolled) == 1:
        return enrolled[0]
    if enrolled:
        # A product that marks experiments of a pool one by one can enrol a user in several.
        return next((design for design in enrolled if design.state == ENROLLING), None)
    # Only preview users get experiments in preview.
    free = [d for d in pool if d.state in (ENROLLING, PREVIEW) and not is_excluded(d, user, records)]
    if len(free) > 1:
        return free[int(rand(user.id) * len(free))]
    return free[0] if free else None


def is_enrolled(design: Design, user: User, records: Records) -> bool:
    """Whether the user or the user's working group is enrolled."""
    return design.id in records.enrolled or (design.id, user.working(design.group)) in records.group_enrolled


def is_excluded(design: Design, user: User, records: Records) -> bool:
    """Whether the user or a working group of the user is excluded."""
    return design.id in records.excluded or is_group_excluded(design, user, records)


def is_group_excluded(design: Design, user: User, records: Records) -> bool:
    """Whether a working group of the user, of any type, is excluded from an experiment that assigns groups."""
    groups = user.working_groups() if design.group is not None else ()
    return any((design.id, id) in records.group_excluded for _, id in groups)


def assignments(connection: Connection, user: User, context: str) -> list[dict[str, Any]]:
    """The assignments of a user in a context: an element for each decision point of each experiment.

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

    Pools consist of the experiments that are open to this user: two experiments that are connected only by a third one,
    which is not open, do not compete.
    """
    open_to_user = [
        design
        for design in place.designs
        if _reaches(design, user)
        # Enrolled users stay when their groups are no longer sufficient.
        and (groups_of(design, user) is Groups.VALID or design.id in records.enrolled)
        and by_lists(design, user, listed, records) is Outcome.IN
    ]
    return [design for pool in pools(open_to_user) if (design := chosen(pool, user, records)) is not None]


def condition_of(design: Design, user: User, records: Records) -> Condition | None:
    """The condition of the user in an experiment, by the consistency rule or by a draw; None is the default.

    The consistency rule determines which record is used first: that of the user, or that of the working group.
    """
    group = user.working(design.group)
    own = design.condition(records.enrolled.get(design.id))
    of_group = design.condition(records.group_enrolled.get((design.id, group))) if group is not None else None
    excluded = design.id in records.excluded
    group_excluded = is_group_excluded(design, user, records)
    if design.state == COMPLETE and design.post_rule != "continue":
        # Under `assign` all users get one condition; under `revert` the default.
        return design.condition(design.revert_to) if design.post_rule == "assign" else None
    if design.consistency == "individual":
        order = [(excluded, own), (group_excluded, of_group)]
    elif design.consistency == "group":
        order = [(group_excluded, of_group), (excluded, own)]
    else:
        # Exclusions have an effect only through pools.
        order = [(False, own if design.group is None else of_group)]
    for out, condition in order:
        if out or condition is not None:
            return None if out else condition
    return drawn(design, user) if design.state in (ENROLLING, PREVIEW) else None


def drawn(design: Design, user: User) -> Condition | None:
    """The drawn condition: always the same for the same experiment and unit. None without conditions."""
    # An enrolled user may have no working group; a real server then draws for a group of this name.
    unit = user.id if design.group is None else user.working(design.group) or "undefined"
    number, reached = rand(f"{design.id}_{unit}") * 100, 0.0
    for condition in design.conditions:
        reached += condition.weight
        if number <= reached:
            return condition
    # If weights add up to less than 100, the first condition gets the rest.
    return design.conditions[0] if design.conditions else None


def many(
    connection: Connection, ids: Sequence[str], context: str, site: str, target: str
) -> Mapping[str, dict[str, Any] | None]:
    """The assignment of each user at one decision point: an element of `assignments`, or None for the default."""
    found: dict[str, dict[str, Any] | None] = {}
    for id in ids:
        user = users.find(connection, id)
        elements = assignments(connection, user, context) if user is not None else []
        found[id] = next((e for e in elements if e["site"] == site and (e["target"] or "") == target), None)
    return found


def _reaches(design: Design, user: User) -> bool:
    if design.state == PREVIEW:
        return user.preview
    # Complete, and all users back to the default: it has no effect.
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
    """The payload of the condition at the point. An empty one counts as missing."""
    payload = point.payloads.get(condition.id)
    return payload if payload is not None and payload["value"] else None
