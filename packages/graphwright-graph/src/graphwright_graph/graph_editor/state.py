# Generated from flow.yaml by `graphwright check --stubs`: change the flow and generate it again.
"""The state that the actions of this agent see: the message, the answers and the channels of the flow."""

from __future__ import annotations

from typing import Any, Literal, TypedDict


class Answers(TypedDict, total=False):
    confirmed: bool | str
    reply: str
    change: Literal["add", "connect", "change", "delete", "look_up", "leave"]
    label: str
    new_label: str
    key: str
    words: str
    node: str
    type: str
    new_type: str
    other: str
    edge: str
    property: str
    new_property: str
    value: str


class Note(TypedDict, total=False):
    asked: str
    said: str
    difference: bool


class Goal(TypedDict, total=False):
    text: str
    intent: str
    entities: list[str]
    constraints: list[str]
    contradictions: list[str]
    out_of_scope: str
    question: str
    reply: str
    confidence: float
    notes: list[Note]


class Call(TypedDict, total=False):
    because: str
    tool_name: str
    arguments: dict[str, Any]
    words: dict[str, str]


class Plan(TypedDict, total=False):
    step: str
    tools: list[Call]
    is_final: bool
    rationale: str


class MadeCall(TypedDict, total=False):
    tool_name: str
    arguments: dict[str, Any]


class Table(TypedDict, total=False):
    columns: list[str]
    rows: list[list[Any]]
    truncated: bool
    notes: list[str]
    count: int


class Result(TypedDict, total=False):
    call: MadeCall
    because: str
    tried: bool
    table: Table


class Quote(TypedDict, total=False):
    because: str
    words: dict[str, str]


class Preview(TypedDict, total=False):
    needed: bool
    text: str
    question: str
    binding: str


class Failure(TypedDict, total=False):
    code: str
    message: str
    findings: list[str]
    options: list[str]
    transient: bool


class FailedStep(TypedDict, total=False):
    code: str
    calls: list[Call]
    findings: list[str]


class Diagnosis(TypedDict, total=False):
    kind: str
    remedy: str
    attempts: int


class Option(TypedDict, total=False):
    value: str
    title: str


class Escalation(TypedDict, total=False):
    question: str
    options: list[Option]
    code: str


class Committed(TypedDict, total=False):
    goals: list[str]
    changes: list[dict[str, Any]]


class Request(TypedDict, total=False):
    request: str
    notes: list[Note]
    did: str
    goal: str


class Draft(TypedDict, total=False):
    small: bool
    values: dict[str, Any]
    said: list[str]
    kinds: dict[str, list[str]]


class State(TypedDict, total=False):
    message: str
    answers: Answers
    goal: Goal
    language: str
    complexity: Literal["simple", "complex"]
    plan: Plan
    rounds: int
    results: list[Result]
    staged: list[dict[str, Any]]
    quotes: list[Quote]
    changes: list[dict[str, Any]]
    restage: Literal["", "review", "correction"]
    preview: Preview
    doubted: bool
    doubts: list[str]
    status: Literal["none", "success", "error"]
    goal_complete: bool
    retries_left: int
    failure: Failure
    failures: list[FailedStep]
    diagnosis: Diagnosis | None
    remedy: Literal["none", "retry", "replan", "guide", "escalate"]
    escalation: Escalation
    questions: int
    guided: bool
    stopped: bool
    committed: Committed | None
    recent: list[Request]
    labels: list[Option]
    types: list[Option]
    found: list[Option]
    edges: list[Option]
    properties: list[Option]
    draft: Draft
