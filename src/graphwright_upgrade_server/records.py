"""The unauthenticated dumps under /check: who is enrolled, who is excluded, and who was where."""

from __future__ import annotations

from collections.abc import Mapping

from sqlalchemy import Table

from graphwright_upgrade_server.database import Prepared
from graphwright_upgrade_server.routing import Call, Endpoint
from graphwright_upgrade_server.shapes import STAMPS, Json, Shape
from graphwright_upgrade_server.tables import (
    group_enrollment,
    group_exclusion,
    individual_enrollment,
    individual_exclusion,
    visit,
)

_ENROLLED = {"experimentId": "experiment_id", "partitionId": "partition_id", "conditionId": "condition_id"}


def _dump(path: str, table: Table, names: Mapping[str, str]) -> Endpoint:
    shape = Shape(table, {**STAMPS, "id": "id", **names}, {})
    statement = Prepared(shape.select().order_by(table.c.number))

    def dump(call: Call) -> list[Json]:
        return [shape.json(row) for row in statement.all(call.connection, {})]

    return Endpoint("GET", path, dump, "open")


routes = (
    _dump(
        "/check/individualAssignment",
        individual_enrollment,
        {**_ENROLLED, "userId": "user_id", "groupId": "group_id", "enrollmentCode": "enrollment_code"},
    ),
    _dump("/check/groupAssignment", group_enrollment, {**_ENROLLED, "groupId": "group_id"}),
    _dump(
        "/check/individualExclusion",
        individual_exclusion,
        {"experimentId": "experiment_id", "exclusionCode": "exclusion_code", "userId": "user_id"},
    ),
    _dump(
        "/check/groupExclusion",
        group_exclusion,
        {"experimentId": "experiment_id", "exclusionCode": "exclusion_code", "groupId": "group_id"},
    ),
    _dump(
        "/check/monitoredExperimentPoint",
        visit,
        {
            "userId": "user_id",
            "site": "site",
            "target": "target",
            "condition": "condition",
            "experimentId": "experiment_id",
        },
    ),
)
