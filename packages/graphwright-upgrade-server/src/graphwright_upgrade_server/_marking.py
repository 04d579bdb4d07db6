"""Marking: a user reached a decision point. The visit is recorded, and enrols or permanently excludes the user."""

from __future__ import annotations

import uuid
from dataclasses import dataclass
from typing import Any, Literal

from graphwright_upgrade_server import _assignment as assignment
from graphwright_upgrade_server import _designs as designs
from graphwright_upgrade_server import _enrollments as enrollments
from graphwright_upgrade_server import _experiments as experiments
from graphwright_upgrade_server import _users as users
from graphwright_upgrade_server._assignment import Groups, Outcome
from graphwright_upgrade_server._database import Connection, Prepared
from graphwright_upgrade_server._designs import COMPLETE, ENROLLING, Design, Point
from graphwright_upgrade_server._seedrandom import rand
from graphwright_upgrade_server._tables import now
from graphwright_upgrade_server._users import Listed, User
from graphwright_upgrade_server.failures import QUERY_FAILED, UNKNOWN_CONDITION, Failure

Status = Literal["condition applied", "condition not applied", "no condition assigned"]


@dataclass(frozen=True, slots=True)
class Mark:
    """The report of the product: the place of the user, the code of the applied condition, and its status."""

    site: str
    target: str
    code: str | None = None
    experiment_id: str | None = None
    status: Status | None = None


def mark(connection: Connection, user: User, marked: Mark, *, strict: bool = False) -> dict[str, Any]:
    """Record the visit and its effects. Returns `{condition, userId, site, target, experimentId, id}`.

    The sent code is checked and stored, but has no effect: the condition is computed here. Raises Failure for an
    experiment that is not at this point, and for a code that it does not know. `strict` fails like a real server.
    """
    found = _experiment(connection, user, marked)
    if found is not None:
        design, point = found
        listed = users.listed(connection, user)
        # A globally excluded user has no experiment here, so every code is accepted.
        if not assignment.kept_out(connection, user, listed, designs.place(connection, design.context)):
            _require_code(design, marked.code)
            if design.state in (ENROLLING, COMPLETE) and not user.preview:
                _record(connection, design, point, user, listed, marked.status, strict)
                _complete_by_count(connection, design)
    return _visit(connection, user, marked, found[0].id if found is not None else None)


def _experiment(connection: Connection, user: User, marked: Mark) -> tuple[Design, Point] | None:
    """The intended experiment and its point: the named one, or one of those here, of any state and context."""
    here = designs.at_point(connection, marked.site, marked.target)
    if not here:
        return None
    if not marked.experiment_id:
        return here[int(rand(user.id) * len(here))]
    for design, point in here:
        if design.id == marked.experiment_id:
            return design, point
    raise Failure(
        404, f"Experiment ID not provided for shared Decision Point in markExperimentPoint: {user.id}", QUERY_FAILED
    )


def _require_code(design: Design, code: str | None) -> None:
    codes = {condition.code for condition in design.conditions}
    payloads = {payload["value"] for point in design.points for payload in point.payloads.values()}
    if code is not None and code not in codes | payloads:
        raise Failure(500, f"Condition not found: {code}", UNKNOWN_CONDITION)


def _record(
    connection: Connection,
    design: Design,
    point: Point,
    user: User,
    listed: Listed,
    status: Status | None,
    strict: bool,
) -> None:
    if status == "condition not applied":
        enrollments.exclude(connection, design, user, enrollments.BY_CLIENT)
        return
    records = users.records(connection, user)
    group = user.working(design.group)
    outcome = assignment.by_lists(design, user, listed, records)
    if outcome is not Outcome.IN:
        _keep_out(connection, design, user, outcome, strict)
        return
    groups = assignment.groups_of(design, user)
    # At any of its points: a user enrolled at one point is neither drawn nor excluded at the next one.
    enrolled, excluded = design.id in records.enrolled, design.id in records.excluded
    group_enrolled = (design.id, group) in records.group_enrolled
    group_excluded = assignment.is_group_excluded(design, user, records)
    consistent = design.consistency != "experiment"
    if design.state == COMPLETE and consistent:
        if group is not None and groups is Groups.VALID and not group_enrolled and not group_excluded:
            enrollments.exclude_group(connection, design, group, enrollments.REACHED_AFTER)
        if not enrolled and not excluded and not group_enrolled:
            enrollments.exclude(connection, design, user, enrollments.REACHED_AFTER)
        return
    if groups is not Groups.VALID:
        if consistent and not enrolled and not excluded:
            code = enrollments.NO_GROUP if groups is Groups.MISSING else enrollments.WRONG_GROUP
            enrollments.exclude(connection, design, user, code)
        return
    condition = assignment.condition_of(design, user, records)
    if group_excluded and consistent and not excluded:
        enrollments.exclude(connection, design, user, enrollments.GROUP_LOGIC)
        excluded = True
    if condition is None:
        return
    if group is not None and not group_enrolled and not group_excluded:
        enrollments.enrol_group(connection, design, point, condition, group)
    if not excluded:
        code = enrollments.BY_GROUP if group_enrolled else enrollments.BY_ALGORITHM
        enrollments.enrol(connection, design, point, condition, user, code)


def _keep_out(connection: Connection, design: Design, user: User, outcome: Outcome, strict: bool) -> None:
    """Exclude a user whom the lists exclude, permanently: a later inclusion of the user does not undo it."""
    enrollments.exclude(connection, design, user, enrollments.ON_LIST)
    group = user.working(design.group)
    if outcome is Outcome.OUT_BY_OWN_GROUP and group is not None:
        enrollments.exclude_group(connection, design, group, enrollments.GROUP_ON_LIST)
        enrollments.withdraw_group(connection, design, group)
    if outcome is Outcome.OUT_BY_OTHER_GROUP:
        # As on a real server: every working group of the user is excluded, and so is every member of any of them.
        if not user.working_group and strict:
            raise Failure(500, "Cannot convert undefined or null to object", name="TypeError")
        for _, each in user.working_groups():
            enrollments.exclude_group(connection, design, each, enrollments.GROUP_ON_LIST)


def _complete_by_count(connection: Connection, design: Design) -> None:
    """Complete the experiment if the intended numbers are enrolled."""
    if design.state != ENROLLING or not design.user_count:
        return
    if design.group is not None and design.group_count:
        full = {"experiment": design.id, "users": design.user_count}
        reached = (_FULL_GROUPS.first(connection, full) or (0,))[0] >= design.group_count
    else:
        reached = (_USERS.first(connection, {"experiment": design.id}) or (0,))[0] >= design.user_count
    if reached:
        at = now()
        _COMPLETE.run(connection, {"experiment": design.id, "now": at})
        experiments.log_change(connection, design.id, ENROLLING, COMPLETE, at)


def _visit(connection: Connection, user: User, marked: Mark, experiment_id: str | None) -> dict[str, Any]:
    """The record of the first visit, whatever this mark contains."""
    values = {"user": user.id, "site": marked.site, "target": marked.target}
    new = {"id": str(uuid.uuid4()), "condition": marked.code, "experiment": experiment_id, "now": now()}
    _VISIT.run(connection, values | new)
    id, condition, experiment = _VISITED.first(connection, values) or (None, None, None)
    return {
        "condition": condition or marked.code,
        "userId": user.id,
        "site": marked.site,
        "target": marked.target,
        "experimentId": experiment,
        "id": id,
    }


_VISIT = Prepared(
    "INSERT INTO visit (id, user_id, site, target, condition, experiment_id,"
    " created_at, updated_at, version_number)"
    " VALUES (:id, :user, :site, :target, :condition, :experiment, :now, :now, 1)"
    " ON CONFLICT (user_id, site, target) DO NOTHING"
)
_VISITED = Prepared(
    "SELECT id, condition, experiment_id FROM visit WHERE user_id = :user AND site = :site AND target = :target"
)
_USERS = Prepared("SELECT count(DISTINCT user_id) FROM individual_enrollment WHERE experiment_id = :experiment")
_FULL_GROUPS = Prepared(
    "SELECT count(*) FROM (SELECT 1 FROM individual_enrollment"
    " WHERE experiment_id = :experiment AND group_id IS NOT NULL"
    " GROUP BY group_id HAVING count(DISTINCT user_id) >= :users)"
)
_COMPLETE = Prepared(
    f"UPDATE experiment SET state = '{COMPLETE}', updated_at = :now, version_number = version_number + 1"
    " WHERE id = :experiment"
)
