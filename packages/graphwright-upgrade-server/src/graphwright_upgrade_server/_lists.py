"""The inclusion and exclusion lists of an experiment: sent with it, or added, replaced and deleted later."""

from __future__ import annotations

import uuid

from graphwright_upgrade_server import _queries as queries
from graphwright_upgrade_server import _segments as segments
from graphwright_upgrade_server._database import Connection, Prepared, insert_into
from graphwright_upgrade_server._drafts import Draft
from graphwright_upgrade_server._routing import Call, path_id
from graphwright_upgrade_server._segments import Members, segments_with_members
from graphwright_upgrade_server._serialization import Json
from graphwright_upgrade_server._tables import now, stamps
from graphwright_upgrade_server._validation import Checked
from graphwright_upgrade_server.failures import QUERY_FAILED, Failure

_EDIT = Prepared("UPDATE segment SET name = :name, description = :description, list_type = :list_type WHERE id = :key")


class ListKind:
    """The inclusion lists, or the exclusion lists: the same routes over the table `name`, as in messages."""

    def __init__(self, name: str, field: str) -> None:
        self._name = name
        self._link = queries.LINKS[field]
        self._insert = insert_into(name)
        self._find = self._link.select("WHERE segment_id = :id")
        of_experiment = f"SELECT segment_id FROM {name} WHERE experiment_id = :id"
        self._delete_of = Prepared(f"DELETE FROM segment WHERE id IN ({of_experiment})")

    def link(self, connection: Connection, experiment_id: str, segment_id: str, at: str) -> None:
        """Make the segment a list of the experiment."""
        self._insert.run(connection, {"experiment_id": experiment_id, "segment_id": segment_id, **stamps(at)})

    def delete_of(self, connection: Connection, experiment_id: str) -> None:
        """Delete all lists of this kind of the experiment."""
        self._delete_of.run(connection, {"id": experiment_id})

    def add(self, call: Call) -> Json:
        """POST /experiments/inclusionList, exclusionList"""
        experiment, values, members = self._sent(call)
        at = now()
        segment_id = segments.add_segment(call.connection, {**values, "type": "private"}, members, at)
        self.link(call.connection, experiment["id"], segment_id, at)
        return self._answer(call.connection, segment_id)

    def replace(self, call: Call) -> Json:
        """PUT /experiments/inclusionList/{id}, exclusionList/{id}"""
        segment_id = path_id(call)
        sent = call.body.get("list") if isinstance(call.body, dict) else None
        named = sent.get("id") if isinstance(sent, dict) else None
        if named != call.params["id"]:
            raise Failure(
                500 if call.service.strict else 400,
                f"Parameter not in the correct format: The id in the URL ({call.params['id']}) does not match the list "
                f"id in the request body ({named}).",
            )
        experiment, values, members = self._sent(call)
        link = self._find.first(call.connection, {"id": segment_id})
        if link is None or self._link.json(link)["experimentId"] != experiment["id"]:
            raise self._unknown(call, segment_id)
        _EDIT.run(call.connection, {"key": segment_id, **values})
        segments.put_members(call.connection, segment_id, members, now())
        return self._answer(call.connection, segment_id)

    def remove(self, call: Call) -> Json:
        """DELETE /experiments/inclusionList/{id}, exclusionList/{id}"""
        segment_id = path_id(call)
        if self._find.first(call.connection, {"id": segment_id}) is None:
            raise self._unknown(call, segment_id)
        found = segments_with_members(call.connection, [segment_id])[segment_id]
        segments.delete_segment(call.connection, segment_id)
        members = ("individualForSegment", "groupForSegment", "subSegments")
        return {name: value for name, value in found.items() if name not in members}

    def _sent(self, call: Call) -> tuple[Json, Json, Members]:
        """The experiment that the body names, the columns of its list, and its members."""
        body = Checked(call.body)
        experiment_id = body.uuid("experimentId")
        sent, members = segments.read_members(body.object("list"))
        values = {
            "name": sent.text("name"),
            "description": sent.optional_text("description"),
            "context": sent.text("context") if call.service.strict else sent.optional_text("context"),
            "list_type": sent.optional_text("listType") or members.list_type(),
        }
        sent.optional_one_of("type", ("private",))
        # A real server reports only that it failed.
        if body.errors and call.service.strict:
            raise Failure(500, "Error in creating private segment", QUERY_FAILED)
        body.refuse()
        experiment = queries.stored(call.connection, experiment_id or "")
        if experiment is None:
            if call.service.strict:
                raise Failure(500, "Error in adding segment", QUERY_FAILED)
            raise Failure(404, "Experiment not found!", QUERY_FAILED)
        segments.require_segments(call.connection, members, "list.subSegmentIds")
        return experiment, values | {"context": values["context"] or experiment["context"][0]}, members

    def _answer(self, connection: Connection, segment_id: str) -> Json:
        row = self._find.first(connection, {"id": segment_id})
        link = self._link.json(row or ())
        return link | {
            "experiment": queries.stored(connection, link["experimentId"]),
            "segment": segments_with_members(connection, [segment_id])[segment_id],
        }

    def _unknown(self, call: Call, segment_id: str) -> Failure:
        return Failure(500 if call.service.strict else 404, f"Segment with ID {segment_id} not found for {self._name}")


INCLUSION = ListKind("inclusion", "experimentSegmentInclusion")
EXCLUSION = ListKind("exclusion", "experimentSegmentExclusion")


def add_drafts(connection: Connection, experiment_id: str, draft: Draft, at: str) -> None:
    """Store the lists of a new experiment. Raises InvalidBody if one names an unknown segment."""
    for kind, field, lists in (
        (INCLUSION, "experimentSegmentInclusion", draft.inclusions),
        (EXCLUSION, "experimentSegmentExclusion", draft.exclusions),
    ):
        for one in lists:
            segments.require_segments(connection, one.members, field)
            segment_id = str(uuid.uuid4())
            values = {
                "id": segment_id,
                "name": one.name or f"{segment_id} Segment",
                "description": one.description or "",
                "list_type": one.list_type or one.members.list_type(),
                "context": draft.context.lower(),
                "type": "private",
            }
            segments.add_segment(connection, values, one.members, at)
            kind.link(connection, experiment_id, segment_id, at)


def delete_lists(connection: Connection, experiment_id: str) -> None:
    """Delete all lists of the experiment."""
    INCLUSION.delete_of(connection, experiment_id)
    EXCLUSION.delete_of(connection, experiment_id)
