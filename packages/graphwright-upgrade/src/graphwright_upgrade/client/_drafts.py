"""Request bodies: drafts of an experiment, of its changes and of its lists."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Annotated, Any, Literal
from uuid import uuid4

from pydantic import AliasGenerator, BaseModel, ConfigDict, Field, PlainSerializer
from pydantic.alias_generators import to_camel

from graphwright_upgrade.client._experiment import State, internal
from graphwright_upgrade.client._failures import Invalid

Side = Literal["inclusion", "exclusion"]
"""Whom a list is for: those who take part, or those who do not."""

Weight = Annotated[float, Field(allow_inf_nan=False)]
Context = Annotated[str, PlainSerializer(lambda context: [context])]


class Draft(BaseModel):
    """The base of drafts, sent by names in camelCase: an unknown field is an error (pydantic.ValidationError)."""

    model_config = ConfigDict(frozen=True, extra="forbid", alias_generator=AliasGenerator(serialization_alias=to_camel))


def _new_id() -> str:
    return str(uuid4())


class ConditionDraft(Draft):
    """A condition. `weight` is in per cent; those of an experiment should add up to 100, which servers do not check.

    In changes, one with the `id` of a condition that is there changes it, and keeps of it what is not given.
    """

    id: str = Field(default_factory=_new_id)
    code: str = Field(serialization_alias="conditionCode")
    weight: Weight = Field(serialization_alias="assignmentWeight")
    name: str = ""
    description: str = ""


class DecisionPointDraft(Draft):
    """A decision point; `id` works as in `ConditionDraft`."""

    id: str = Field(default_factory=_new_id)
    site: str
    target: str = ""
    description: str = ""
    exclude_if_reached: bool = False


class ListDraft(Draft):
    """Ids of users (`kind` individual), of groups (a type of groups, such as schoolId) or of segments (segment)."""

    kind: str
    members: tuple[str, ...]
    name: str = ""


class GoalDraft(Draft):
    """After how many users, or groups, an experiment is complete."""

    users: int | None = Field(None, serialization_alias="userCount")
    groups: int | None = Field(None, serialization_alias="groupCount")


class _Design(Draft):
    """The fields shared by a new experiment and by changes."""

    description: str = ""
    assignment_unit: Literal["individual", "group"] = "individual"
    consistency_rule: Literal["individual", "group", "experiment"] = "individual"
    group: str | None = None
    post_experiment_rule: Literal["continue", "assign"] = "continue"
    revert_to: str | None = None
    filter_mode: Literal["includeAll", "excludeAll"] = "includeAll"
    tags: tuple[str, ...] = ()
    enrollment_goal: GoalDraft | None = Field(default=None, serialization_alias="enrollmentCompleteCondition")


class ExperimentDraft(_Design):
    """A new experiment. `id` is kept by the server, so that the same draft draws the same conditions on another server.

    Servers from 6.3 on make every new experiment with the rule `continue`, whatever `post_experiment_rule` says: set
    `assign` with an update. `revert_to` is the id of a condition draft.
    """

    id: str | None = None
    name: str
    context: Context
    state: State = State.INACTIVE
    conditions: tuple[ConditionDraft, ...]
    decision_points: tuple[DecisionPointDraft, ...] = Field(serialization_alias="partitions")
    inclusions: tuple[ListDraft, ...] = Field(default=(), exclude=True)
    exclusions: tuple[ListDraft, ...] = Field(default=(), exclude=True)


class ExperimentChanges(_Design):
    """Changes of an experiment: given fields replace the present ones, also with None or an empty tuple; others stay.

    Conditions and points that are left out are deleted, with their enrolments. A changed context deletes all lists.
    Lists and the state have separate calls.
    """

    name: str = ""
    context: Context = ""
    conditions: tuple[ConditionDraft, ...] = ()
    decision_points: tuple[DecisionPointDraft, ...] = Field(default=(), serialization_alias="partitions")


# Bodies

_STALE = ("createdAt", "updatedAt", "versionNumber")


def new_body(draft: ExperimentDraft) -> dict[str, Any]:
    """The body that makes an experiment, without its lists.

    Every id of a part is replaced by a fresh one: a server up to 6.2 dies of one that it has already.
    """
    parts: list[ConditionDraft | DecisionPointDraft] = [*draft.conditions, *draft.decision_points]
    fresh = {part.id: _new_id() for part in parts}
    body = draft.model_dump(by_alias=True, exclude_none=True) | {
        "type": "Simple",
        "conditions": _parts(draft.conditions, fresh),
        "partitions": _parts(draft.decision_points, fresh),
    }
    if draft.revert_to is not None:
        if draft.revert_to not in fresh:
            raise Invalid("bad_id", f"{draft.revert_to} is not a condition of the draft.", "Use the id of one of them.")
        body["revertTo"] = fresh[draft.revert_to]
    return body


def changed_body(before: Mapping[str, Any], changes: ExperimentChanges) -> dict[str, Any]:
    """The body that replaces the experiment `before`, as the server answered it, by the changed one."""
    # Written back, these would put the experiment to the past.
    body = {name: value for name, value in before.items() if name not in _STALE}
    body["state"] = internal(body.get("state"))
    body |= changes.model_dump(by_alias=True, exclude_unset=True)
    if "conditions" in changes.model_fields_set:
        body["conditions"] = _merged(changes.conditions, before.get("conditions"))
    if "decision_points" in changes.model_fields_set:
        body["partitions"] = _merged(changes.decision_points, before.get("partitions"))
    ids = {str(part["id"]) for name in ("conditions", "partitions") for part in body.get(name) or ()}
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
            merged.append({**old, **_explicit_fields(draft), "id": draft.id, "order": place})
        elif "id" in draft.model_fields_set:
            # As a new part it would silently replace one that is deleted with all its enrolments.
            message = f"The experiment has no condition or decision point {draft.id}."
            raise Invalid("bad_id", message, "Leave out the id of a new one.")
        else:
            merged.append({**draft.model_dump(by_alias=True), "order": place})
    return merged


def _explicit_fields(draft: Draft) -> dict[str, Any]:
    return draft.model_dump(by_alias=True, exclude_unset=True)


def _part_id(payload: Mapping[str, Any], name: str) -> str | None:
    part = payload.get(name)
    found = part.get("id") if isinstance(part, Mapping) else part
    return None if found is None else str(found)
