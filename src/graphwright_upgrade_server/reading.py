"""Experiments as they are read: one, many or all of them, whole or in base shape, and searched by pages."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Sequence
from typing import Any

from sqlalchemy import Connection, bindparam, func, select, text

from graphwright_upgrade_server.database import Prepared
from graphwright_upgrade_server.members import segments_with_members
from graphwright_upgrade_server.shapes import (
    CONDITION,
    EXPERIMENT,
    PARTITION,
    PAYLOAD,
    STAMPS,
    STATE_LOG,
    Json,
    Shape,
    payload_of_condition,
    payload_of_experiment,
    shown_log,
    shown_state,
)
from graphwright_upgrade_server.tables import (
    condition,
    condition_payload,
    design_revision,
    exclusion,
    experiment,
    inclusion,
    partition,
    state_time_log,
)

# One statement for any number of ids: they come as one JSON text.
_IDS = select(text("value")).select_from(func.json_each(bindparam("ids")))

_REVISION = Prepared(select(design_revision.c.value))
_BY_ID = Prepared(EXPERIMENT.select().where(experiment.c.id == bindparam("id")))
_MANY = Prepared(EXPERIMENT.select().where(experiment.c.id.in_(_IDS)))
_ALL_IDS = Prepared(select(experiment.c.id).order_by(experiment.c.number))
_NAMES = Prepared(select(experiment.c.id, experiment.c.name).order_by(experiment.c.number))
_CONDITIONS = Prepared(
    CONDITION.select(condition.c.experiment_id)
    .where(condition.c.experiment_id.in_(_IDS))
    .order_by(condition.c.order, condition.c.number)
)
_PARTITIONS = Prepared(
    PARTITION.select(partition.c.experiment_id)
    .where(partition.c.experiment_id.in_(_IDS))
    .order_by(partition.c.order, partition.c.number)
)
_PAYLOADS = Prepared(
    PAYLOAD.select(condition.c.experiment_id)
    .join(condition, condition.c.id == condition_payload.c.condition_id)
    .where(condition.c.experiment_id.in_(_IDS))
    .order_by(condition_payload.c.number)
)
_LOGS = Prepared(
    STATE_LOG.select(state_time_log.c.experiment_id)
    .where(state_time_log.c.experiment_id.in_(_IDS))
    .order_by(state_time_log.c.number)
)

_LINK_NAMES = {**STAMPS, "segmentId": "segment_id", "experimentId": "experiment_id"}
LINKS = {
    "experimentSegmentInclusion": Shape(inclusion, _LINK_NAMES, {}),
    "experimentSegmentExclusion": Shape(exclusion, _LINK_NAMES, {}),
}
_LISTS = {
    name: Prepared(link.select().where(table.c.experiment_id.in_(_IDS)).order_by(table.c.number))
    for (name, link), table in zip(LINKS.items(), (inclusion, exclusion), strict=True)
}


def revision(connection: Connection) -> str:
    """A text that is another one whenever anything about the experiments and their lists has changed."""
    row = _REVISION.first(connection, {})
    return str(row[0]) if row is not None else ""


def stored(connection: Connection, experiment_id: str) -> Json | None:
    """The experiment without its parts, its state under the internal name; None where there is none."""
    row = _BY_ID.first(connection, {"id": experiment_id})
    return EXPERIMENT.json(row) if row is not None else None


def names(connection: Connection) -> list[Json]:
    """`[{id, name}]` of all experiments in creation order."""
    return [{"id": row[0], "name": row[1]} for row in _NAMES.all(connection, {})]


def all_ids(connection: Connection) -> list[str]:
    """The ids of all experiments in creation order."""
    return [row[0] for row in _ALL_IDS.all(connection, {})]


def conditions(connection: Connection, experiment_id: str) -> list[Json]:
    """The conditions of one experiment, by their order."""
    return [CONDITION.json(row) for row in _CONDITIONS.all(connection, _ids([experiment_id]))]


def partitions(connection: Connection, experiment_id: str) -> list[Json]:
    """The decision points of one experiment, by their order."""
    return [PARTITION.json(row) for row in _PARTITIONS.all(connection, _ids([experiment_id]))]


def payloads(connection: Connection, experiment_id: str) -> list[Json]:
    """The payloads of one experiment, with `type` and `value` beside the other fields."""
    return [PAYLOAD.json(row) for row in _PAYLOADS.all(connection, _ids([experiment_id]))]


def state_logs(connection: Connection, experiment_id: str) -> list[Json]:
    """The changes of state of one experiment as they happened, with internal names."""
    return [STATE_LOG.json(row) for row in _LOGS.all(connection, _ids([experiment_id]))]


def lists(connection: Connection, experiment_ids: Sequence[str]) -> dict[str, defaultdict[str, list[Json]]]:
    """The inclusion and exclusion lists: name of the field -> experiment id -> entries with their segment."""
    ids = _ids(experiment_ids)
    links = {name: [LINKS[name].json(row) for row in rows.all(connection, ids)] for name, rows in _LISTS.items()}
    segments = segments_with_members(connection, [link["segmentId"] for each in links.values() for link in each])
    found: dict[str, defaultdict[str, list[Json]]] = {}
    for name, each in links.items():
        found[name] = defaultdict(list)
        for link in each:
            link["segment"] = segments[link["segmentId"]]
            found[name][link["experimentId"]].append(link)
    return found


def whole(connection: Connection, experiment_ids: Sequence[str]) -> list[Json]:
    """The experiments of these ids with all their parts, in the order of the ids; ids of none are left out."""
    ids = _ids(experiment_ids)
    rows = {one["id"]: one for one in map(EXPERIMENT.json, _MANY.all(connection, ids))}
    parts_of = {
        name: _grouped(shape, statement.all(connection, ids))
        for name, shape, statement in (
            ("conditions", CONDITION, _CONDITIONS),
            ("partitions", PARTITION, _PARTITIONS),
            ("payloads", PAYLOAD, _PAYLOADS),
            ("logs", STATE_LOG, _LOGS),
        )
    }
    lists_of = lists(connection, experiment_ids)
    found = []
    for one in (rows[i] for i in experiment_ids if i in rows):
        parts: Any = {name: grouped.get(one["id"], []) for name, grouped in parts_of.items()}
        for part in parts["conditions"]:
            own = [payload_of_condition(p) for p in parts["payloads"] if p["parentCondition"] == part["id"]]
            part |= {"levelCombinationElements": [], "conditionPayloads": own}
        one["state"] = shown_state(one["state"])
        one["conditions"] = parts["conditions"]
        one["partitions"] = parts["partitions"]
        one["queries"] = []
        one["factors"] = []
        one["stateTimeLogs"] = [shown_log(log) for log in parts["logs"]]
        for name, entries in lists_of.items():
            one[name] = entries.get(one["id"], [])
        one["conditionPayloads"] = [payload_of_experiment(p) for p in parts["payloads"]]
        found.append(one)
    return found


def _grouped(shape: Shape, rows: Sequence[tuple[Any, ...]]) -> dict[str, list[Json]]:
    grouped: defaultdict[str, list[Json]] = defaultdict(list)
    for row in rows:
        grouped[row[shape.size]].append(shape.json(row))
    return grouped


def _ids(experiment_ids: Sequence[str]) -> dict[str, str]:
    return {"ids": json.dumps(experiment_ids)}
