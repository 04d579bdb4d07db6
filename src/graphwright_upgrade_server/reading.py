"""Experiments as they are read: one, many or all of them, whole or in base shape, and searched by pages."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Sequence
from typing import Any

from sqlalchemy import Connection, String, bindparam, case, cast, func, or_, select, text

from graphwright_upgrade_server import shapes, tables
from graphwright_upgrade_server.database import Prepared
from graphwright_upgrade_server.routing import Call
from graphwright_upgrade_server.segments import segments_with_members
from graphwright_upgrade_server.shapes import SHOWN, Json, Shape, shown_state
from graphwright_upgrade_server.validation import Checked, is_uuid

# One statement for any number of ids: they come as one JSON text.
_IDS = select(text("value")).select_from(func.json_each(bindparam("ids")))

_REVISION = Prepared(select(tables.design_revision.c.value))
_BY_ID = Prepared(shapes.EXPERIMENT.select().where(tables.experiment.c.id == bindparam("id")))
_MANY = Prepared(shapes.EXPERIMENT.select().where(tables.experiment.c.id.in_(_IDS)))
_ALL_IDS = Prepared(select(tables.experiment.c.id).order_by(tables.experiment.c.number))
_NAMES = Prepared(select(tables.experiment.c.id, tables.experiment.c.name).order_by(tables.experiment.c.number))
_CONDITIONS = Prepared(
    shapes.CONDITION.select(tables.condition.c.experiment_id)
    .where(tables.condition.c.experiment_id.in_(_IDS))
    .order_by(tables.condition.c.order, tables.condition.c.number)
)
_PARTITIONS = Prepared(
    shapes.PARTITION.select(tables.partition.c.experiment_id)
    .where(tables.partition.c.experiment_id.in_(_IDS))
    .order_by(tables.partition.c.order, tables.partition.c.number)
)
_PAYLOADS = Prepared(
    shapes.PAYLOAD.select(tables.condition.c.experiment_id)
    .join(tables.condition, tables.condition.c.id == tables.condition_payload.c.condition_id)
    .where(tables.condition.c.experiment_id.in_(_IDS))
    .order_by(tables.condition_payload.c.number)
)
_LOGS = Prepared(
    shapes.STATE_LOG.select(tables.state_time_log.c.experiment_id)
    .where(tables.state_time_log.c.experiment_id.in_(_IDS))
    .order_by(tables.state_time_log.c.number)
)

LINKS = {
    "experimentSegmentInclusion": Shape(tables.inclusion, "segmentId experimentId"),
    "experimentSegmentExclusion": Shape(tables.exclusion, "segmentId experimentId"),
}
_LISTS = {
    name: Prepared(link.select().where(table.c.experiment_id.in_(_IDS)).order_by(table.c.number))
    for (name, link), table in zip(LINKS.items(), (tables.inclusion, tables.exclusion), strict=True)
}


def revision(connection: Connection) -> str:
    """A text that is another one whenever anything about the experiments and their lists has changed."""
    row = _REVISION.first(connection, {})
    return str(row[0]) if row is not None else ""


def stored(connection: Connection, experiment_id: str) -> Json | None:
    """The experiment without its parts, its state under the internal name; None where there is none."""
    row = _BY_ID.first(connection, {"id": experiment_id})
    return shapes.EXPERIMENT.json(row) if row is not None else None


def names(connection: Connection) -> list[Json]:
    """`[{id, name}]` of all experiments in creation order."""
    return [{"id": row[0], "name": row[1]} for row in _NAMES.all(connection, {})]


def all_ids(connection: Connection) -> list[str]:
    """The ids of all experiments in creation order."""
    return [row[0] for row in _ALL_IDS.all(connection, {})]


def conditions(connection: Connection, experiment_id: str) -> list[Json]:
    """The conditions of one experiment, by their order."""
    return [shapes.CONDITION.json(row) for row in _CONDITIONS.all(connection, _ids([experiment_id]))]


def partitions(connection: Connection, experiment_id: str) -> list[Json]:
    """The decision points of one experiment, by their order."""
    return [shapes.PARTITION.json(row) for row in _PARTITIONS.all(connection, _ids([experiment_id]))]


def payloads(connection: Connection, experiment_id: str) -> list[Json]:
    """The payloads of one experiment, with `type` and `value` beside the other fields."""
    return [shapes.PAYLOAD.json(row) for row in _PAYLOADS.all(connection, _ids([experiment_id]))]


def state_logs(connection: Connection, experiment_id: str) -> list[Json]:
    """The changes of state of one experiment as they happened, with internal names."""
    return [shapes.STATE_LOG.json(row) for row in _LOGS.all(connection, _ids([experiment_id]))]


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
    rows = {one["id"]: one for one in map(shapes.EXPERIMENT.json, _MANY.all(connection, ids))}
    parts_of = {
        name: shape.grouped(statement.all(connection, ids))
        for name, shape, statement in (
            ("conditions", shapes.CONDITION, _CONDITIONS),
            ("partitions", shapes.PARTITION, _PARTITIONS),
            ("payloads", shapes.PAYLOAD, _PAYLOADS),
            ("logs", shapes.STATE_LOG, _LOGS),
        )
    }
    lists_of = lists(connection, experiment_ids)
    found = []
    for one in (rows[i] for i in experiment_ids if i in rows):
        parts: Any = {name: grouped.get(one["id"], []) for name, grouped in parts_of.items()}
        for part in parts["conditions"]:
            own = [shapes.payload_of_condition(p) for p in parts["payloads"] if p["parentCondition"] == part["id"]]
            part |= {"levelCombinationElements": [], "conditionPayloads": own}
        one["state"] = shown_state(one["state"])
        one["conditions"] = parts["conditions"]
        one["partitions"] = parts["partitions"]
        one["queries"] = []
        one["factors"] = []
        one["stateTimeLogs"] = [shapes.shown_log(log) for log in parts["logs"]]
        for name, entries in lists_of.items():
            one[name] = entries.get(one["id"], [])
        one["conditionPayloads"] = [shapes.payload_of_experiment(p) for p in parts["payloads"]]
        found.append(one)
    return found


def _ids(experiment_ids: Sequence[str]) -> dict[str, str]:
    return {"ids": json.dumps(experiment_ids)}


_STATE = case(SHOWN, value=tables.experiment.c.state, else_=tables.experiment.c.state)
_SEARCHED: dict[str, tuple[Any, ...]] = {
    "name": (tables.experiment.c.name,),
    # Whoever searches has read `running` somewhere, or writes `enrolling`.
    "status": (tables.experiment.c.state, _STATE),
    "tag": (tables.experiment.c.tags,),
    "context": (tables.experiment.c.context,),
    "id": (tables.experiment.c.id,),
}
_SORTED = {
    "name": func.lower(tables.experiment.c.name),
    "state": _STATE,
    "updatedAt": tables.experiment.c.updated_at,
    "postExperimentRule": tables.experiment.c.post_experiment_rule,
}
MOST = 1_000_000
"""The largest `skip` and `take`."""
LONGEST = 1000
"""The longest text to search for, in characters: SQLite refuses patterns of some ten thousand."""


def paginated(call: Call) -> Json:
    """POST /experiments/paginated {skip, take, searchParams?, sortParams?}"""
    body = Checked(call.body)
    skip, take = (_count(body, name) for name in ("skip", "take"))
    statement = select(tables.experiment.c.id)
    if body.has("searchParams"):
        search = body.object("searchParams")
        key = search.one_of("key", ("all", *_SEARCHED))
        wanted = search.text("string")
        if len(wanted) > LONGEST:
            search.note("string", f"must not be longer than {LONGEST} characters")
        columns = _SEARCHED[key] if key in _SEARCHED else [c for group in _SEARCHED.values() for c in group]
        # A real server takes no notice of a search for an id that is none.
        if key != "id" or is_uuid(wanted) or not call.service.strict:
            statement = statement.where(or_(*(cast(c, String).icontains(wanted, autoescape=True) for c in columns)))
    if body.has("sortParams"):
        sort = body.object("sortParams")
        column = _SORTED[sort.one_of("key", tuple(_SORTED))]
        statement = statement.order_by(column.desc() if sort.one_of("sortAs", ("ASC", "DESC")) == "DESC" else column)
    body.refuse()
    ids = list(call.connection.scalars(statement.order_by(tables.experiment.c.number)))
    return {
        "total": len(ids),
        "nodes": whole(call.connection, ids[skip : skip + take]),
        "skip": skip,
        "take": take,
    }


def _count(body: Checked, name: str) -> int:
    value = body.whole_number(name)
    if not 0 <= value <= MOST:
        body.note(name, f"must be from 0 to {MOST}")
    return value
