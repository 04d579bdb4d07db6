"""What segments hold: users, groups and other segments, written and read for many segments at once."""

from __future__ import annotations

import json
import uuid
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection, bindparam, delete, func, insert, select, text

from graphwright_upgrade_server.database import Prepared
from graphwright_upgrade_server.failures import InvalidBody
from graphwright_upgrade_server.shapes import GROUP, INDIVIDUAL, SEGMENT, Json
from graphwright_upgrade_server.tables import segment, segment_group, segment_individual, segment_subsegment
from graphwright_upgrade_server.validation import Checked


@dataclass(frozen=True, slots=True)
class Members:
    """Whom a segment names: `users`, `groups` as (type, id), and the ids of other `segments`. Nobody twice."""

    users: tuple[str, ...] = ()
    groups: tuple[tuple[str, str], ...] = ()
    segments: tuple[str, ...] = ()

    @classmethod
    def of(cls, users: Iterable[str], groups: Iterable[tuple[str, str]], segments: Iterable[str]) -> Members:
        """The members, each once, in the order given."""
        return cls(tuple(dict.fromkeys(users)), tuple(dict.fromkeys(groups)), tuple(dict.fromkeys(segments)))

    def list_type(self) -> str | None:
        """What a list of just these is called: `individual`, a group type, `segment`; None for a mixed or empty one."""
        kinds = {"individual"} if self.users else set[str]()
        kinds |= {kind for kind, _ in self.groups}
        if self.segments:
            kinds.add("segment")
        return kinds.pop() if len(kinds) == 1 else None


_INSERT = Prepared(insert(segment).values({c.name: bindparam(c.name) for c in segment.c if c.name != "number"}))
_INSERT_USER = Prepared(
    insert(segment_individual).values({c.name: bindparam(c.name) for c in segment_individual.c if c.name != "number"})
)
_INSERT_GROUP = Prepared(
    insert(segment_group).values({c.name: bindparam(c.name) for c in segment_group.c if c.name != "number"})
)
_INSERT_SEGMENT = Prepared(
    insert(segment_subsegment).values(segment_id=bindparam("segment_id"), subsegment_id=bindparam("subsegment_id"))
)
_EMPTY = [
    Prepared(delete(table).where(table.c.segment_id == bindparam("id")))
    for table in (segment_individual, segment_group, segment_subsegment)
]
_DELETE = Prepared(delete(segment).where(segment.c.id == bindparam("id")))

# One statement for any number of ids: they come as one JSON text.
_IDS = select(text("value")).select_from(func.json_each(bindparam("ids")))
_SEGMENTS = Prepared(SEGMENT.select().where(segment.c.id.in_(_IDS)).order_by(segment.c.number))
_USERS = Prepared(
    INDIVIDUAL.select().where(segment_individual.c.segment_id.in_(_IDS)).order_by(segment_individual.c.number)
)
_GROUPS = Prepared(GROUP.select().where(segment_group.c.segment_id.in_(_IDS)).order_by(segment_group.c.number))
_SUBSEGMENTS = Prepared(
    SEGMENT.select(segment_subsegment.c.segment_id)
    .join(segment_subsegment, segment_subsegment.c.subsegment_id == segment.c.id)
    .where(segment_subsegment.c.segment_id.in_(_IDS))
    .order_by(segment_subsegment.c.number)
)


def add_segment(connection: Connection, values: Mapping[str, Any], members: Members, at: str) -> str:
    """Store a new segment: its columns (an `id` where one is wanted) and its members. Gives its id."""
    row = {"id": str(uuid.uuid4()), "description": None, "list_type": None, "tags": None, **values}
    stamps = {"created_at": at, "updated_at": at, "version_number": 1}
    _INSERT.run(connection, {**row, **stamps})
    put_members(connection, row["id"], members, at)
    return str(row["id"])


def put_members(connection: Connection, segment_id: str, members: Members, at: str) -> None:
    """Let the segment hold `members` and nobody else. The ids in `members.segments` must exist."""
    for statement in _EMPTY:
        statement.run(connection, {"id": segment_id})
    row = {"segment_id": segment_id, "created_at": at, "updated_at": at, "version_number": 1}
    _INSERT_USER.run_many(connection, [{**row, "user_id": user} for user in members.users])
    _INSERT_GROUP.run_many(connection, [{**row, "type": kind, "group_id": group} for kind, group in members.groups])
    _INSERT_SEGMENT.run_many(connection, [{**row, "subsegment_id": child} for child in members.segments])


def delete_segment(connection: Connection, segment_id: str) -> None:
    """Delete the segment, what it holds, and what links it to experiments."""
    _DELETE.run(connection, {"id": segment_id})


def segments_with_members(connection: Connection, segment_ids: Sequence[str]) -> dict[str, Json]:
    """The segments of these ids, by id, each with individualForSegment, groupForSegment and subSegments."""
    if not segment_ids:
        return {}
    ids = {"ids": json.dumps(segment_ids)}
    users: defaultdict[str, list[Json]] = defaultdict(list)
    for row in _USERS.all(connection, ids):
        member = INDIVIDUAL.json(row)
        users[member["segmentId"]].append(member)
    groups: defaultdict[str, list[Json]] = defaultdict(list)
    for row in _GROUPS.all(connection, ids):
        member = GROUP.json(row)
        groups[member["segmentId"]].append(member)
    children: defaultdict[str, list[Json]] = defaultdict(list)
    for row in _SUBSEGMENTS.all(connection, ids):
        children[row[SEGMENT.size]].append(SEGMENT.json(row))
    found: dict[str, Json] = {}
    for row in _SEGMENTS.all(connection, ids):
        one = SEGMENT.json(row)
        one["individualForSegment"] = users[one["id"]]
        one["groupForSegment"] = groups[one["id"]]
        one["subSegments"] = children[one["id"]]
        found[one["id"]] = one
    return found


def read_members(sent: Checked) -> tuple[Checked, Members]:
    """`userIds`, `groups: [{type, groupId}]` and `subSegmentIds` of `sent`, which is given back; faults are noted."""
    groups = [(one.text("type"), one.text("groupId")) for one in sent.objects("groups")]
    return sent, Members.of(sent.texts("userIds"), groups, sent.texts("subSegmentIds"))


def require_segments(connection: Connection, members: Members, field: str) -> None:
    """Raise InvalidBody unless every segment that `members` names exists."""
    if members.segments:
        ids = {"ids": json.dumps(members.segments)}
        missing = set(members.segments) - {SEGMENT.json(row)["id"] for row in _SEGMENTS.all(connection, ids)}
        if missing:
            raise InvalidBody(f"`{field}`: there is no segment {min(missing)}")
