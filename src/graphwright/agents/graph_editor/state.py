"""The typed view of the flow's state, for the actions of this agent."""

from __future__ import annotations

from typing import Any, TypedDict


class Goal(TypedDict):
    """The goal in hand, as the model understood it. `notes` are what was asked and said since: `{asked, said}`."""

    text: str
    intent: str
    entities: list[str]
    constraints: list[str]
    contradictions: list[str]
    out_of_scope: str
    question: str
    confidence: float
    notes: list[dict[str, str]]


class Plan(TypedDict):
    """The planned step; `tools` are calls: `{because, tool_name, arguments}`."""

    step: str
    tools: list[dict[str, Any]]
    is_final: bool
    rationale: str


class Preview(TypedDict):
    """The difference as it is shown, and the hash that binds a yes to it."""

    needed: bool
    text: str
    binding: str


class Failure(TypedDict):
    """What went wrong: `message` for people, `findings` for the model, `options` that the user could choose.

    What is `transient` may go well as it is later.
    """

    code: str
    message: str
    findings: list[str]
    options: list[str]
    transient: bool


class Escalation(TypedDict):
    """A question to the user; an option is `{value, title}`."""

    question: str
    options: list[dict[str, str]]
    code: str


class State(TypedDict, total=False):
    """The channels of the flow, and the answers."""

    answers: dict[str, Any]
    message: str
    goal: Goal
    complexity: str
    plan: Plan
    rounds: int
    results: list[dict[str, Any]]
    staged: list[dict[str, Any]]
    changes: list[dict[str, Any]]
    restage: str
    preview: Preview
    doubted: bool
    doubts: list[str]
    status: str
    goal_complete: bool
    retries_left: int
    failure: Failure
    failures: list[dict[str, Any]]
    diagnosis: dict[str, Any] | None
    remedy: str
    escalation: Escalation
    questions: int
    guided: bool
    stopped: bool
    committed: dict[str, Any] | None
    recent: list[dict[str, Any]]
    labels: list[dict[str, str]]
    types: list[dict[str, str]]
    found: list[dict[str, str]]
    edges: list[dict[str, str]]
    properties: list[dict[str, str]]
    draft: dict[str, Any]
