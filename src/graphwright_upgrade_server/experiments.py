"""Creating, replacing and deleting experiments, and the routes that read them."""

from __future__ import annotations

import json
import secrets
import string
import uuid
from collections.abc import Iterable, Sequence
from typing import Any

from sqlalchemy import Connection, bindparam, delete, insert, select, update

from graphwright_upgrade_server import drafts, reading
from graphwright_upgrade_server.database import Prepared
from graphwright_upgrade_server.drafts import Draft, DraftCondition, DraftPartition
from graphwright_upgrade_server.failures import QUERY_FAILED, BadRequest, Failure, InvalidBody, InvalidParams
from graphwright_upgrade_server.lists import add_drafts, delete_lists
from graphwright_upgrade_server.routing import Call, encoded
from graphwright_upgrade_server.shapes import Json
from graphwright_upgrade_server.states import log_change
from graphwright_upgrade_server.tables import condition, condition_payload, experiment, now, partition
from graphwright_upgrade_server.validation import is_uuid


def _insert(table: Any) -> Prepared:
    return Prepared(insert(table).values({c.name: bindparam(c.name) for c in table.c if c.name != "number"}))


def _replace(table: Any) -> Prepared:
    fixed = ("number", "id", "experiment_id", "created_at", "version_number")
    changed: Json = {c.name: bindparam(c.name) for c in table.c if c.name not in fixed}
    return Prepared(update(table).where(table.c.id == bindparam("key")).values(changed))


_INSERT = _insert(experiment)
_INSERT_CONDITION = _insert(condition)
_INSERT_PARTITION = _insert(partition)
_INSERT_PAYLOAD = _insert(condition_payload)
_REPLACE = Prepared(
    update(experiment)
    .where(experiment.c.id == bindparam("key"))
    .values({c.name: bindparam(c.name) for c in experiment.c if c.name not in ("number", "id", "created_at")})
)
_REPLACE_CONDITION = _replace(condition)
_REPLACE_PARTITION = _replace(partition)
_DELETE = Prepared(delete(experiment).where(experiment.c.id == bindparam("id")))
_DELETE_CONDITION = Prepared(delete(condition).where(condition.c.id == bindparam("id")))
_DELETE_PARTITION = Prepared(delete(partition).where(partition.c.id == bindparam("id")))
_DELETE_PAYLOAD = Prepared(delete(condition_payload).where(condition_payload.c.id == bindparam("id")))
_OWNERS = [
    Prepared(select(table.c.experiment_id).where(table.c.id == bindparam("id"))) for table in (condition, partition)
]

_BATCH = 50
"""How many experiments are read at once for the list of all."""


def names(call: Call) -> list[Json]:
    """GET /experiments/names"""
    return reading.names(call.connection)


def every(call: Call) -> bytes:
    """GET /experiments"""
    connection = call.connection
    revision = reading.revision(connection)
    # Who polls the list should not have it read and written out each time: that takes a tenth of a second for 1,000.
    kept: tuple[str, bytes] | None = connection.info.get(__name__)
    if kept is None or kept[0] != revision:
        kept = connection.info[__name__] = (revision, _written_out(connection, reading.all_ids(connection)))
    return kept[1]


def _written_out(connection: Connection, ids: Sequence[str]) -> bytes:
    # In batches: the garbage collector goes through all objects again and again while they become many.
    batches = (ids[at : at + _BATCH] for at in range(0, len(ids), _BATCH))
    return b"[" + b",".join(encoded(reading.whole(connection, batch))[1:-1] for batch in batches) + b"]"


def single(call: Call) -> Json:
    """GET /experiments/single/{id}"""
    found = reading.whole(call.connection, [experiment_id(call)])
    if not found:
        raise unknown_experiment()
    (one,) = found
    for name in reading.LINKS if call.service.strict else ():
        one[name] = [entry for entry in one[name] if entry["segment"]["listType"] is not None]
    return one | {"stratificationFactor": None}


def create(call: Call) -> Json:
    """POST /experiments"""
    draft = drafts.read(call.body, call.service, replacing=False)
    connection, at = call.connection, now()
    made = draft.id or str(uuid.uuid4())
    if reading.stored(connection, made) is not None:
        raise BadRequest(f"There is an experiment with the id {made} already.")
    # What comes after the experiment is decided when its conditions have their ids: by a PUT.
    columns = draft.columns | {"post_experiment_rule": "continue", "revert_to": None}
    _INSERT.run(connection, _row(call, draft, columns) | {"id": made} | _stamps(at))
    taken: set[str] = set()
    condition_ids = {one.id: str(uuid.uuid4()) for one in draft.conditions}
    partition_ids = {one.id: str(uuid.uuid4()) for one in draft.partitions}
    for order, one in enumerate(draft.conditions, 1):
        values = _condition_row(one, order, taken) | {"experiment_id": made, "id": condition_ids[one.id]}
        _INSERT_CONDITION.run(connection, values | _stamps(at))
    taken.clear()
    for order, point in enumerate(draft.partitions, 1):
        values = _partition_row(point, order, taken) | {"experiment_id": made, "id": partition_ids[point.id]}
        _INSERT_PARTITION.run(connection, values | _stamps(at))
    for payload in draft.payloads or ():
        ids = condition_ids[payload.condition], partition_ids[payload.partition]
        _add_payload(connection, *ids, payload.type, payload.value, at)
    add_drafts(connection, made, draft, at)
    (one_whole,) = reading.whole(connection, [made])
    hidden = ("experimentSegmentInclusion", "experimentSegmentExclusion", "stateTimeLogs")
    answer = draft.extra | {name: value for name, value in one_whole.items() if name not in hidden}
    for part in answer["conditions"]:
        del part["levelCombinationElements"], part["conditionPayloads"]
    return answer


def replace(call: Call) -> Json:
    """PUT /experiments/{id}: all of it anew, but for its lists."""
    key = experiment_id(call)
    draft = drafts.read(call.body, call.service, replacing=True)
    connection, at = call.connection, now()
    before = reading.stored(connection, key)
    if before is None:
        raise _unknown(call, "Cannot read properties of undefined (reading 'state')")
    if draft.payloads is None:
        if call.service.strict:
            raise Failure(500, "Cannot read properties of undefined (reading 'reduce')", name="TypeError")
        raise InvalidBody("`conditionPayloads` is missing; it may be an empty list")
    columns = draft.columns
    if draft.context != before["context"][0]:
        # Lists belong to a context. Without them nobody is let in until somebody says whom.
        delete_lists(connection, key)
        columns = columns | {"filter_mode": "excludeAll"}
    stale = {
        "updated_at": draft.updated if draft.updated not in (None, before["updatedAt"]) else at,
        "version_number": draft.version
        if draft.version not in (None, before["versionNumber"])
        else before["versionNumber"] + 1,
    }
    old_codes = {one["id"]: one["conditionCode"] for one in reading.conditions(connection, key)}
    old_payloads = {one["id"]: one for one in reading.payloads(connection, key)}
    _REPLACE.run(connection, _row(call, draft, columns) | stale | {"key": key})
    _replace_parts(call, key, draft, at)
    _replace_payloads(connection, draft, old_codes, old_payloads, at)
    if draft.state != before["state"]:
        log_change(connection, key, before["state"], draft.state, at)
    return _after_replacing(connection, key)


def remove(call: Call) -> list[Json]:
    """DELETE /experiments/{id}: with its lists, enrolments and exclusions; visits stay."""
    key = experiment_id(call)
    found = reading.stored(call.connection, key)
    if found is None:
        raise Failure(404, "Experiment not found.", name="NotFoundException")
    delete_lists(call.connection, key)
    _DELETE.run(call.connection, {"id": key})
    return [found | {"stratificationFactorStratificationFactorName": None}]


def experiment_id(call: Call) -> str:
    """The `{id}` of the path. Raises InvalidParams where it is no UUID."""
    given = call.params["id"]
    if not is_uuid(given):
        raise InvalidParams("the id in the path must be a UUID")
    return given.lower()


def unknown_experiment() -> Failure:
    """404: there is no experiment with the id that was asked for."""
    return Failure(404, "Experiment not found!", QUERY_FAILED)


def _unknown(call: Call, original: str) -> Failure:
    return Failure(500, original, name="TypeError") if call.service.strict else unknown_experiment()


def _row(call: Call, draft: Draft, columns: Json) -> Json:
    counts = columns["enrollment_complete_condition"]
    return columns | {
        "context": draft.context.lower(),
        "state": draft.state,
        "backend_version": call.service.version,
        "tags": json.dumps(columns["tags"], ensure_ascii=False),
        "enrollment_complete_condition": json.dumps(counts) if counts is not None else None,
    }


def _stamps(at: str) -> Json:
    return {"created_at": at, "updated_at": at, "version_number": 1}


def _two_characters(given: str | None, taken: set[str]) -> str:
    letters = string.ascii_uppercase + string.digits
    while given is None or (given in taken and len(taken) < len(letters) ** 2):
        given = secrets.choice(letters) + secrets.choice(letters)
    taken.add(given)
    return given


def _condition_row(one: DraftCondition, order: int, taken: set[str]) -> Json:
    return {
        "two_character_id": _two_characters(one.two_character_id, taken),
        "name": one.name,
        "description": one.description,
        "condition_code": one.code,
        "assignment_weight": one.weight,
        "order": order,
    }


def _partition_row(one: DraftPartition, order: int, taken: set[str]) -> Json:
    return {
        "two_character_id": _two_characters(one.two_character_id, taken),
        "site": one.site,
        "target": one.target,
        "description": one.description,
        "order": order,
        "exclude_if_reached": one.exclude_if_reached,
    }


def _replace_parts(call: Call, key: str, draft: Draft, at: str) -> None:
    connection = call.connection
    old_conditions = {one["id"] for one in reading.conditions(connection, key)}
    old_partitions = {one["id"] for one in reading.partitions(connection, key)}
    _require_free(call, draft.conditions, old_conditions, draft.partitions, old_partitions)
    for gone in old_conditions - {one.id for one in draft.conditions}:
        _DELETE_CONDITION.run(connection, {"id": gone})
    for gone in old_partitions - {one.id for one in draft.partitions}:
        _DELETE_PARTITION.run(connection, {"id": gone})
    taken: set[str] = set()
    for order, one in enumerate(draft.conditions, 1):
        values = _condition_row(one, order, taken) | {"updated_at": at}
        if one.id in old_conditions:
            _REPLACE_CONDITION.run(connection, values | {"key": one.id})
        else:
            _INSERT_CONDITION.run(connection, values | {"id": one.id, "experiment_id": key} | _stamps(at))
    taken.clear()
    for order, point in enumerate(draft.partitions, 1):
        values = _partition_row(point, order, taken) | {"updated_at": at}
        if point.id in old_partitions:
            _REPLACE_PARTITION.run(connection, values | {"key": point.id})
        else:
            values["description"] = point.description or ""
            _INSERT_PARTITION.run(connection, values | {"id": point.id, "experiment_id": key} | _stamps(at))


def _require_free(
    call: Call,
    conditions: Iterable[DraftCondition],
    old_conditions: set[str],
    partitions: Iterable[DraftPartition],
    old_partitions: set[str],
) -> None:
    """Refuse new ids that another experiment has, and in `strict` mode what the original fails at."""
    new_partitions = [one for one in partitions if one.id not in old_partitions]
    new_ids = [one.id for one in conditions if one.id not in old_conditions] + [one.id for one in new_partitions]
    if call.service.strict and (
        not all(map(is_uuid, new_ids)) or any(one.description is None for one in new_partitions)
    ):
        message = 'Error in creating conditions, decision points, queries "updateExperimentInDB"'
        raise Failure(500, message, QUERY_FAILED, name="QueryFailedError")
    for new in new_ids:
        if any(owner.first(call.connection, {"id": new}) for owner in _OWNERS):
            raise BadRequest(f"The id {new} belongs to another experiment.")


def _replace_payloads(
    connection: Connection,
    draft: Draft,
    old_codes: dict[str, str],
    old: dict[str, Json],
    at: str,
) -> None:
    """Give each condition a payload at each point: the one sent, else its code."""
    for gone in old:
        _DELETE_PAYLOAD.run(connection, {"id": gone})
    codes = {one.id: one.code for one in draft.conditions}
    covered: set[tuple[str, str]] = set()
    for payload in draft.payloads or ():
        covered.add((payload.condition, payload.partition))
        value = payload.value
        stored = old.get(payload.id)
        # A payload that only repeated the code goes on repeating it.
        if stored is not None and value == stored["value"] == old_codes.get(payload.condition):
            value = codes[payload.condition]
        _add_payload(connection, payload.condition, payload.partition, payload.type, value, at, stored)
    for one in draft.conditions:
        for point in draft.partitions:
            if (one.id, point.id) not in covered:
                _add_payload(connection, one.id, point.id, "string", one.code, at)


def _add_payload(
    connection: Connection,
    condition_id: str,
    partition_id: str,
    kind: str,
    value: str,
    at: str,
    kept: Json | None = None,
) -> None:
    row = {"condition_id": condition_id, "partition_id": partition_id, "payload_type": kind, "payload_value": value}
    row |= {"id": kept["id"] if kept else str(uuid.uuid4())} | _stamps(at)
    _INSERT_PAYLOAD.run(connection, row | ({"created_at": kept["createdAt"]} if kept else {}))


def _after_replacing(connection: Connection, key: str) -> Json:
    """The answer to a PUT: parts as they were saved, with the experiment that they belong to."""
    (one,) = reading.whole(connection, [key])
    for part in one["conditions"]:
        del part["levelCombinationElements"], part["conditionPayloads"]
        part["experimentId"] = key
    for part in one["partitions"]:
        part["experimentId"] = key
    return one | {"stratificationFactor": None}
