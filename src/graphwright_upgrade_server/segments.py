"""Segments as routes see them: the global exclude of each context, and what edits one."""

from __future__ import annotations

from sqlalchemy import bindparam, literal_column, select, update

from graphwright_upgrade_server.database import Prepared
from graphwright_upgrade_server.failures import BadRequest
from graphwright_upgrade_server.members import (
    Members,
    add_segment,
    put_members,
    read_members,
    require_segments,
    segments_with_members,
)
from graphwright_upgrade_server.routing import Call, Service
from graphwright_upgrade_server.shapes import Json
from graphwright_upgrade_server.tables import now, segment
from graphwright_upgrade_server.validation import Checked

GLOBAL = "global_exclude"

_GLOBALS = Prepared(
    select(segment.c.id, segment.c.context)
    .where(segment.c.type == literal_column(f"'{GLOBAL}'"))
    .order_by(segment.c.context)
)
_EDIT = Prepared(
    update(segment)
    .where(segment.c.id == bindparam("key"))
    .values(
        name=bindparam("new_name"),
        description=bindparam("new_description"),
        updated_at=bindparam("at"),
        version_number=segment.c.version_number + literal_column("1"),
    )
)


def make_global_excludes(service: Service) -> None:
    """Make the global exclude of each context that has none yet."""
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
    """POST /segments: a new public segment, or new members of one that is there (a global exclude always is)."""
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
        _EDIT.run(connection, {"key": segment_id, "new_name": name, "new_description": description, "at": at})
        put_members(connection, stored["id"], members, at)
        return segments_with_members(connection, [stored["id"]])[stored["id"]]
    if kind == GLOBAL:
        raise BadRequest("Each context has a global exclude already: name its id, see GET /segments/global.")
    values = {"name": name, "description": description, "context": context, "type": kind}
    made = add_segment(connection, values | ({"id": segment_id} if segment_id else {}), members, at)
    return segments_with_members(connection, [made])[made]
