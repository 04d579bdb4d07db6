"""Rows as the wire shows them: experiments and their parts, lists, segments, and the names of states."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from sqlalchemy import Column, Select, Table, select

from graphwright_upgrade_server.tables import (
    condition,
    condition_payload,
    experiment,
    partition,
    segment,
    segment_group,
    segment_individual,
    state_time_log,
)

Json = dict[str, Any]
Row = Sequence[Any]

SHOWN = {"enrolling": "running", "enrollmentComplete": "paused", "cancelled": "completed"}
"""How answers call a state, where they use a name of their own."""

INTERNAL = {shown: internal for internal, shown in SHOWN.items()}

STATES = (
    "inactive",
    "scheduled",
    "preview",
    "enrolling",
    "enrollmentComplete",
    "cancelled",
    "archived",
    "draft",
)


def shown_state(state: str) -> str:
    """A stored state as answers name it: `running` for `enrolling`."""
    return SHOWN.get(state, state)


def internal_state(state: str) -> str:
    """A state of either spelling as it is stored: `enrolling` for `running`."""
    return INTERNAL.get(state, state)


class Shape:
    """Columns of a table under the names that they have on the wire, and what makes their values JSON."""

    def __init__(self, table: Table, names: Mapping[str, str], read: Mapping[str, Callable[[Any], Any]]) -> None:
        self.columns: tuple[Column[Any], ...] = tuple(table.c[column] for column in names.values())
        self.size = len(self.columns)
        self._names = tuple(names)
        self._read = tuple((name, read[name]) for name in names if name in read)

    def select(self, *more: Column[Any]) -> Select[Any]:
        """A statement for the columns, and `more` after them."""
        return select(*self.columns, *more)

    def json(self, row: Row) -> Json:
        """A row that begins with the columns, as JSON."""
        shown = dict(zip(self._names, row, strict=False))
        for name, read in self._read:
            shown[name] = read(shown[name])
        return shown


STAMPS = {"createdAt": "created_at", "updatedAt": "updated_at", "versionNumber": "version_number"}


def _json_list(text: str) -> list[Any]:
    found: list[Any] = json.loads(text) if text != "[]" else []
    return found


def _optional_json(text: str | None) -> Any:
    return None if text is None else json.loads(text)


def _number(value: float) -> float | int:
    """Whole numbers without a fraction, as JavaScript writes them."""
    return int(value) if value.is_integer() else value


EXPERIMENT = Shape(
    experiment,
    {
        **STAMPS,
        "id": "id",
        "name": "name",
        "description": "description",
        "context": "context",
        "state": "state",
        "startOn": "start_on",
        "consistencyRule": "consistency_rule",
        "assignmentUnit": "assignment_unit",
        "postExperimentRule": "post_experiment_rule",
        "enrollmentCompleteCondition": "enrollment_complete_condition",
        "endOn": "end_on",
        "revertTo": "revert_to",
        "tags": "tags",
        "group": "group",
        "conditionOrder": "condition_order",
        "assignmentAlgorithm": "assignment_algorithm",
        "filterMode": "filter_mode",
        "backendVersion": "backend_version",
        "type": "type",
    },
    {
        "context": lambda name: [name],
        "enrollmentCompleteCondition": _optional_json,
        "tags": _json_list,
    },
)
"""With the internal name of the state."""

CONDITION = Shape(
    condition,
    {
        **STAMPS,
        "id": "id",
        "twoCharacterId": "two_character_id",
        "name": "name",
        "description": "description",
        "conditionCode": "condition_code",
        "assignmentWeight": "assignment_weight",
        "order": "order",
    },
    {"assignmentWeight": _number},
)

PARTITION = Shape(
    partition,
    {
        **STAMPS,
        "id": "id",
        "twoCharacterId": "two_character_id",
        "site": "site",
        "target": "target",
        "description": "description",
        "order": "order",
        "excludeIfReached": "exclude_if_reached",
    },
    {"excludeIfReached": bool},
)

PAYLOAD = Shape(
    condition_payload,
    {
        **STAMPS,
        "id": "id",
        "parentCondition": "condition_id",
        "decisionPoint": "partition_id",
        "type": "payload_type",
        "value": "payload_value",
    },
    {},
)

STATE_LOG = Shape(
    state_time_log,
    {**STAMPS, "id": "id", "fromState": "from_state", "toState": "to_state", "timeLog": "time_log"},
    {},
)
"""With the internal names of the states."""

SEGMENT = Shape(
    segment,
    {
        **STAMPS,
        "id": "id",
        "name": "name",
        "description": "description",
        "listType": "list_type",
        "context": "context",
        "type": "type",
        "tags": "tags",
    },
    {"tags": _optional_json},
)

INDIVIDUAL = Shape(segment_individual, {**STAMPS, "segmentId": "segment_id", "userId": "user_id"}, {})
GROUP = Shape(segment_group, {**STAMPS, "segmentId": "segment_id", "groupId": "group_id", "type": "type"}, {})


def shown_log(log: Json) -> Json:
    """A state log with the states as answers name them."""
    return log | {"fromState": shown_state(log["fromState"]), "toState": shown_state(log["toState"])}


def payload_of_experiment(payload: Json) -> Json:
    """A payload as the experiment lists it."""
    return {
        **{name: payload[name] for name in (*STAMPS, "id", "parentCondition", "decisionPoint")},
        # Only 6.4 says each of them twice; clients of it may read either.
        "parentConditionId": payload["parentCondition"],
        "decisionPointId": payload["decisionPoint"],
        "payload": {"type": payload["type"], "value": payload["value"]},
    }


def payload_of_condition(payload: Json) -> Json:
    """A payload as its condition lists it."""
    return {
        **{name: payload[name] for name in (*STAMPS, "id")},
        "payloadType": payload["type"],
        "payloadValue": payload["value"],
    }
