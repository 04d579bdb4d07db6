"""The typed view of the flow's state, for the actions of this agent."""

from __future__ import annotations

from typing import Any, NotRequired, TypedDict


class Answers(TypedDict, total=False):
    """What the user said to a question."""

    reply: str
    confirmed: bool | str


class Goal(TypedDict):
    """The goal in hand.

    `named` are keys of nodes that the request names, `notes` what the user added to it, `agreed` keys that may be
    created, and `settled` values that are out, with what stands for them. `id` is empty where the journal could not be
    reached; `key` is then what the goal is begun under, however often that has to be tried.
    """

    id: str
    key: NotRequired[str]
    text: str
    intent: str
    complexity: str
    entities: list[str]
    constraints: list[str]
    named: list[str]
    notes: list[str]
    agreed: list[str]
    settled: dict[str, Any]


class Plan(TypedDict):
    """The planned step, as the model proposed it. An empty `tool_name`: nothing is left to do."""

    step: str
    tool_name: str
    arguments: dict[str, Any]
    is_final: bool
    rationale: str


class Signature(TypedDict):
    """The call as it will be made."""

    tool_name: str
    arguments: dict[str, Any]


class Preview(TypedDict):
    """What a call would do, and the hash that binds the confirmation to it; `asked_at` is ISO 8601."""

    needed: bool
    text: str
    binding: str
    asked_at: str


class Failure(TypedDict):
    """Why a step failed, and what the user could choose."""

    code: str
    message: str
    options: list[dict[str, Any]]
    about: str


class Escalation(TypedDict):
    """A question to the user; `asked_at` is ISO 8601."""

    question: str
    options: list[dict[str, Any]]
    code: str
    asked_at: str


class State(TypedDict, total=False):
    """The channels of the flow, and the answers."""

    answers: Answers
    message: str
    goal: Goal | None
    plan: Plan | None
    signature: Signature | None
    preview: Preview
    failure: Failure | None
    failure_code: str
    status: str
    goal_complete: bool
    retries_left: int
    remedy: str
    diagnosis: dict[str, Any] | None
    escalation: Escalation
    questions_asked: int
    expired: bool
    stopped: bool
    done: list[dict[str, Any]]
    failures: list[dict[str, Any]]
    result: dict[str, Any] | None
    recent: list[str]
