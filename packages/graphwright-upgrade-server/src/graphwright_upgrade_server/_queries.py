"""Reading experiments: one, many or all, complete or in base shape, and searched by pages."""

from __future__ import annotations

import json
import re
from collections import defaultdict
from collections.abc import Sequence
from typing import Any

from graphwright_upgrade_server import _serialization as serialization
from graphwright_upgrade_server._database import SOME, Connection, Prepared
from graphwright_upgrade_server._routing import Call
from graphwright_upgrade_server._segments import segments_with_members
from graphwright_upgrade_server._serialization import PUBLIC_STATES, Json, Shape, shown_state
from graphwright_upgrade_server._validation import Checked, is_uuid

_OF = f"WHERE experiment_id {SOME} ORDER BY"

_REVISION = Prepared("SELECT value FROM design_revision")
_BY_ID = serialization.EXPERIMENT.select("WHERE id = :id")
_MANY = serialization.EXPERIMENT.select(f"WHERE id {SOME}")
_ALL_IDS = Prepared("SELECT id FROM experiment ORDER BY number")
_NAMES = Prepared("SELECT id, name FROM experiment ORDER BY number")
_CONDITIONS = serialization.CONDITION.select(f'{_OF} "order", number', "experiment_id")
_PARTITIONS = serialization.PARTITION.select(f'{_OF} "order", number', "experiment_id")
_PAYLOADS = serialization.PAYLOAD.select(
    f"JOIN condition ON condition.id = condition_id {_OF} condition_payload.number", "experiment_id"
)
_LOGS = serialization.STATE_LOG.select(f"{_OF} number", "experiment_id")

LINKS = {
    "experimentSegmentInclusion": Shape("inclusion", "segmentId experimentId"),
    "experimentSegmentExclusion": Shape("exclusion", "segmentId experimentId"),
}
_LISTS = {name: link.select(f"{_OF} number") for name, link in LINKS.items()}


def revision(connection: Connection) -> str:
    """A text that changes with every change of the experiments and their lists."""
    row = _REVISION.first(connection, {})
    return str(row[0]) if row is not None else ""


def stored(connection: Connection, experiment_id: str) -> Json | None:
    """The experiment without its parts, with the internal name of its state, or None."""
    row = _BY_ID.first(connection, {"id": experiment_id})
    return serialization.EXPERIMENT.json(row) if row is not None else None


def names(connection: Connection) -> list[Json]:
    """`[{id, name}]` of all experiments in creation order."""
    return [{"id": row[0], "name": row[1]} for row in _NAMES.all(connection, {})]


def all_ids(connection: Connection) -> list[str]:
    """The ids of all experiments in creation order."""
    return [row[0] for row in _ALL_IDS.all(connection, {})]


def conditions(connection: Connection, experiment_id: str) -> list[Json]:
    """The conditions of one experiment, by their order."""
    return [serialization.CONDITION.json(row) for row in _CONDITIONS.all(connection, _ids([experiment_id]))]


def partitions(connection: Connection, experiment_id: str) -> list[Json]:
    """The decision points of one experiment, by their order."""
    return [serialization.PARTITION.json(row) for row in _PARTITIONS.all(connection, _ids([experiment_id]))]


def payloads(connection: Connection, experiment_id: str) -> list[Json]:
    """The payloads of one experiment, with the fields `type` and `value`."""
    return [serialization.PAYLOAD.json(row) for row in _PAYLOADS.all(connection, _ids([experiment_id]))]


def state_logs(connection: Connection, experiment_id: str) -> list[Json]:
    """The changes of state of one experiment in order, with internal names."""
    return [serialization.STATE_LOG.json(row) for row in _LOGS.all(connection, _ids([experiment_id]))]


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
    """The experiments with these ids and all their parts, in the order of the ids; unknown ids are left out."""
    ids = _ids(experiment_ids)
    rows = {one["id"]: one for one in map(serialization.EXPERIMENT.json, _MANY.all(connection, ids))}
    parts_of = {
        name: shape.grouped(statement.all(connection, ids))
        for name, shape, statement in (
            ("conditions", serialization.CONDITION, _CONDITIONS),
            ("partitions", serialization.PARTITION, _PARTITIONS),
            ("payloads", serialization.PAYLOAD, _PAYLOADS),
            ("logs", serialization.STATE_LOG, _LOGS),
        )
    }
    lists_of = lists(connection, experiment_ids)
    found = []
    for one in (rows[i] for i in experiment_ids if i in rows):
        parts: Any = {name: grouped.get(one["id"], []) for name, grouped in parts_of.items()}
        for part in parts["conditions"]:
            own = [
                serialization.payload_of_condition(p) for p in parts["payloads"] if p["parentCondition"] == part["id"]
            ]
            part |= {"levelCombinationElements": [], "conditionPayloads": own}
        one["state"] = shown_state(one["state"])
        one["conditions"] = parts["conditions"]
        one["partitions"] = parts["partitions"]
        one["queries"] = []
        one["factors"] = []
        one["stateTimeLogs"] = [serialization.shown_log(log) for log in parts["logs"]]
        for name, entries in lists_of.items():
            one[name] = entries.get(one["id"], [])
        one["conditionPayloads"] = [serialization.payload_of_experiment(p) for p in parts["payloads"]]
        found.append(one)
    return found


def _ids(experiment_ids: Sequence[str]) -> dict[str, str]:
    return {"ids": json.dumps(experiment_ids)}


_STATE_CASES = " ".join(f"WHEN '{name}' THEN '{shown}'" for name, shown in PUBLIC_STATES.items())
_STATE = f"CASE state {_STATE_CASES} ELSE state END"
_SEARCHED = {
    "name": ("name",),
    # A user may search for the displayed name `running` or the internal name `enrolling`.
    "status": ("state", _STATE),
    "tag": ("tags",),
    "context": ("context",),
    "id": ("id",),
}
_SORTED = {
    "name": "lower(name)",
    "state": _STATE,
    "updatedAt": "updated_at",
    "postExperimentRule": "post_experiment_rule",
}
MOST = 1_000_000
"""The maximum of `skip` and `take`."""
LONGEST = 1000
"""The maximum length of a searched text, in characters: SQLite rejects patterns of some ten thousand."""


def paginated(call: Call) -> Json:
    """POST /experiments/paginated {skip, take, searchParams?, sortParams?}"""
    body = Checked(call.body)
    skip, take = (_count(body, name) for name in ("skip", "take"))
    where, order, pattern = "", "", ""
    if body.has("searchParams"):
        search = body.object("searchParams")
        key = search.one_of("key", ("all", *_SEARCHED))
        wanted = search.text("string")
        if len(wanted) > LONGEST:
            search.note("string", f"must not be longer than {LONGEST} characters")
        columns = _SEARCHED[key] if key in _SEARCHED else [c for group in _SEARCHED.values() for c in group]
        # A real server ignores a search for an invalid id.
        if key != "id" or is_uuid(wanted) or not call.service.strict:
            where = "WHERE " + " OR ".join(f"{column} LIKE :pattern ESCAPE '/'" for column in columns)
            pattern = "%" + re.sub("([%_/])", r"/\1", wanted) + "%"
    if body.has("sortParams"):
        sort = body.object("sortParams")
        column = _SORTED[sort.one_of("key", tuple(_SORTED))]
        order = f"{column} {sort.one_of('sortAs', ('ASC', 'DESC'))}, "
    body.refuse()
    found = call.connection.execute(f"SELECT id FROM experiment {where} ORDER BY {order}number", {"pattern": pattern})
    ids = [id for (id,) in found]
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
