"""The records of enrolled and excluded users: by marking, and when an experiment begins to enrol."""

from __future__ import annotations

import uuid

from graphwright_upgrade_server._database import Connection, Prepared
from graphwright_upgrade_server._designs import Condition, Design, Point
from graphwright_upgrade_server._tables import now
from graphwright_upgrade_server._users import User

BY_ALGORITHM = "participant enrolled via algorithm"
BY_GROUP = "participant enrolled due to group enrollment"

REACHED_BEFORE = "participant reached experiment prior to experiment enrolling"
REACHED_AFTER = "participant reached experiment during enrollment complete"
ON_LIST = "participant was on the exclusion list"
GROUP_ON_LIST = "participant’s group was on the exclusion list"
GROUP_LOGIC = "participant excluded due to group assignment logic"
NO_GROUP = "participant excluded due to incomplete group information"
WRONG_GROUP = "participant's group or working group is incorrect"
BY_CLIENT = "participant is excluded by client"


def enrol(connection: Connection, design: Design, point: Point, condition: Condition, user: User, code: str) -> None:
    """Enrol the user at a point, unless already enrolled."""
    own = {"user": user.id, "group": user.working(design.group), "code": code}
    _ENROL.run(connection, own | _enrolment(design, point, condition))


def enrol_group(connection: Connection, design: Design, point: Point, condition: Condition, group: str) -> None:
    """Enrol a group, unless it is enrolled already."""
    _ENROL_GROUP.run(connection, {"group": group} | _enrolment(design, point, condition))


def _enrolment(design: Design, point: Point, condition: Condition) -> dict[str, str]:
    ids = {"experiment": design.id, "partition": point.id, "condition": condition.id}
    return {"id": str(uuid.uuid4()), **ids, "now": now()}


def exclude(connection: Connection, design: Design, user: User, code: str) -> None:
    """Exclude the user; the first reason is kept."""
    _EXCLUDE.run(connection, {"user": user.id, "experiment": design.id, "code": code, "now": now()})


def exclude_group(connection: Connection, design: Design, group: str, code: str) -> None:
    """Exclude a group; the first reason is kept."""
    _EXCLUDE_GROUP.run(connection, {"group": group, "experiment": design.id, "code": code, "now": now()})


def withdraw_group(connection: Connection, design: Design, group: str) -> None:
    """Remove the enrolment of a group."""
    _WITHDRAW_GROUP.run(connection, {"group": group, "experiment": design.id})


def _add(table: str, columns: str, values: str) -> Prepared:
    """The statement that adds such rows if they do not exist: their values as SQL, without the stamps."""
    stamped = f"{columns}, created_at, updated_at, version_number"
    return Prepared(f"INSERT INTO {table} ({stamped}) SELECT {values} ON CONFLICT DO NOTHING")


_NOW = ":now, :now, 1"
_PLACE = "experiment_id, partition_id, condition_id"
_ENROL = _add(
    "individual_enrollment",
    f"id, user_id, {_PLACE}, group_id, enrollment_code",
    f":id, :user, :experiment, :partition, :condition, :group, :code, {_NOW} WHERE true",
)
_ENROL_GROUP = _add(
    "group_enrollment",
    f"id, group_id, {_PLACE}",
    f":id, :group, :experiment, :partition, :condition, {_NOW} WHERE true",
)
_USER_OUT = "individual_exclusion", "id, user_id, experiment_id, exclusion_code"
_GROUP_OUT = "group_exclusion", "id, group_id, experiment_id, exclusion_code"
_EXCLUDE = _add(*_USER_OUT, f":experiment || '_' || :user, :user, :experiment, :code, {_NOW} WHERE true")
_EXCLUDE_GROUP = _add(*_GROUP_OUT, f":experiment || '_' || :group, :group, :experiment, :code, {_NOW} WHERE true")
_WITHDRAW_GROUP = Prepared("DELETE FROM group_enrollment WHERE group_id = :group AND experiment_id = :experiment")


def enter_enrolling(connection: Connection, experiment_id: str) -> None:
    """Exclude the users who visited a point marked `excludeIfReached`, at any time and in any experiment.

    Call it when the state becomes enrolling, unless it was enrollmentComplete before. Sites and targets are compared
    separately, as on a real server: with two such points, the site of one with the target of the other also matches.
    Under consistency `group` the working groups of these users are excluded as well; under `experiment` no user or
    group is.
    """
    values = {"experiment": experiment_id, "code": REACHED_BEFORE, "now": now()}
    _EXCLUDE_REACHED.run(connection, values)
    _EXCLUDE_REACHED_GROUPS.run(connection, values)


_MARKED = "FROM partition WHERE experiment_id = :experiment AND exclude_if_reached"
_REACHED = (
    "SELECT DISTINCT user_id FROM visit"
    f" WHERE site IN (SELECT site {_MARKED}) AND target IN (SELECT coalesce(target, '') {_MARKED})"
)
_EXCLUDE_REACHED = _add(
    *_USER_OUT,
    f"e.id || '_' || v.user_id, v.user_id, e.id, :code, {_NOW} FROM experiment e CROSS JOIN ({_REACHED}) v"
    " WHERE e.id = :experiment AND e.consistency_rule IN ('individual', 'group')",
)
_EXCLUDE_REACHED_GROUPS = _add(
    *_GROUP_OUT,
    f"DISTINCT e.id || '_' || g.value, g.value, e.id, :code, {_NOW} FROM experiment e CROSS JOIN ({_REACHED}) v"
    ' JOIN "user" u ON u.id = v.user_id JOIN json_each(u.working_group) g ON g.key = e."group"'
    " WHERE e.id = :experiment AND e.consistency_rule = 'group'",
)
