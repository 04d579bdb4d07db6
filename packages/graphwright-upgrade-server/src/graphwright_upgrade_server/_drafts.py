"""An experiment as it is sent, to create it or to replace another: checked completely, and read into plain values."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from graphwright_upgrade_server._routing import Service
from graphwright_upgrade_server._segments import Members
from graphwright_upgrade_server._serialization import INTERNAL, STATES, Json, internal_state
from graphwright_upgrade_server._validation import Checked
from graphwright_upgrade_server.failures import BadRequest, Failure, OutOfScope

UNITS = ("individual", "group", "within-subjects")
RULES = ("individual", "experiment", "group")
POST_RULES = ("continue", "revert", "assign")
ALGORITHMS = ("random", "stratified random sampling", "ts_configurable")
ORDERS = ("random", "random round robin", "ordered round robin")
PAYLOAD_TYPES = ("string", "json", "csv")

_LISTS = ("experimentSegmentInclusion", "experimentSegmentExclusion")


@dataclass(frozen=True, slots=True)
class DraftCondition:
    """A condition as sent, by the columns of its table. `id` is any text of the sender."""

    id: str
    condition_code: str
    assignment_weight: float
    name: str | None
    description: str | None
    two_character_id: str | None


@dataclass(frozen=True, slots=True)
class DraftPartition:
    """A decision point as sent, by the columns of its table."""

    id: str
    site: str
    target: str | None
    description: str | None
    exclude_if_reached: bool
    two_character_id: str | None


@dataclass(frozen=True, slots=True)
class DraftPayload:
    """A payload as sent; `condition` and `partition` are the ids of a draft condition and a draft partition (or "")."""

    id: str
    condition: str
    partition: str
    type: str
    value: str


@dataclass(frozen=True, slots=True)
class DraftList:
    """An inclusion or exclusion list that was sent with an experiment."""

    name: str | None
    description: str | None
    list_type: str | None
    members: Members


@dataclass(frozen=True, slots=True)
class Draft:
    """A checked experiment. `columns` are the columns that the sender determines; `state` is the internal name.

    `payloads` is None if the field was not sent. `extra` has the unknown fields.
    """

    id: str | None
    context: str
    state: str
    columns: Json
    conditions: list[DraftCondition]
    partitions: list[DraftPartition]
    payloads: list[DraftPayload] | None
    inclusions: list[DraftList]
    exclusions: list[DraftList]
    updated: str | None
    version: int | None
    extra: Json


def read(body: Any, service: Service, *, replacing: bool) -> Draft:
    """Check a body and read it. `replacing`: it is a PUT, which keeps its ids and accepts both spellings of the state.

    Raises InvalidBody (shape), BadRequest (context, code), OutOfScope (a design that the service does not support).
    """
    if isinstance(body, dict):
        _refuse_designs(body)
    sent = Checked(body)
    contexts = sent.texts("context", required=True)
    if sent.has("context") and not (contexts and contexts[0]):
        sent.note("context", "must name a context")
    columns = _columns(sent)
    # The original accepts a display name on creation, and fails in the database.
    state = sent.one_of("state", (*STATES, *INTERNAL) if replacing or service.strict else STATES)
    # The original accepts any text as the id of a PUT, and fails in the database.
    by_uuid = replacing and not service.strict
    conditions = [_condition(one, by_uuid) for one in sent.objects("conditions", required=True)]
    partitions = [_partition(one, by_uuid) for one in sent.objects("partitions", required=True)]
    payloads = [_payload(one) for one in sent.objects("conditionPayloads")]
    _check_payloads(sent, payloads, conditions, partitions)
    _check_echoes(sent)
    inclusions, exclusions = ([_list(one) for one in sent.objects(name)] for name in _LISTS)
    draft = Draft(
        id=sent.uuid("id", required=False),
        context=(contexts or [""])[0],
        state=internal_state(state),
        columns=columns,
        conditions=conditions,
        partitions=partitions,
        # A payload that names no point is accepted and dropped, as on a real server.
        payloads=[one for one in payloads if one.partition] if sent.has("conditionPayloads") else None,
        inclusions=inclusions,
        exclusions=exclusions,
        updated=sent.time("updatedAt"),
        version=sent.whole_number("versionNumber") if sent.has("versionNumber") else None,
        extra={name: value for name, value in sent.fields().items() if name not in _FIELDS},
    )
    sent.refuse()
    if draft.context not in service.contexts:
        raise BadRequest(f'The app context "{draft.context}" is not defined in CONTEXT_METADATA.')
    if any(one.condition_code.lower() == "default" for one in conditions):
        raise BadRequest("'default' as ConditionCode is not allowed.")
    if state in INTERNAL and not replacing:
        message = f'invalid input value for enum experiment_state_enum: "{state}"'
        raise Failure(500, message, "Query Failed", name="QueryFailedError")
    return draft


_FIELD_NAMES = """
id name description context state startOn endOn consistencyRule assignmentUnit postExperimentRule revertTo tags group
conditionOrder assignmentAlgorithm filterMode enrollmentCompleteCondition type conditions partitions factors
conditionPayloads queries experimentSegmentInclusion experimentSegmentExclusion stratificationFactor stateTimeLogs
backendVersion moocletPolicyParameters createdAt updatedAt versionNumber
"""
_FIELDS = frozenset(_FIELD_NAMES.split())


def _refuse_designs(body: Json) -> None:
    for field, value, what in (
        ("type", "Factorial", "factorial designs"),
        ("assignmentUnit", "within-subjects", "within-subjects designs"),
        ("assignmentAlgorithm", "stratified random sampling", "stratified sampling"),
        ("assignmentAlgorithm", "ts_configurable", "adaptive (ts_configurable) designs"),
        ("state", "scheduled", "a scheduled start"),
    ):
        if body.get(field) == value:
            raise OutOfScope(what)
    for field, what in (
        ("factors", "factorial designs"),
        ("queries", "metrics"),
        ("stratificationFactor", "stratified sampling"),
        ("moocletPolicyParameters", "adaptive (ts_configurable) designs"),
    ):
        if body.get(field):
            raise OutOfScope(what)


def _columns(sent: Checked) -> Json:
    unit = sent.one_of("assignmentUnit", UNITS)
    group = sent.optional_text("group")
    if (unit == "group") != bool(group):
        sent.note("group", "must name the group type exactly when `assignmentUnit` is group")
    return {
        "name": sent.text("name"),
        "description": sent.optional_text("description") or "",
        "start_on": sent.time("startOn"),
        "end_on": sent.time("endOn"),
        "consistency_rule": sent.one_of("consistencyRule", RULES),
        "assignment_unit": unit,
        "post_experiment_rule": sent.one_of("postExperimentRule", POST_RULES),
        "revert_to": sent.uuid("revertTo", required=False),
        "tags": sent.texts("tags", required=True),
        "group": group or None,
        "condition_order": sent.optional_one_of("conditionOrder", ORDERS),
        "assignment_algorithm": sent.optional_one_of("assignmentAlgorithm", ALGORITHMS) or ALGORITHMS[0],
        "filter_mode": sent.one_of("filterMode", ("includeAll", "excludeAll")),
        "enrollment_complete_condition": _complete_condition(sent),
        "type": sent.one_of("type", ("Simple",)),
    }


def _complete_condition(sent: Checked) -> Json | None:
    if not sent.has("enrollmentCompleteCondition"):
        return None
    counts = sent.object("enrollmentCompleteCondition")
    return {name: counts.whole_number(name) for name in ("userCount", "groupCount") if counts.has(name)}


def _id(sent: Checked, by_uuid: bool) -> str:
    return (sent.uuid("id") or "") if by_uuid else sent.text("id")


def _two_characters(sent: Checked) -> str | None:
    value = sent.optional_text("twoCharacterId")
    if value is not None and len(value) != 2:
        sent.note("twoCharacterId", "must have two characters")
    return value


def _condition(sent: Checked, by_uuid: bool) -> DraftCondition:
    sent.whole_number("order")
    return DraftCondition(
        id=_id(sent, by_uuid),
        condition_code=sent.text("conditionCode"),
        assignment_weight=sent.number("assignmentWeight"),
        name=sent.optional_text("name"),
        description=sent.optional_text("description"),
        two_character_id=_two_characters(sent),
    )


def _partition(sent: Checked, by_uuid: bool) -> DraftPartition:
    sent.whole_number("order")
    return DraftPartition(
        id=_id(sent, by_uuid),
        site=sent.text("site"),
        target=sent.optional_text("target"),
        description=sent.optional_text("description"),
        exclude_if_reached=sent.flag("excludeIfReached"),
        two_character_id=_two_characters(sent),
    )


def _payload(sent: Checked) -> DraftPayload:
    payload = sent.object("payload")
    value = payload.optional_text("value")
    if value is None and not payload.has("value"):
        payload.note("value", "is missing")
    return DraftPayload(
        id=sent.text("id"),
        condition=sent.text("parentCondition"),
        partition=sent.optional_text("decisionPoint") or "",
        type=payload.one_of("type", PAYLOAD_TYPES),
        value=value or "",
    )


def _check_payloads(
    sent: Checked,
    payloads: list[DraftPayload],
    conditions: list[DraftCondition],
    partitions: list[DraftPartition],
) -> None:
    for field, parts in (("conditions", conditions), ("partitions", partitions)):
        if len({part.id for part in parts}) < len(parts):
            sent.note(field, "must not use an id twice")
    known_conditions, known_partitions = {c.id for c in conditions}, {p.id for p in partitions}
    for index, one in enumerate(payloads):
        if one.condition not in known_conditions:
            sent.note(f"conditionPayloads[{index}].parentCondition", "must be the id of a condition that is sent")
        if one.partition and one.partition not in known_partitions:
            sent.note(f"conditionPayloads[{index}].decisionPoint", "must be the id of a partition that is sent")


def _check_echoes(sent: Checked) -> None:
    """Check fields of answers that a body may contain: they are not used, but must have their shapes."""
    sent.optional_text("backendVersion")
    for log in sent.objects("stateTimeLogs"):
        for name in ("fromState", "toState"):
            log.one_of(name, (*STATES, *INTERNAL))
        if log.time("timeLog") is None:
            log.note("timeLog", "must be an ISO 8601 time")


def _list(sent: Checked) -> DraftList:
    segment = sent.object("segment")
    segment.optional_one_of("type", ("private",))
    members = Members.of(
        [one.text("userId") for one in segment.objects("individualForSegment")],
        [(one.text("type"), one.text("groupId")) for one in segment.objects("groupForSegment")],
        [one.uuid("id") or "" for one in segment.objects("subSegments")],
    )
    return DraftList(
        name=segment.optional_text("name") or None,
        description=segment.optional_text("description"),
        list_type=segment.optional_text("listType") or None,
        members=members,
    )
