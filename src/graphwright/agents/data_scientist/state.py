"""The typed view of the flow's state, for the actions of this agent."""

from __future__ import annotations

from typing import Any, TypedDict

from graphwright.agents.data_scientist.slips import Join
from graphwright.agents.data_scientist.winners import Winner


class Plan(TypedDict):
    """Which steps answer the question."""

    needs_code: bool
    needs_evaluation: bool
    needs_explanation: bool
    reasoning: str


class Dataset(TypedDict):
    """What is known of a data set; the data itself stands in the Parquet file `parquet`.

    `columns` have `name`, `type`, and `values` where there are few; `notes` say how the file was read; `joins` are the
    data sets of which each row here finds at most one. `file` is the hash of the file's content, `given` its title.
    """

    name: str
    file: str
    given: str
    rows: int
    rows_there: int
    columns: list[dict[str, Any]]
    columns_there: int
    joins: list[Join]
    notes: list[str]
    parquet: str


class Attempt(TypedDict):
    """An attempt that failed: its number from 1, the code and the error."""

    attempt: int
    code: str
    error: str


class Figure(TypedDict):
    """A picture, by the names of its artifacts; empty where there is no such file of it."""

    name: str
    png: str
    html: str


class ExecutionResult(TypedDict):
    """What the code came to. `type` is `visualization`, `analysis` or None; `numbers` are those a text may name, and
    `winner` the group that the question asks for, where it does.

    `files` are all that was saved, `shown` what its pictures show in words, `notes` what the user is told of the files.
    """

    type: str | None
    figures: list[Figure]
    files: list[str]
    result_str: str
    shown: str
    notes: list[str]
    stdout: str
    numbers: list[float]
    winner: Winner | None
    isolation: str
    seconds: float


class FinalOutput(TypedDict):
    """The answer as a package."""

    explanation: str
    evaluation: str | None
    code: str | None
    plan: Plan
    output_type: str | None
    figures: list[Figure]
    result_str: str | None
    failed_attempts: list[Attempt]
    error: str | None


class State(TypedDict, total=False):
    """The channels of the flow."""

    message: str
    question: str
    datasets: dict[str, Dataset]
    data_summary: str
    left_out: list[str]
    messages: list[dict[str, Any]]
    plan: Plan
    problem: str
    failure: str
    code: str | None
    execution_result: ExecutionResult | None
    execution_success: bool
    error: str | None
    attempts: int
    failed_attempts: list[Attempt]
    evaluation: str | None
    explanation: str | None
    final_output: FinalOutput | None
