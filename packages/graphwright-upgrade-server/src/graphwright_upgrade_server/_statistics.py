"""Participants: numbers by experiment, condition and point, and the unauthenticated dumps under /check."""

from __future__ import annotations

import json
from typing import Any

from graphwright_upgrade_server import _queries as queries
from graphwright_upgrade_server._database import SOME, Connection, Prepared
from graphwright_upgrade_server._routing import Call, Endpoint
from graphwright_upgrade_server._serialization import Json, Shape
from graphwright_upgrade_server._validation import Checked
from graphwright_upgrade_server.failures import QUERY_FAILED, Failure

_COUNTS = "count(DISTINCT user_id), count(DISTINCT group_id) FROM individual_enrollment"
_BY_EXPERIMENT = Prepared(f"SELECT experiment_id, {_COUNTS} WHERE experiment_id {SOME} GROUP BY experiment_id")
_BY_CONDITION = Prepared(f"SELECT condition_id, {_COUNTS} WHERE experiment_id = :id GROUP BY condition_id")
_BY_POINT = Prepared(
    f"SELECT condition_id, partition_id, {_COUNTS} WHERE experiment_id = :id GROUP BY condition_id, partition_id"
)
_EXCLUDED = [
    Prepared(f"SELECT count(*) FROM {table} WHERE experiment_id = :id")
    for table in ("individual_exclusion", "group_exclusion")
]


def enrollment(call: Call) -> list[Json]:
    """POST /stats/enrollment {experimentIds[]}: an entry for each id, with zeros for an unknown one."""
    body = Checked(call.body)
    ids = body.texts("experimentIds", required=True)
    body.refuse()
    counts = {row[0]: row[1:] for row in _BY_EXPERIMENT.all(call.connection, {"ids": json.dumps(ids)})}
    return [_counted(one, counts.get(one)) for one in ids]


def detail(call: Call) -> Json:
    """POST /stats/enrollment/detail {experimentId}"""
    body = Checked(call.body)
    experiment_id = body.uuid("experimentId") or ""
    body.refuse()
    connection = call.connection
    if queries.stored(connection, experiment_id) is None:
        raise Failure(500 if call.service.strict else 404, "Experiment not found!", QUERY_FAILED)
    found = {"id": experiment_id}
    total = _BY_EXPERIMENT.first(connection, {"ids": json.dumps([experiment_id])})
    by_condition = {row[0]: row[1:] for row in _BY_CONDITION.all(connection, found)}
    by_point = {row[:2]: row[2:] for row in _BY_POINT.all(connection, found)}
    points = [one["id"] for one in queries.partitions(connection, experiment_id)]
    excluded = [_count(connection, statement, experiment_id) for statement in _EXCLUDED]
    return _counted(experiment_id, total[1:] if total else None) | {
        "usersExcluded": excluded[0],
        "groupsExcluded": excluded[1],
        "conditions": [
            _counted(one["id"], by_condition.get(one["id"]))
            | {"partitions": [_counted(point, by_point.get((one["id"], point))) for point in points]}
            for one in queries.conditions(connection, experiment_id)
        ],
    }


def _counted(key: str, counts: tuple[Any, ...] | None) -> Json:
    users, groups = counts or (0, 0)
    return {"id": key, "users": users, "groups": groups}


def _count(connection: Connection, statement: Prepared, experiment_id: str) -> int:
    row = statement.first(connection, {"id": experiment_id})
    return int(row[0]) if row else 0


def _dump(path: str, table: str, names: str) -> Endpoint:
    shape = Shape(table, f"id {names}")
    statement = shape.select("ORDER BY number")

    def dump(call: Call) -> list[Json]:
        return [shape.json(row) for row in statement.all(call.connection, {})]

    return Endpoint("GET", f"/check/{path}", dump, "open")


_ENROLLED = "experimentId partitionId conditionId"

dumps = (
    _dump("individualAssignment", "individual_enrollment", f"{_ENROLLED} userId groupId enrollmentCode"),
    _dump("groupAssignment", "group_enrollment", f"{_ENROLLED} groupId"),
    _dump("individualExclusion", "individual_exclusion", "experimentId exclusionCode userId"),
    _dump("groupExclusion", "group_exclusion", "experimentId exclusionCode groupId"),
    _dump("monitoredExperimentPoint", "visit", "userId site target condition experimentId"),
)
