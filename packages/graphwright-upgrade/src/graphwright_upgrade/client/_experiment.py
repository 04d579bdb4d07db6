"""The answers of a server: the server itself, experiments with lists, users, assignments, visits and enrolments."""

from __future__ import annotations

from collections.abc import Mapping, Set
from datetime import datetime
from enum import StrEnum
from typing import Annotated, Any

from pydantic import AfterValidator, AliasGenerator, BaseModel, BeforeValidator, ConfigDict, Field, model_validator
from pydantic.alias_generators import to_camel


class State(StrEnum):
    """The state of an experiment, by its internal name. Servers from 6.3 on answer three of them by other names."""

    INACTIVE = "inactive"
    SCHEDULED = "scheduled"
    PREVIEW = "preview"
    ENROLLING = "enrolling"
    ENROLLMENT_COMPLETE = "enrollmentComplete"
    CANCELLED = "cancelled"
    ARCHIVED = "archived"
    DRAFT = "draft"

    @property
    def following(self) -> tuple[State, ...]:
        """The states that an experiment may go to from this one by hand."""
        if self in (State.CANCELLED, State.ARCHIVED):
            return ()
        on = {
            **dict.fromkeys((State.INACTIVE, State.ENROLLMENT_COMPLETE), (State.ENROLLING,)),
            State.ENROLLING: (State.ENROLLMENT_COMPLETE,),
        }
        return (*on.get(self, ()), State.CANCELLED)


DISPLAY_NAMES: Mapping[str, State] = {
    "running": State.ENROLLING,
    "paused": State.ENROLLMENT_COMPLETE,
    "completed": State.CANCELLED,
}
"""The names of some states in the web page and in servers from 6.3."""


def internal(state: Any) -> Any:
    """The internal name of a state, whichever of its names is given; anything else as it is."""
    return DISPLAY_NAMES.get(state, state) if isinstance(state, str) else state


def _or(empty: Any) -> BeforeValidator:
    """The value of null."""
    return BeforeValidator(lambda value: empty if value is None else value)


def _lists(value: Any) -> Any:
    # Servers up to 6.2 answer the only list, not an array.
    return (value,) if isinstance(value, dict) else value


def _id(value: Any) -> Any:
    return value.get("id") if isinstance(value, dict) else value


def _first(value: Any) -> Any:
    return (value[0] if value else "") if isinstance(value, list) else value or ""


Text = Annotated[str, _or("")]
AnyState = Annotated[State, BeforeValidator(internal)]


class Read(BaseModel):
    """The base of responses, with camelCase names: immutable, and unknown fields are ignored."""

    model_config = ConfigDict(frozen=True, extra="ignore", alias_generator=AliasGenerator(validation_alias=to_camel))


class ExperimentName(Read):
    """An experiment by name. Names are not unique."""

    id: str
    name: Text


class Condition(Read):
    """A condition; `weight` in per cent. `code` is what an app gets."""

    id: str
    code: str = Field(validation_alias="conditionCode")
    weight: float = Field(validation_alias="assignmentWeight")
    order: int | None = None


class DecisionPoint(Read):
    """Where an app asks for a condition."""

    id: str
    site: str
    target: Text = ""
    order: int | None = None
    exclude_if_reached: bool = False


class Payload(Read):
    """The payload of a condition; `decision_point_id` is empty if it applies at all points."""

    id: str
    condition_id: Annotated[str, BeforeValidator(_id)] = Field(validation_alias="parentCondition")
    decision_point_id: Annotated[Text, BeforeValidator(_id)] = Field("", validation_alias="decisionPoint")
    type: Text = ""
    value: Text = ""

    @model_validator(mode="before")
    @classmethod
    def _flat(cls, data: Any) -> Any:
        payload = data.get("payload") if isinstance(data, dict) else None
        return {**data, **payload} if isinstance(payload, dict) else data


class Group(Read):
    """A group of users, such as the school (`type` schoolId) with the id s1."""

    type: str
    id: str = Field(validation_alias="groupId")


class UserList(Read):
    """A list of an experiment or a global exclude.

    `kind` is `individual`, a type of groups, `segment`, or empty as on servers up to 6.2, which mix them.
    """

    id: str
    name: Text = ""
    kind: Text = Field("", validation_alias="listType")
    context: Text = ""
    users: tuple[str, ...] = ()
    groups: Annotated[tuple[Group, ...], _or(())] = Field((), validation_alias="groupForSegment")
    segments: tuple[str, ...] = ()

    @property
    def members(self) -> tuple[tuple[str, str], ...]:
        """The members, as kind and id."""
        groups = [(group.type, group.id) for group in self.groups]
        return (*(("individual", id) for id in self.users), *groups, *(("segment", id) for id in self.segments))

    @property
    def empty(self) -> bool:
        """Whether it has no members."""
        return not self.members

    def without(self, gone: Set[tuple[str, str]]) -> UserList:
        """The list without these members, as kind and id."""
        kept = {
            "users": tuple(id for id in self.users if ("individual", id) not in gone),
            "groups": tuple(group for group in self.groups if (group.type, group.id) not in gone),
            "segments": tuple(id for id in self.segments if ("segment", id) not in gone),
        }
        return self.model_copy(update=kept)

    @model_validator(mode="before")
    @classmethod
    def _flat(cls, data: Any) -> Any:
        segment = data.get("segment", data) if isinstance(data, dict) else data
        if not isinstance(segment, dict):
            return data
        users, segments = segment.get("individualForSegment") or [], segment.get("subSegments") or []
        return {
            **segment,
            "users": [each.get("userId") if isinstance(each, dict) else each for each in users],
            "segments": [_id(each) for each in segments],
        }


Lists = Annotated[tuple[UserList, ...], _or(()), BeforeValidator(_lists)]


class StateChange(Read):
    """One change of state, at a time in UTC."""

    before: AnyState = Field(validation_alias="fromState")
    after: AnyState = Field(validation_alias="toState")
    time: datetime = Field(validation_alias="timeLog")


def _ordered(parts: tuple[Any, ...]) -> tuple[Any, ...]:
    # Servers answer conditions, points and changes in any order.
    return tuple(sorted(parts, key=lambda part: (part.order is None, part.order or 0)))


def _by_time(changes: tuple[StateChange, ...]) -> tuple[StateChange, ...]:
    return tuple(sorted(changes, key=lambda change: change.time))


class EnrollmentGoal(Read):
    """After how many users or groups an experiment is complete."""

    users: int | None = Field(None, validation_alias="userCount")
    groups: int | None = Field(None, validation_alias="groupCount")


class ExperimentSummary(ExperimentName):
    """An experiment as a list page contains it."""

    description: Text = ""
    context: Annotated[str, BeforeValidator(_first)] = ""
    state: AnyState
    tags: Annotated[tuple[str, ...], _or(())] = ()
    assignment_unit: Text = ""
    consistency_rule: Text = ""
    group: Text = ""
    post_experiment_rule: Text = ""
    revert_to: Text = ""
    filter_mode: Text = ""
    enrollment_goal: EnrollmentGoal | None = Field(None, validation_alias="enrollmentCompleteCondition")
    created: datetime | None = Field(None, validation_alias="createdAt")
    updated: datetime | None = Field(None, validation_alias="updatedAt")


class Experiment(ExperimentSummary):
    """An experiment whole. Conditions and points are in their order, state changes by time."""

    conditions: Annotated[tuple[Condition, ...], AfterValidator(_ordered)]
    decision_points: Annotated[tuple[DecisionPoint, ...], AfterValidator(_ordered)] = Field(
        validation_alias="partitions"
    )
    payloads: Annotated[tuple[Payload, ...], _or(())] = Field((), validation_alias="conditionPayloads")
    state_changes: Annotated[tuple[StateChange, ...], _or(()), AfterValidator(_by_time)] = Field(
        (), validation_alias="stateTimeLogs"
    )
    inclusions: Lists = Field((), validation_alias="experimentSegmentInclusion")
    exclusions: Lists = Field((), validation_alias="experimentSegmentExclusion")

    def lists(self, side: str) -> tuple[UserList, ...]:
        """The lists of a side, `inclusion` or `exclusion`."""
        return self.inclusions if side == "inclusion" else self.exclusions


class ExperimentPage(Read):
    """Some of the experiments that were asked for; `total` counts all of them."""

    total: int
    experiments: tuple[ExperimentSummary, ...] = Field(validation_alias="nodes")


# The server, and what it knows of users


class Health(Read):
    """The server's description of itself."""

    name: Text = ""
    version: str


class ContextMetadata(Read):
    """The registered parts of an app: codes, sites, targets and group types."""

    conditions: tuple[str, ...] = Field((), validation_alias="CONDITIONS")
    group_types: tuple[str, ...] = Field((), validation_alias="GROUP_TYPES")
    sites: tuple[str, ...] = Field((), validation_alias="EXP_POINTS")
    targets: tuple[str, ...] = Field((), validation_alias="EXP_IDS")


class User(Read):
    """A user with the groups it belongs to, and for each type the one it works in."""

    id: str
    groups: Annotated[dict[str, tuple[str, ...]], _or({})] = Field(default_factory=dict, validation_alias="group")
    working_groups: Annotated[dict[str, str], _or({})] = Field(default_factory=dict, validation_alias="workingGroup")


class Aliases(Read):
    """The further ids of a user."""

    user_id: str
    aliases: tuple[str, ...]


class AssignedPayload(Read):
    """The payload that an app gets with the code."""

    type: Text = ""
    value: Text = ""


class AssignedCondition(Read):
    """The condition that a user is assigned."""

    id: Text = ""
    code: Text = Field("", validation_alias="conditionCode")
    experiment_id: Text = ""
    payload: AssignedPayload | None = None


class Assignment(Read):
    """The assignment of a user at a decision point."""

    site: str
    target: Text = ""
    conditions: tuple[AssignedCondition, ...] = Field(validation_alias="assignedCondition", min_length=1)

    @property
    def condition(self) -> AssignedCondition:
        """The condition that comes next; only within-subjects experiments have more of them."""
        return self.conditions[0]


class Mark(Read):
    """The record of a visit. `condition` is the first that was ever recorded for this user at this point."""

    id: str
    user_id: str
    site: str
    target: Text = ""
    condition: Text = ""
    experiment_id: Text = ""


class Enrollment(Read):
    """How many users and groups are enrolled in an experiment, or in one of its conditions."""

    id: str
    users: int
    groups: int


class EnrollmentDetail(Enrollment):
    """How many are enrolled in an experiment, by condition, and how many are excluded."""

    users_excluded: int = 0
    groups_excluded: int = 0
    conditions: tuple[Enrollment, ...] = ()
