"""The lists of an experiment in the form of each server version; the rest of a request is the same for all versions."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from enum import Enum
from typing import Any

from graphwright_upgrade.client._drafts import ExperimentChanges, ExperimentDraft, ListDraft, Side, changed_body
from graphwright_upgrade.client._experiment import UserList

Member = tuple[str, str]
"""Somebody on a list: the kind (`individual`, a type of groups or `segment`) and the id."""

FIELDS: Mapping[Side, str] = {"inclusion": "experimentSegmentInclusion", "exclusion": "experimentSegmentExclusion"}
"""The field of an experiment that holds the lists of a side."""


class Dialect(Enum):
    """The API differences between server versions.

    Up to 6.2 an experiment has one mixed list a side, which is sent with it. From 6.3 on it has any number of lists,
    which are sent only with a new experiment and otherwise have separate calls.
    """

    UP_TO_6_2 = "6.2"
    FROM_6_3 = "6.3"


def dialect_of(version: str) -> Dialect | None:
    """The dialect of a version such as 6.4.0; None for a version before 6.0 or an invalid version."""
    found = re.match(r"v?([0-9]{1,9})\.([0-9]{1,9})(?!\w)", version.strip())
    number = (int(found[1]), int(found[2])) if found else (0, 0)
    if number < (6, 0):
        return None
    return Dialect.UP_TO_6_2 if number < (6, 3) else Dialect.FROM_6_3


def members_of(lists: Iterable[ListDraft | UserList]) -> list[Member]:
    """The members of the lists, without duplicates."""
    found = dict[Member, None]()
    for each in lists:
        members = each.members if isinstance(each, UserList) else [(each.kind, id) for id in each.members]
        found.update(dict.fromkeys(members))
    return [*found]


def lists_of_new(draft: ExperimentDraft, dialect: Dialect) -> dict[str, Any]:
    """The fields of a new experiment that hold its lists."""
    sides = zip(FIELDS.values(), (draft.inclusions, draft.exclusions), strict=True)
    if dialect is Dialect.UP_TO_6_2:
        # Both sides must be there.
        return {field: {"segment": {"type": "private", **_segment(members_of(lists))}} for field, lists in sides}
    return {
        # A list without a name is called by its id.
        field: [{"segment": {**_described(each), **_segment(members_of([each]))}} for each in lists]
        for field, lists in sides
        if lists
    }


def list_body(members: ListDraft | UserList, context: str) -> dict[str, Any]:
    """A list as the list calls want it. One that is there already keeps its id and its name."""
    own = {"id": members.id} if isinstance(members, UserList) else {}
    segment = _segment(members_of([members]))
    return {
        **own,
        **_described(members),
        "context": context,
        "userIds": [each["userId"] for each in segment["individualForSegment"]],
        "groups": segment["groupForSegment"],
        "subSegmentIds": [each["id"] for each in segment["subSegments"]],
    }


def body_with_list(before: Mapping[str, Any], side: Side, members: Iterable[Member]) -> dict[str, Any]:
    """The body that puts these members on the only list of a side, and leaves the experiment `before` else as it is."""
    body = changed_body(before, ExperimentChanges())
    there = body.get(FIELDS[side])
    entry = there if isinstance(there, dict) else {}
    segment = entry.get("segment")
    old = segment if isinstance(segment, dict) else {"type": "private"}
    body[FIELDS[side]] = {**entry, "segment": {**old, **_segment(members)}}
    return body


def _described(members: ListDraft | UserList) -> dict[str, str]:
    return {"type": "private", "name": members.name or members.kind, "listType": members.kind}


def _segment(members: Iterable[Member]) -> dict[str, list[dict[str, str]]]:
    found: dict[str, list[dict[str, str]]] = {"individualForSegment": [], "groupForSegment": [], "subSegments": []}
    for kind, id in members:
        if kind == "individual":
            found["individualForSegment"].append({"userId": id})
        elif kind == "segment":
            found["subSegments"].append({"id": id})
        else:
            found["groupForSegment"].append({"groupId": id, "type": kind})
    return found
