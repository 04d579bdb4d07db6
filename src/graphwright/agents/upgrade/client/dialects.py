"""What differs between servers by their version: up to 6.2, and from 6.3 on."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from graphwright.agents.upgrade.client.drafts import ListDraft, Side
from graphwright.agents.upgrade.client.experiment import UserList

SIDES: dict[Side, str] = {"inclusion": "experimentSegmentInclusion", "exclusion": "experimentSegmentExclusion"}
"""The field of an experiment that holds the lists of a side."""


@dataclass(frozen=True, slots=True)
class Dialect:
    """How a server wants to be spoken to. `name` is that of the oldest version we know to speak so.

    With `list_calls` an experiment has any number of lists of one kind each, changed by calls of their own; without,
    one mixed list a side, changed with the experiment.
    """

    name: str
    list_calls: bool

    def lists_of_new(self, inclusions: Sequence[ListDraft], exclusions: Sequence[ListDraft]) -> dict[str, Any]:
        """The fields of a new experiment that hold its lists."""
        given: dict[Side, Sequence[ListDraft]] = {"inclusion": inclusions, "exclusion": exclusions}
        if self.list_calls:
            return {
                SIDES[side]: [
                    {"segment": {**_named(each), **members([each]), "listType": each.kind}} for each in drafts
                ]
                for side, drafts in given.items()
                if drafts
            }
        return {SIDES[side]: {"segment": {"type": "private", **members(drafts)}} for side, drafts in given.items()}


UP_TO_6_2 = Dialect("6.2", list_calls=False)
FROM_6_3 = Dialect("6.3", list_calls=True)


def dialect_of(version: str) -> Dialect | None:
    """The dialect of a version such as 6.4.0; None for one before 6.0, or text that is no version.

    Versions that are yet to come are taken to speak as the newest that is known.
    """
    found = re.match(r"v?([0-9]{1,9})\.([0-9]{1,9})(?!\w)", version.strip())
    if found is None or int(found[1]) < 6:
        return None
    return UP_TO_6_2 if (int(found[1]), int(found[2])) <= (6, 2) else FROM_6_3


def members(drafts: Sequence[ListDraft]) -> dict[str, Any]:
    """The members of the lists as a segment of an experiment has them."""
    users = [user for each in drafts if each.kind == "individual" for user in each.members]
    segments = [segment for each in drafts if each.kind == "segment" for segment in each.members]
    groups = [
        (each.kind, group) for each in drafts if each.kind not in ("individual", "segment") for group in each.members
    ]
    return {
        "individualForSegment": [{"userId": user} for user in users],
        "groupForSegment": [{"groupId": group, "type": type} for type, group in groups],
        "subSegments": [{"id": segment} for segment in segments],
    }


def list_body(draft: ListDraft, context: str, old: UserList | None = None) -> dict[str, Any]:
    """The list as the list calls want it; in place of `old`, which keeps its id and, where none is given, its name."""
    named: dict[str, Any] = {"name": draft.name or (old.name if old else "") or draft.kind}
    groups = (
        [] if draft.kind in ("individual", "segment") else [{"type": draft.kind, "groupId": m} for m in draft.members]
    )
    return {
        **({"id": old.id} if old else {}),
        **named,
        "context": context,
        "type": "private",
        "listType": draft.kind,
        "userIds": list(draft.members) if draft.kind == "individual" else [],
        "groups": groups,
        "subSegmentIds": list(draft.members) if draft.kind == "segment" else [],
    }


def drafts_of(old: UserList) -> tuple[ListDraft, ...]:
    """The members of a mixed list, as one list a kind."""
    types = dict.fromkeys(group.type for group in old.groups)
    found = (
        ListDraft(kind="individual", members=old.users),
        *(ListDraft(kind=type, members=tuple(g.id for g in old.groups if g.type == type)) for type in types),
        ListDraft(kind="segment", members=old.segments),
    )
    return tuple(each for each in found if each.members)


def _named(draft: ListDraft) -> dict[str, Any]:
    # A list without a name is called by its id.
    return {"type": "private", "name": draft.name or draft.kind}
