"""What is to be written: an experiment, changes of one, a list."""

from __future__ import annotations

from typing import Annotated, Literal
from uuid import uuid4

from pydantic import AliasGenerator, BaseModel, ConfigDict, Field
from pydantic.alias_generators import to_camel

from graphwright.agents.upgrade.client.experiment import State

Side = Literal["inclusion", "exclusion"]
"""Whom a list is for: those who take part, or those who do not."""

Weight = Annotated[float, Field(allow_inf_nan=False)]


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


class PayloadDraft(Draft):
    """What an app gets beside the code of a condition, at one decision point or (None) at all of them.

    The ids are those of the drafts, or of the parts of the experiment that is changed.
    """

    condition_id: str
    decision_point_id: str | None = None
    type: Literal["string", "json", "csv"] = "string"
    value: str


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
    """What a new experiment and changes of one have in common."""

    description: str = ""
    assignment_unit: Literal["individual", "group"] = "individual"
    consistency_rule: Literal["individual", "group", "experiment"] = "individual"
    group: str | None = None
    post_experiment_rule: Literal["continue", "assign"] = "continue"
    revert_to: str | None = None
    filter_mode: Literal["includeAll", "excludeAll"] = "includeAll"
    tags: tuple[str, ...] = ()
    enrollment_goal: GoalDraft | None = None
    payloads: tuple[PayloadDraft, ...] = ()


class ExperimentDraft(_Design):
    """A new experiment. `id` is kept by the server, so that the same draft draws the same conditions on another server.

    Servers from 6.3 on make every new experiment with the rule `continue`, whatever `post_experiment_rule` says: set
    `assign` with an update. `revert_to` is the id of a condition draft.
    """

    id: str | None = None
    name: str
    context: str
    state: State = State.INACTIVE
    conditions: tuple[ConditionDraft, ...]
    decision_points: tuple[DecisionPointDraft, ...]
    inclusions: tuple[ListDraft, ...] = ()
    exclusions: tuple[ListDraft, ...] = ()


class ExperimentChanges(_Design):
    """Changes of an experiment: what is given replaces what is there, also by None or an empty tuple; the rest stays.

    Conditions and points that are left out are deleted, with their enrolments. A changed context deletes all lists.
    Lists and the state have calls of their own.
    """

    name: str = ""
    context: str = ""
    conditions: tuple[ConditionDraft, ...] = ()
    decision_points: tuple[DecisionPointDraft, ...] = ()
