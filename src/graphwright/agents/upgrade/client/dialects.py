"""What is sent, by the version of the server (up to 6.2, and from 6.3 on): lists, and the bodies made out of drafts."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from uuid import uuid4

from graphwright.agents.upgrade.client.drafts import (
    ConditionDraft,
    DecisionPointDraft,
    Draft,
    ExperimentChanges,
    ExperimentDraft,
    ListDraft,
    PayloadDraft,
    Side,
)
from graphwright.agents.upgrade.client.experiment import UserList, internal
from graphwright.agents.upgrade.client.failures import Invalid

SIDES: dict[Side, str] = {"inclusion": "experimentSegmentInclusion", "exclusion": "experimentSegmentExclusion"}
"""The field of an experiment that holds the lists of a side."""

_PRIVATE: dict[str, Any] = {"type": "private"}


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
                    # A list without a name is called by its id.
                    {"segment": _PRIVATE | {"name": each.name or each.kind, **members([each]), "listType": each.kind}}
                    for each in drafts
                ]
                for side, drafts in given.items()
                if drafts
            }
        return {SIDES[side]: {"segment": _PRIVATE | members(drafts)} for side, drafts in given.items()}


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
    groups = [each for each in drafts if each.kind not in ("individual", "segment")]
    return {
        "individualForSegment": [{"userId": user} for user in users],
        "groupForSegment": [{"groupId": group, "type": each.kind} for each in groups for group in each.members],
        "subSegments": [{"id": segment} for segment in segments],
    }


def list_body(draft: ListDraft, context: str, old: UserList | None = None) -> dict[str, Any]:
    """The list as the list calls want it; in place of `old`, which keeps its id and, where none is given, its name."""
    held = members([draft])
    return {
        **({"id": old.id} if old else {}),
        **_PRIVATE,
        "name": draft.name or (old.name if old else "") or draft.kind,
        "context": context,
        "listType": draft.kind,
        "userIds": [each["userId"] for each in held["individualForSegment"]],
        "groups": held["groupForSegment"],
        "subSegmentIds": [each["id"] for each in held["subSegments"]],
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


# Bodies of the calls that make and change an experiment

_PLAIN = {
    *("name", "description", "group", "assignment_unit", "consistency_rule", "post_experiment_rule", "revert_to"),
    "filter_mode",
}
"""The fields that a server takes as they are, under their own names."""

_STALE = ("createdAt", "updatedAt", "versionNumber")


def new_body(draft: ExperimentDraft, dialect: Dialect) -> dict[str, Any]:
    """The body that makes an experiment.

    Every id of a part is replaced by a fresh one: a server up to 6.2 keeps them, and dies of one that it has already.
    """
    parts: list[ConditionDraft | DecisionPointDraft] = [*draft.conditions, *draft.decision_points]
    fresh = {part.id: str(uuid4()) for part in parts}
    body = draft.model_dump(by_alias=True, include=_PLAIN, exclude_none=True) | {
        "context": [draft.context],
        "state": draft.state.value,
        "tags": list(draft.tags),
        "type": "Simple",
        "conditions": _parts(draft.conditions, fresh),
        "partitions": _parts(draft.decision_points, fresh),
        **dialect.lists_of_new(draft.inclusions, draft.exclusions),
    }
    if draft.payloads:
        points = [fresh[point.id] for point in draft.decision_points]
        body["conditionPayloads"] = _payloads(draft.payloads, fresh, points)
    if draft.id is not None:
        body["id"] = draft.id
    if draft.enrollment_goal is not None:
        body["enrollmentCompleteCondition"] = _given(draft.enrollment_goal)
    if draft.revert_to is not None:
        body["revertTo"] = _known(draft.revert_to, fresh)
    return body


def changed_body(before: Mapping[str, Any], changes: ExperimentChanges) -> dict[str, Any]:
    """The body that replaces the experiment `before`, as the server answered it, by the changed one."""
    given = changes.model_fields_set
    # Written back, these would put the experiment to the past.
    body = {name: value for name, value in before.items() if name not in _STALE}
    body["state"] = internal(body.get("state"))
    body |= changes.model_dump(by_alias=True, include=_PLAIN & given)
    if "context" in given:
        body["context"] = [changes.context]
    if "tags" in given:
        body["tags"] = list(changes.tags)
    if "enrollment_goal" in given:
        body["enrollmentCompleteCondition"] = changes.enrollment_goal and _given(changes.enrollment_goal)
    if "conditions" in given:
        body["conditions"] = _merged(changes.conditions, before.get("conditions"))
    if "decision_points" in given:
        body["partitions"] = _merged(changes.decision_points, before.get("partitions"))
    ids = {str(part["id"]): str(part["id"]) for name in ("conditions", "partitions") for part in body.get(name) or ()}
    if "payloads" in given:
        points = [str(point["id"]) for point in body.get("partitions") or ()]
        body["conditionPayloads"] = _payloads(changes.payloads, ids, points)
    else:
        # It must be there, and may speak of no part that goes.
        body["conditionPayloads"] = [
            each
            for each in before.get("conditionPayloads") or ()
            if _part_id(each, "parentCondition") in ids and _part_id(each, "decisionPoint") in (*ids, None)
        ]
    return body


def _parts(drafts: Sequence[ConditionDraft | DecisionPointDraft], fresh: Mapping[str, str]) -> list[dict[str, Any]]:
    return [
        {**part.model_dump(by_alias=True), "id": fresh[part.id], "order": place} for place, part in enumerate(drafts, 1)
    ]


def _merged(drafts: Iterable[ConditionDraft | DecisionPointDraft], before: Any) -> list[dict[str, Any]]:
    known = {str(part["id"]): part for part in before or ()}
    merged = []
    for place, draft in enumerate(drafts, 1):
        old = known.get(draft.id)
        if old is not None:
            merged.append({**old, **_given(draft), "id": draft.id, "order": place})
        elif "id" in draft.model_fields_set:
            # Taken as a new part, it would silently stand in for one that goes with all its enrolments.
            message = f"the experiment has no condition or decision point {draft.id}."
            raise Invalid("bad_id", message, "Leave out the id of a new one.")
        else:
            merged.append({**draft.model_dump(by_alias=True), "order": place})
    return merged


def _given(draft: Draft) -> dict[str, Any]:
    return draft.model_dump(by_alias=True, exclude_unset=True)


def _payloads(drafts: Iterable[PayloadDraft], ids: Mapping[str, str], points: Sequence[str]) -> list[dict[str, Any]]:
    """One for each point: a server drops those that name none. What is said of one comes before what is of all."""
    found: dict[tuple[str, str], dict[str, Any]] = {}
    for draft in sorted(drafts, key=lambda each: each.decision_point_id is None):
        condition, own = _known(draft.condition_id, ids), draft.decision_point_id
        for point in points if own is None else [_known(own, ids)]:
            payload = {"type": draft.type, "value": draft.value}
            part = {"id": str(uuid4()), "parentCondition": condition, "decisionPoint": point, "payload": payload}
            found.setdefault((condition, point), part)
    return list(found.values())


def _known(id: str, ids: Mapping[str, str]) -> str:
    if id not in ids:
        hint = "Use the id of a condition or decision point of the same experiment."
        raise Invalid("bad_id", f"{id} is neither a condition nor a decision point of the experiment.", hint)
    return ids[id]


def _part_id(payload: Mapping[str, Any], name: str) -> str | None:
    part = payload.get(name)
    found = part.get("id") if isinstance(part, Mapping) else part
    return None if found is None else str(found)
