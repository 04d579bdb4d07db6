"""What a server says of itself and of users: groups, assignments, visits, and how many are enrolled."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import BeforeValidator, Field

from graphwright.agents.upgrade.client.experiment import Read, Text


def _object(value: Any) -> Any:
    return {} if value is None else value


class Health(Read):
    """What a server says of itself."""

    name: Text = ""
    version: str
    description: Text = ""


class ContextMetadata(Read):
    """What a server knows of an app: its codes, sites, targets and types of groups."""

    conditions: tuple[str, ...] = Field((), validation_alias="CONDITIONS")
    group_types: tuple[str, ...] = Field((), validation_alias="GROUP_TYPES")
    sites: tuple[str, ...] = Field((), validation_alias="EXP_POINTS")
    targets: tuple[str, ...] = Field((), validation_alias="EXP_IDS")


class User(Read):
    """A user with the groups it belongs to, and for each type the one it works in."""

    id: str
    groups: Annotated[dict[str, tuple[str, ...]], BeforeValidator(_object)] = Field(
        default_factory=dict, validation_alias="group"
    )
    working_groups: Annotated[dict[str, str], BeforeValidator(_object)] = Field(
        default_factory=dict, validation_alias="workingGroup"
    )


class Aliases(Read):
    """The other ids of a user."""

    user_id: str
    aliases: tuple[str, ...]


class AssignedPayload(Read):
    """What an app gets beside the code."""

    type: Text = ""
    value: Text = ""


class AssignedCondition(Read):
    """The condition that a user is assigned."""

    id: Text = ""
    code: Text = Field("", validation_alias="conditionCode")
    experiment_id: Text = ""
    payload: AssignedPayload | None = None


class Assignment(Read):
    """What a user is assigned at a decision point."""

    site: str
    target: Text = ""
    experiment_type: Text = ""
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


class PointEnrollment(Read):
    """How many users and groups are enrolled at a decision point."""

    id: str
    users: int
    groups: int


class ConditionEnrollment(PointEnrollment):
    """How many are enrolled in a condition, and at which of the decision points."""

    points: tuple[PointEnrollment, ...] = Field((), validation_alias="partitions")


class EnrollmentCount(PointEnrollment):
    """How many are enrolled in an experiment."""


class EnrollmentDetail(EnrollmentCount):
    """How many are enrolled in an experiment, by condition, and how many are excluded."""

    users_excluded: int = 0
    groups_excluded: int = 0
    conditions: tuple[ConditionEnrollment, ...] = ()


class UserExclusion(Read):
    """That an experiment takes a user no more, and why."""

    user_id: str
    experiment_id: str
    reason: Text = Field("", validation_alias="exclusionCode")
