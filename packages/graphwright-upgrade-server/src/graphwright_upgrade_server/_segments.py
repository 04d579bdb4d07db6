"""Segments: their members, written and read for many segments at once, and the global exclude of each context."""

from __future__ import annotations

import json
import uuid
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from graphwright_upgrade_server._database import SOME, Connection, Prepared, insert_into
from graphwright_upgrade_server._routing import Call, Service
from graphwright_upgrade_server._serialization import GROUP, INDIVIDUAL, SEGMENT, Json
from graphwright_upgrade_server._tables import now, stamps
from graphwright_upgrade_server._validation import Checked
from graphwright_upgrade_server.failures import BadRequest, InvalidBody


@dataclass(frozen=True, slots=True)
class Members:
    """The members of a segment: `users`, `groups` as (type, id), and ids of other `segments`, without duplicates."""

    users: tuple[str, ...] = ()
    groups: tuple[tuple[str, str], ...] = ()
    segments: tuple[str, ...] = ()

    @classmethod
    def of(cls, users: Iterable[str], groups: Iterable[tuple[str, str]], segments: Iterable[str]) -> Members:
        """The members, each once, in the given order."""
        return cls(tuple(dict.fromkeys(users)), tuple(dict.fromkeys(groups)), tuple(dict.fromkeys(segments)))

    def list_type(self) -> str | None:
        """The type of a list with these members: `individual`, a group type or `segment`; None if mixed or empty."""
        kinds = {"individual"} if self.users else set[str]()
        kinds |= {kind for kind, _ in self.groups}
        if self.segments:
            kinds.add("segment")
        return kinds.pop() if len(kinds) == 1 else None


_INSERT_SEGMENT_ROW = insert_into("segment")
_INSERT_USER = insert_into("segment_individual")
_INSERT_GROUP = insert_into("segment_group")
_INSERT_SEGMENT = insert_into("segment_subsegment")
_HELD_IN = ("segment_individual", "segment_group", "segment_subsegment")
_EMPTY = [Prepared(f"DELETE FROM {table} WHERE segment_id = :id") for table in _HELD_IN]
_DELETE = Prepared("DELETE FROM segment WHERE id = :id")
_SEGMENTS = SEGMENT.select(f"WHERE id {SOME} ORDER BY number")
_USERS = INDIVIDUAL.select(f"WHERE segment_id {SOME} ORDER BY number", "segment_id")
_GROUPS = GROUP.select(f"WHERE segment_id {SOME} ORDER BY number", "segment_id")
_SUBSEGMENTS = SEGMENT.select(
    f"JOIN segment_subsegment inside ON subsegment_id = segment.id WHERE segment_id {SOME} ORDER BY inside.number",
    "segment_id",
)


def add_segment(connection: Connection, values: Mapping[str, Any], members: Members, at: str) -> str:
    """Store a new segment: its columns (optionally with an `id`) and its members. Returns its id."""
    row = {"id": str(uuid.uuid4()), "description": None, "list_type": None, "tags": None, **values}
    _INSERT_SEGMENT_ROW.run(connection, {**row, **stamps(at)})
    put_members(connection, row["id"], members, at)
    return str(row["id"])


def put_members(connection: Connection, segment_id: str, members: Members, at: str) -> None:
    """Replace the members of the segment. The ids in `members.segments` must exist."""
    for statement in _EMPTY:
        statement.run(connection, {"id": segment_id})
    row = {"segment_id": segment_id, **stamps(at)}
    _INSERT_USER.run_many(connection, [{**row, "user_id": user} for user in members.users])
    _INSERT_GROUP.run_many(connection, [{**row, "type": kind, "group_id": group} for kind, group in members.groups])
    _INSERT_SEGMENT.run_many(connection, [{**row, "subsegment_id": child} for child in members.segments])


def delete_segment(connection: Connection, segment_id: str) -> None:
    """Delete the segment, its members, and its links to experiments."""
    _DELETE.run(connection, {"id": segment_id})


def segments_with_members(connection: Connection, segment_ids: Sequence[str]) -> dict[str, Json]:
    """The segments of these ids, by id, each with individualForSegment, groupForSegment and subSegments."""
    if not segment_ids:
        return {}
    ids = {"ids": json.dumps(segment_ids)}
    found = {one["id"]: one for one in map(SEGMENT.json, _SEGMENTS.all(connection, ids))}
    for name, shape, rows in (
        ("individualForSegment", INDIVIDUAL, _USERS),
        ("groupForSegment", GROUP, _GROUPS),
        ("subSegments", SEGMENT, _SUBSEGMENTS),
    ):
        grouped = shape.grouped(rows.all(connection, ids))
        for id, one in found.items():
            one[name] = grouped.get(id, [])
    return found


def read_members(sent: Checked) -> tuple[Checked, Members]:
    """Read `userIds`, `groups: [{type, groupId}]` and `subSegmentIds` of `sent`, which is returned; note errors."""
    groups = [(one.text("type"), one.text("groupId")) for one in sent.objects("groups")]
    return sent, Members.of(sent.texts("userIds"), groups, sent.texts("subSegmentIds"))


def require_segments(connection: Connection, members: Members, field: str) -> None:
    """Raise InvalidBody unless every segment that `members` names exists."""
    if members.segments:
        ids = {"ids": json.dumps(members.segments)}
        missing = set(members.segments) - {SEGMENT.json(row)["id"] for row in _SEGMENTS.all(connection, ids)}
        if missing:
            raise InvalidBody(f"`{field}`: there is no segment {min(missing)}")


GLOBAL = "global_exclude"

_GLOBALS = Prepared(f"SELECT id, context FROM segment WHERE type = '{GLOBAL}' ORDER BY context")
_EDIT = Prepared(
    "UPDATE segment SET name = :name, description = :description, updated_at = :at,"
    " version_number = version_number + 1 WHERE id = :id"
)


def make_global_excludes(service: Service) -> None:
    """Create the missing global excludes of contexts."""
    with service.database.transaction(writes=False) as connection:
        missing = service.contexts.keys() - {row[1] for row in _GLOBALS.all(connection, {})}
    if not missing:
        return
    with service.database.transaction(writes=True) as connection:
        missing = service.contexts.keys() - {row[1] for row in _GLOBALS.all(connection, {})}
        for context in sorted(missing):
            values = {
                "name": "Global Exclude",
                "description": "Globally excluded Users, Groups and Segments",
                "context": context,
                "type": GLOBAL,
            }
            add_segment(connection, values, Members(), now())


def global_excludes(call: Call) -> list[Json]:
    """GET /segments/global"""
    ids = [row[0] for row in _GLOBALS.all(call.connection, {}) if row[1] in call.service.contexts]
    found = segments_with_members(call.connection, ids)
    return [found[i] | {"status": "excluded"} for i in ids]


def save(call: Call) -> Json:
    """POST /segments: a new public segment, or new members of an existing one (a global exclude always exists)."""
    body, members = read_members(Checked(call.body))
    kind = body.one_of("type", ("public", GLOBAL))
    context = body.text("context")
    segment_id = body.uuid("id", required=False)
    name, description = body.text("name"), body.optional_text("description")
    body.refuse()
    if context not in call.service.contexts:
        raise BadRequest(f'The app context "{context}" is not defined in CONTEXT_METADATA.')
    require_segments(call.connection, members, "subSegmentIds")
    connection, at = call.connection, now()
    stored = segments_with_members(connection, [segment_id]).get(segment_id) if segment_id else None
    if stored is not None:
        if (stored["type"], stored["context"]) != (kind, context):
            raise BadRequest(f"The segment {segment_id} is a {stored['type']} one of {stored['context']}; that stays.")
        _EDIT.run(connection, {"id": segment_id, "name": name, "description": description, "at": at})
        put_members(connection, stored["id"], members, at)
        return segments_with_members(connection, [stored["id"]])[stored["id"]]
    if kind == GLOBAL:
        raise BadRequest("Each context has a global exclude already: name its id, see GET /segments/global.")
    values = {"name": name, "description": description, "context": context, "type": kind}
    made = add_segment(connection, values | ({"id": segment_id} if segment_id else {}), members, at)
    return segments_with_members(connection, [made])[made]
