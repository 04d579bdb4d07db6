# Generated from flow.yaml by `graphwright check --stubs`: change the flow and generate it again.
"""The state that the actions of this agent see: the message, the answers and the channels of the flow."""

from __future__ import annotations

from typing import Any, Literal, TypedDict


class Answers(TypedDict, total=False):
    pass


class Dataset(TypedDict, total=False):
    name: str
    file: str
    given: str
    rows: int
    rows_there: int
    columns: list[dict[str, str]]
    notes: list[Any]
    parquet: str
    lazy: bool
    separator: str
    decimal: str


class Plan(TypedDict, total=False):
    needs_code: bool
    needs_evaluation: bool
    needs_explanation: bool
    cannot: str
    reasoning: str
    files: list[str | dict[str, str]]
    earlier: str
    language: str


class Look(TypedDict, total=False):
    query: str
    result: str


class Figure(TypedDict, total=False):
    name: str
    png: str
    html: str


class ExecutionResult(TypedDict, total=False):
    type: Literal["visualization", "analysis"]
    figures: list[Figure]
    files: list[str]
    tables: dict[str, str]
    written: list[str]
    undelivered: list[str]
    result_str: str
    told: str
    shown: str
    drawn: str
    values: list[Any]
    code: str
    used: dict[str, list[str]]
    notes: list[str]


class Attempt(TypedDict, total=False):
    attempt: int
    code: str
    error: str


class FinalOutput(TypedDict, total=False):
    explanation: str
    evaluation: str | None
    code: str | None
    plan: Plan
    output_type: Literal["visualization", "analysis", "error"] | None
    figures: list[Figure]
    result_str: str | None
    failed_attempts: list[Attempt]
    error: str | None


class State(TypedDict, total=False):
    message: str
    answers: Answers
    question: str
    datasets: dict[str, Dataset]
    data_summary: str
    left_out: list[str]
    notices: list[str]
    noted: list[str]
    messages: list[dict[str, Any]]
    plan: Plan
    failure: str
    looks: list[Look]
    code: str | None
    execution_result: ExecutionResult | None
    execution_success: bool
    error: str | None
    attempts: int
    failed_attempts: list[Attempt]
    findings: list[str]
    evaluation: str | None
    revise: bool
    doubt: str
    explanation: str | None
    final_output: FinalOutput | None
