"""Rows as JSON of the API: experiments and their parts, lists, segments, and the names of states."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import Any

from graphwright_upgrade_server._database import Prepared

Json = dict[str, Any]
Row = Sequence[Any]

PUBLIC_STATES = {"enrolling": "running", "enrollmentComplete": "paused", "cancelled": "completed"}
"""The names of states in answers, if they differ."""

INTERNAL = {shown: internal for internal, shown in PUBLIC_STATES.items()}

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
    """The name of a stored state in answers: `running` for `enrolling`."""
    return PUBLIC_STATES.get(state, state)


def internal_state(state: str) -> str:
    """The stored name of a state in either spelling: `enrolling` for `running`."""
    return INTERNAL.get(state, state)


STAMPS = ("createdAt", "updatedAt", "versionNumber")


def _column(name: str) -> str:
    return "".join(f"_{sign.lower()}" if sign.isupper() else sign for sign in name)


class Shape:
    """Columns of a table with their names in the API, and the conversions of their values to JSON.

    `names` are separated by spaces: `groupId` is the column `group_id`; if they differ more,
    `parentCondition=condition_id` has both. The stamps come first.
    """

    def __init__(self, table: str, names: str, read: Mapping[str, Callable[[Any], Any]] = MappingProxyType({})) -> None:
        pairs = [each.partition("=") for each in (*STAMPS, *names.split())]
        self._table = table
        self._columns = [f'{table}."{own or _column(name)}"' for name, _, own in pairs]
        self.size = len(pairs)
        self._names = tuple(name for name, _, _ in pairs)
        self._read = tuple((name, read[name]) for name in self._names if name in read)

    def select(self, rest: str, *more: str) -> Prepared:
        """A statement for the columns, and `more` after them; `rest` is what comes after the table."""
        return Prepared(f"SELECT {', '.join((*self._columns, *more))} FROM {self._table} {rest}")

    def grouped(self, rows: Iterable[Row]) -> dict[str, list[Json]]:
        """Rows as JSON, grouped by the one column after the columns of the shape."""
        found: defaultdict[str, list[Json]] = defaultdict(list)
        for row in rows:
            found[row[self.size]].append(self.json(row))
        return found

    def json(self, row: Row) -> Json:
        """A row that begins with the columns, as JSON."""
        shown = dict(zip(self._names, row, strict=False))
        for name, read in self._read:
            shown[name] = read(shown[name])
        return shown


def _json_list(text: str) -> list[Any]:
    found: list[Any] = json.loads(text) if text != "[]" else []
    return found


def _optional_json(text: str | None) -> Any:
    return None if text is None else json.loads(text)


def _number(value: float) -> float | int:
    """Whole numbers without a fraction, as in JavaScript."""
    return int(value) if value.is_integer() else value


EXPERIMENT = Shape(
    "experiment",
    "id name description context state startOn consistencyRule assignmentUnit postExperimentRule"
    " enrollmentCompleteCondition endOn revertTo tags group conditionOrder assignmentAlgorithm filterMode"
    " backendVersion type",
    {"context": lambda name: [name], "enrollmentCompleteCondition": _optional_json, "tags": _json_list},
)
"""With the internal name of the state."""

CONDITION = Shape(
    "condition",
    "id twoCharacterId name description conditionCode assignmentWeight order",
    {"assignmentWeight": _number},
)
PARTITION = Shape(
    "partition", "id twoCharacterId site target description order excludeIfReached", {"excludeIfReached": bool}
)
PAYLOAD = Shape(
    "condition_payload",
    "id parentCondition=condition_id decisionPoint=partition_id type=payload_type value=payload_value",
)
STATE_LOG = Shape("state_time_log", "id fromState toState timeLog")
"""With the internal names of the states."""

SEGMENT = Shape("segment", "id name description listType context type tags", {"tags": _optional_json})
INDIVIDUAL = Shape("segment_individual", "segmentId userId")
GROUP = Shape("segment_group", "segmentId groupId type")


def shown_log(log: Json) -> Json:
    """A state log with the states as answers name them."""
    return log | {"fromState": shown_state(log["fromState"]), "toState": shown_state(log["toState"])}


def payload_of_experiment(payload: Json) -> Json:
    """A payload as the experiment lists it."""
    return {
        **{name: payload[name] for name in (*STAMPS, "id", "parentCondition", "decisionPoint")},
        # Only version 6.4 has each of them twice; its clients may read either.
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
