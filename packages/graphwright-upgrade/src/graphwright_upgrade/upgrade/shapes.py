"""Experiments: the list of a server, and one experiment with its settings, lists and enrolments."""

from __future__ import annotations

from datetime import datetime
from typing import Literal

from pydantic import BaseModel, Field

from graphwright_server.shapes import Whole, sometimes

State = Literal["inactive", "scheduled", "preview", "enrolling", "enrollmentComplete", "cancelled", "archived", "draft"]


class ExperimentRow(BaseModel):
    """An experiment of the list."""

    id: str
    name: str
    context: str
    state: State
    unit: str = Field(description="The unit of assignment: `individual` or `group`.")
    created: datetime | None
    updated: datetime | None
    users: int | None = Field(description="The number of enrolled users; null before it has begun.")
    groups: int | None


class Experiments(Whole[ExperimentRow]):
    """The experiments that were changed last."""

    total: int = Field(description="The total number.")
    server: str
    local: bool = Field(description="The server is the local service.")


class ExperimentCondition(BaseModel):
    """A condition, with its weight in per cent."""

    code: str
    weight: float


class DecisionPoint(BaseModel):
    """The place in an app that requests a condition."""

    site: str
    target: str
    exclude_if_reached: bool


class EnrollmentGoal(BaseModel):
    """The number of users or groups after which the experiment is complete."""

    users: int | None
    groups: int | None


class ListCounts(BaseModel):
    """The number of users, groups and segments on the lists of a side."""

    users: int
    groups: int
    segments: int


class Group(BaseModel):
    """A group of users, such as a school."""

    type: str
    id: str


class Members(BaseModel):
    """The members of the lists of a side."""

    users: list[str]
    groups: list[Group]


class BothSides(BaseModel):
    """The included and the excluded members."""

    include: Members
    exclude: Members


class ConditionCounts(ExperimentCondition):
    """The number of users and groups in a condition."""

    users: int
    groups: int


class Split(BaseModel):
    """The chi-square test of the split against the weights."""

    fair: bool | None = Field(description="A fair draw may have this result; null if no one was counted.")
    chi_square: float | None = Field(description="Null if someone has a condition of weight 0.")
    degrees: int = Field(description="Degrees of freedom: the number of possible conditions minus one.")
    p_value: float | None = Field(description="Null if no one was counted.")
    enough: bool = Field(description="Enough units were counted for the test to be meaningful.")
    verdict: str = Field(description="The result of the test in one or two sentences.")


class Enrollment(BaseModel):
    """The number of enrolled and excluded users and groups."""

    users: int
    excluded_users: int
    groups: int = sometimes("If groups are assigned.")
    excluded_groups: int = sometimes("If groups are assigned.")
    conditions: list[ConditionCounts]
    split: Split = sometimes("If a condition has a weight above 0.")


class Experiment(BaseModel):
    """An experiment."""

    experiment_id: str
    name: str
    description: str
    context: str
    state: State
    unit: str = Field(description="The unit of assignment: `individual` or `group`.")
    group: str = Field(description="The type of groups; empty if no group is assigned.")
    consistency: str
    post_rule: str
    revert_to: str | None = Field(description="The condition that everyone gets after the end; null for the default.")
    filter_mode: str
    tags: list[str]
    conditions: list[ExperimentCondition]
    decision_points: list[DecisionPoint]
    include: ListCounts
    exclude: ListCounts
    goal: EnrollmentGoal | None
    members: BothSides
    enrollment: Enrollment = sometimes("If enrolment has begun.")
