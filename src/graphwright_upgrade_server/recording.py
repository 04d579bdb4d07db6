"""The records of who is enrolled and who is excluded: writing them, each at most once."""

from __future__ import annotations

import uuid

from sqlalchemy import Connection, text

from graphwright_upgrade_server.database import Prepared
from graphwright_upgrade_server.designs import Condition, Design, Point
from graphwright_upgrade_server.tables import now
from graphwright_upgrade_server.users import User

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
    """Enrol the user at a point, unless it is so already."""
    _ENROL.run(
        connection,
        {
            "id": str(uuid.uuid4()),
            "user": user.id,
            "experiment": design.id,
            "partition": point.id,
            "condition": condition.id,
            "group": user.working(design.group),
            "code": code,
            "now": now(),
        },
    )


def enrol_group(connection: Connection, design: Design, point: Point, condition: Condition, group: str) -> None:
    """Enrol a group, unless it is enrolled already."""
    _ENROL_GROUP.run(
        connection,
        {
            "id": str(uuid.uuid4()),
            "group": group,
            "experiment": design.id,
            "partition": point.id,
            "condition": condition.id,
            "now": now(),
        },
    )


def exclude(connection: Connection, design: Design, user: User, code: str) -> None:
    """Exclude the user; the first reason stays."""
    _EXCLUDE.run(connection, {"user": user.id, "experiment": design.id, "code": code, "now": now()})


def exclude_group(connection: Connection, design: Design, group: str, code: str) -> None:
    """Exclude a group; the first reason stays."""
    _EXCLUDE_GROUP.run(connection, {"group": group, "experiment": design.id, "code": code, "now": now()})


def withdraw_group(connection: Connection, design: Design, group: str) -> None:
    """Take the enrolment of a group back."""
    _WITHDRAW_GROUP.run(connection, {"group": group, "experiment": design.id})


_ENROL = Prepared(
    text(
        "INSERT INTO individual_enrollment (id, user_id, experiment_id, partition_id, condition_id, group_id,"
        " enrollment_code, created_at, updated_at, version_number)"
        " VALUES (:id, :user, :experiment, :partition, :condition, :group, :code, :now, :now, 1)"
        " ON CONFLICT (user_id, experiment_id, partition_id) DO NOTHING"
    )
)
_ENROL_GROUP = Prepared(
    text(
        "INSERT INTO group_enrollment (id, group_id, experiment_id, partition_id, condition_id,"
        " created_at, updated_at, version_number)"
        " VALUES (:id, :group, :experiment, :partition, :condition, :now, :now, 1)"
        " ON CONFLICT (group_id, experiment_id) DO NOTHING"
    )
)
_EXCLUDE = Prepared(
    text(
        "INSERT INTO individual_exclusion (id, user_id, experiment_id, exclusion_code,"
        " created_at, updated_at, version_number)"
        " VALUES (:experiment || '_' || :user, :user, :experiment, :code, :now, :now, 1)"
        " ON CONFLICT DO NOTHING"
    )
)
_EXCLUDE_GROUP = Prepared(
    text(
        "INSERT INTO group_exclusion (id, group_id, experiment_id, exclusion_code,"
        " created_at, updated_at, version_number)"
        " VALUES (:experiment || '_' || :group, :group, :experiment, :code, :now, :now, 1)"
        " ON CONFLICT DO NOTHING"
    )
)
_WITHDRAW_GROUP = Prepared(text("DELETE FROM group_enrollment WHERE group_id = :group AND experiment_id = :experiment"))
