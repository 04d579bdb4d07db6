"""Creating, replacing and deleting experiments, changing their states, and the routes that read them."""

from __future__ import annotations

import json
import secrets
import string
import uuid
from collections.abc import Callable, Sequence
from dataclasses import asdict

from graphwright_upgrade_server import _drafts as drafts
from graphwright_upgrade_server import _enrollments as enrollments
from graphwright_upgrade_server import _queries as queries
from graphwright_upgrade_server._database import Connection, Prepared, insert_into, update_of
from graphwright_upgrade_server._drafts import Draft, DraftCondition, DraftPartition
from graphwright_upgrade_server._lists import add_drafts, delete_lists
from graphwright_upgrade_server._routing import Call, encoded, path_id
from graphwright_upgrade_server._serialization import INTERNAL, STATES, Json, internal_state, shown_log, shown_state
from graphwright_upgrade_server._tables import now, stamps
from graphwright_upgrade_server._validation import Checked, is_uuid
from graphwright_upgrade_server.failures import QUERY_FAILED, BadRequest, Failure, InvalidBody, OutOfScope


class _Parts:
    """The conditions, or the decision points, of experiments: how they are written and read."""

    def __init__(self, table: str, read: Callable[[Connection, str], list[Json]]) -> None:
        self.read = read
        self.insert = insert_into(table)
        self.change = update_of(table, "experiment_id", "version_number")
        self.delete = Prepared(f"DELETE FROM {table} WHERE id = :id")
        self.owner = Prepared(f"SELECT experiment_id FROM {table} WHERE id = :id")


_CONDITIONS = _Parts("condition", queries.conditions)
_POINTS = _Parts("partition", queries.partitions)

_INSERT = insert_into("experiment")
_INSERT_PAYLOAD = insert_into("condition_payload")
_REPLACE = update_of("experiment")
_DELETE = Prepared("DELETE FROM experiment WHERE id = :id")
_DELETE_PAYLOADS = Prepared(
    "DELETE FROM condition_payload WHERE condition_id IN (SELECT id FROM condition WHERE experiment_id = :id)"
)

_BATCH = 50
"""The number of experiments that are read at once for the list of all."""


def names(call: Call) -> list[Json]:
    """GET /experiments/names"""
    return queries.names(call.connection)


def every(call: Call) -> bytes:
    """GET /experiments"""
    connection = call.connection
    revision = queries.revision(connection)
    # The list is cached for polling clients, because reading and writing it takes a tenth of a second for 1,000.
    kept: tuple[str, bytes] | None = connection.info.get(__name__)
    if kept is None or kept[0] != revision:
        kept = connection.info[__name__] = (revision, _written_out(connection, queries.all_ids(connection)))
    return kept[1]


def _written_out(connection: Connection, ids: Sequence[str]) -> bytes:
    # In batches: otherwise the garbage collector scans the growing number of objects again and again.
    batches = (ids[at : at + _BATCH] for at in range(0, len(ids), _BATCH))
    return b"[" + b",".join(encoded(queries.whole(connection, batch))[1:-1] for batch in batches) + b"]"


def single(call: Call) -> Json:
    """GET /experiments/single/{id}"""
    found = queries.whole(call.connection, [path_id(call)])
    if not found:
        raise _unknown(call)
    (one,) = found
    for name in queries.LINKS if call.service.strict else ():
        one[name] = [entry for entry in one[name] if entry["segment"]["listType"] is not None]
    return one | {"stratificationFactor": None}


def create(call: Call) -> Json:
    """POST /experiments"""
    draft = drafts.read(call.body, call.service, replacing=False)
    connection, at = call.connection, now()
    made = draft.id or str(uuid.uuid4())
    if queries.stored(connection, made) is not None:
        raise BadRequest(f"There is an experiment with the id {made} already.")
    # The rule after the experiment refers to ids of conditions, so it can only be set later by a PUT.
    columns = draft.columns | {"post_experiment_rule": "continue", "revert_to": None}
    _INSERT.run(connection, _row(call, draft, columns) | {"id": made} | stamps(at))
    new_ids: list[dict[str, str]] = []
    for kind, parts in _parts_of(draft):
        new_ids.append({part.id: str(uuid.uuid4()) for part in parts})
        for part, row in zip(parts, _rows(parts), strict=True):
            kind.insert.run(connection, row | {"experiment_id": made, "id": new_ids[-1][part.id]} | stamps(at))
    condition_ids, partition_ids = new_ids
    for payload in draft.payloads or ():
        ids = condition_ids[payload.condition], partition_ids[payload.partition]
        _add_payload(connection, *ids, payload.type, payload.value, at)
    add_drafts(connection, made, draft, at)
    (one_whole,) = queries.whole(connection, [made])
    hidden = ("experimentSegmentInclusion", "experimentSegmentExclusion", "stateTimeLogs")
    answer = draft.extra | {name: value for name, value in one_whole.items() if name not in hidden}
    for part in answer["conditions"]:
        del part["levelCombinationElements"], part["conditionPayloads"]
    return answer


def replace(call: Call) -> Json:
    """PUT /experiments/{id}: replaces everything, except its lists."""
    key = path_id(call)
    draft = drafts.read(call.body, call.service, replacing=True)
    connection, at = call.connection, now()
    before = queries.stored(connection, key)
    if before is None:
        raise _unknown(call, "Cannot read properties of undefined (reading 'state')")
    if draft.payloads is None:
        if call.service.strict:
            raise Failure(500, "Cannot read properties of undefined (reading 'reduce')", name="TypeError")
        raise InvalidBody("`conditionPayloads` is missing; it may be an empty list")
    columns = draft.columns
    if draft.context != before["context"][0]:
        # Lists belong to a context. Without them no one is included until new lists are added.
        delete_lists(connection, key)
        columns = columns | {"filter_mode": "excludeAll"}
    stale = {
        "updated_at": draft.updated if draft.updated not in (None, before["updatedAt"]) else at,
        "version_number": draft.version
        if draft.version not in (None, before["versionNumber"])
        else before["versionNumber"] + 1,
    }
    old_codes = {one["id"]: one["conditionCode"] for one in queries.conditions(connection, key)}
    old_payloads = {one["id"]: one for one in queries.payloads(connection, key)}
    _REPLACE.run(connection, _row(call, draft, columns) | stale | {"key": key})
    _replace_parts(call, key, draft, at)
    _replace_payloads(connection, key, draft, old_codes, old_payloads, at)
    if draft.state != before["state"]:
        log_change(connection, key, before["state"], draft.state, at)
    return _after_replacing(connection, key)


def remove(call: Call) -> list[Json]:
    """DELETE /experiments/{id}: with its lists, enrolments and exclusions; visits are kept."""
    key = path_id(call)
    found = queries.stored(call.connection, key)
    if found is None:
        raise Failure(404, "Experiment not found.", name="NotFoundException")
    delete_lists(call.connection, key)
    _DELETE.run(call.connection, {"id": key})
    return [found | {"stratificationFactorStratificationFactorName": None}]


def _unknown(call: Call, original: str = "") -> Failure:
    if original and call.service.strict:
        return Failure(500, original, name="TypeError")
    return Failure(404, "Experiment not found!", QUERY_FAILED)


def _row(call: Call, draft: Draft, columns: Json) -> Json:
    counts = columns["enrollment_complete_condition"]
    return columns | {
        "context": draft.context.lower(),
        "state": draft.state,
        "backend_version": call.service.version,
        "tags": json.dumps(columns["tags"], ensure_ascii=False),
        "enrollment_complete_condition": json.dumps(counts) if counts is not None else None,
    }


def _parts_of(draft: Draft) -> tuple[tuple[_Parts, Sequence[DraftCondition | DraftPartition]], ...]:
    return (_CONDITIONS, draft.conditions), (_POINTS, draft.partitions)


def _rows(parts: Sequence[DraftCondition | DraftPartition]) -> list[Json]:
    """The parts as rows: each with its place, and unique two characters as far as possible."""
    rows: list[Json] = []
    letters, taken = string.ascii_uppercase + string.digits, set[str]()
    for order, part in enumerate(parts, 1):
        sign = part.two_character_id
        while sign is None or (sign in taken and len(taken) < len(letters) ** 2):
            sign = secrets.choice(letters) + secrets.choice(letters)
        taken.add(sign)
        rows.append(asdict(part) | {"two_character_id": sign, "order": order})
    return rows


def _replace_parts(call: Call, key: str, draft: Draft, at: str) -> None:
    connection = call.connection
    old = {kind: {one["id"] for one in kind.read(connection, key)} for kind, _ in _parts_of(draft)}
    for kind, parts in _parts_of(draft):
        _require_free(call, kind, [part for part in parts if part.id not in old[kind]])
    for kind, parts in _parts_of(draft):
        for gone in old[kind] - {part.id for part in parts}:
            kind.delete.run(connection, {"id": gone})
        for row in _rows(parts):
            if row["id"] in old[kind]:
                kind.change.run(connection, row | {"updated_at": at, "key": row["id"]})
            else:
                own = {"description": row["description"] or ""} if kind is _POINTS else {}
                kind.insert.run(connection, row | own | {"experiment_id": key} | stamps(at))


def _require_free(call: Call, kind: _Parts, new: Sequence[DraftCondition | DraftPartition]) -> None:
    """Reject new ids that another experiment has, and in `strict` mode bodies on which the original fails."""
    nameless = kind is _POINTS and any(part.description is None for part in new)
    if call.service.strict and (nameless or not all(is_uuid(part.id) for part in new)):
        message = 'Error in creating conditions, decision points, queries "updateExperimentInDB"'
        raise Failure(500, message, QUERY_FAILED, name="QueryFailedError")
    for part in new:
        if any(each.owner.first(call.connection, {"id": part.id}) for each in (_CONDITIONS, _POINTS)):
            raise BadRequest(f"The id {part.id} belongs to another experiment.")


def _replace_payloads(
    connection: Connection, key: str, draft: Draft, old_codes: dict[str, str], old: dict[str, Json], at: str
) -> None:
    """Store a payload for each condition at each point: the one sent, or the code of the condition."""
    _DELETE_PAYLOADS.run(connection, {"id": key})
    codes = {one.id: one.condition_code for one in draft.conditions}
    places = {(one.id, point.id) for one in draft.conditions for point in draft.partitions}
    for payload in draft.payloads or ():
        places.discard((payload.condition, payload.partition))
        stored = old.get(payload.id)
        # A payload that only repeated the code continues to repeat it.
        repeats = stored is not None and payload.value == stored["value"] == old_codes.get(payload.condition)
        value = codes[payload.condition] if repeats else payload.value
        _add_payload(connection, payload.condition, payload.partition, payload.type, value, at, stored)
    for one in draft.conditions:
        for point in draft.partitions:
            if (one.id, point.id) in places:
                _add_payload(connection, one.id, point.id, "string", one.condition_code, at)


def _add_payload(
    connection: Connection, condition_id: str, point_id: str, kind: str, value: str, at: str, kept: Json | None = None
) -> None:
    row = {"condition_id": condition_id, "partition_id": point_id, "payload_type": kind, "payload_value": value}
    same = {"id": kept["id"], "created_at": kept["createdAt"]} if kept else {"id": str(uuid.uuid4())}
    _INSERT_PAYLOAD.run(connection, row | stamps(at) | same)


def _after_replacing(connection: Connection, key: str) -> Json:
    """The answer to a PUT: parts as they were saved, with the experiment that they belong to."""
    (one,) = queries.whole(connection, [key])
    for part in one["conditions"]:
        del part["levelCombinationElements"], part["conditionPayloads"]
        part["experimentId"] = key
    for part in one["partitions"]:
        part["experimentId"] = key
    return one | {"stratificationFactor": None}


_SET = Prepared(
    "UPDATE experiment SET state = :state, updated_at = :at, version_number = version_number + 1 WHERE id = :id"
)
_LOG = insert_into("state_time_log")


def change_state(call: Call) -> Json:
    """POST /experiments/state"""
    body = Checked(call.body)
    key = body.uuid("experimentId")
    state = internal_state(body.one_of("state", (*STATES, *INTERNAL)))
    body.refuse()
    if state == "scheduled":
        raise OutOfScope("a scheduled start")
    connection = call.connection
    before = queries.stored(connection, key or "")
    if before is None:
        raise _unknown(call, "Cannot read properties of null (reading 'context')")
    parts = {"partitions": queries.partitions(connection, before["id"]), "queries": []}
    logs = queries.state_logs(connection, before["id"])
    if state == "enrolling" and before["state"] != "enrollmentComplete":
        enrollments.enter_enrolling(connection, before["id"])
    at = now()
    _SET.run(connection, {"id": before["id"], "state": state, "at": at})
    entry = log_change(connection, before["id"], before["state"], state, at)
    entry["experiment"] = before | {"stateTimeLogs": logs} | parts
    shown_logs = [shown_log(log) for log in (*logs, entry)]
    # The stamps are those from before the change, as in the original.
    return before | {"state": shown_state(state), "stateTimeLogs": shown_logs} | parts


def log_change(connection: Connection, experiment_id: str, old: str, new: str, at: str) -> Json:
    """Log the change of the state from `old` to `new` (internal names), and return the entry as in the log."""
    entry = {"id": str(uuid.uuid4()), "from_state": old, "to_state": new, "time_log": at}
    _LOG.run(connection, {**entry, "experiment_id": experiment_id, **stamps(at)})
    return queries.state_logs(connection, experiment_id)[-1]
