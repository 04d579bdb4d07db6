# Generated from flow.yaml by `graphwright check --stubs`: change the flow and generate it again.
"""The state that the actions of this agent see: the message, the answers and the channels of the flow."""

from __future__ import annotations

from typing import Any, Literal, TypeAlias, TypedDict


class Answers(TypedDict, total=False):
    user_confirmed: bool | str
    user_input: str
    offer: str
    name: str
    context: str
    conditions: str
    decision_points: str
    more: str
    description: str
    tags: str
    unit: str
    consistency: str
    post_rule: str
    filter_mode: str
    include: str
    exclude: str
    experiment_id: str
    changes: str
    new_name: str
    uninclude: str
    unexclude: str
    status: str
    user_id: str
    group: str
    working_group: str
    site: str
    target: str
    condition_code: str
    users: str


class Said(TypedDict, total=False):
    role: str
    content: str


class LogEntry(TypedDict, total=False):
    timestamp: str
    action: str
    title: str
    params: dict[str, Any]
    result: dict[str, Any] | None
    status: str
    error_message: str | None


class Option(TypedDict, total=False):
    value: str
    title: str


Action: TypeAlias = Literal[
    "create_experiment",
    "update_experiment",
    "delete_experiment",
    "update_experiment_status",
    "init_experiment_user",
    "get_decision_point_assignments",
    "mark_decision_point",
    "simulate_experiment",
]


class Order(TypedDict, total=False):
    action: Action
    params: dict[str, Any] | None
    words: dict[str, str]
    request: str
    later: str
    incomplete: bool


class FinishedOrder(TypedDict, total=False):
    title: str
    result: Literal["done", "part", "unknown", "undone"]
    why: str
    told: bool
    parts: list[str]


Support: TypeAlias = Literal[
    "said",
    "quoted",
    "default",
    "shown",
    "exists",
    "unsupported",
    "contradicted",
]


class State(TypedDict, total=False):
    message: str
    answers: Answers
    user_input: str
    conversation_history: list[Said]
    current_state: Literal["ANALYZING", "GATHERING_INFO", "CONFIRMING", "EXECUTING", "RESPONDING"]
    intent_type: Literal["direct_answer", "needs_info"] | None
    confidence: float
    user_request_summary: str | None
    action_needed: Action | None
    action_params: dict[str, Any]
    missing_params: list[str]
    context_metadata: dict[str, Any] | None
    experiment_names: list[dict[str, Any]] | None
    all_experiments: list[dict[str, Any]] | None
    gathered_info: dict[str, Any]
    needs_confirmation: bool
    confirmation_message: str | None
    user_confirmed: bool
    execution_log: list[LogEntry]
    errors: dict[str, str]
    final_response: str
    conversation_complete: bool
    asked: str
    choices: list[Option]
    offers: list[Option]
    note: str
    guided: bool
    ask_model: bool
    request: str
    later: str
    queue: list[Order]
    finished: list[FinishedOrder]
    words: dict[str, str]
    question: str
    cannot: str
    said: list[str]
    about: dict[str, Any] | None
    last_about: str
    cautions: list[str]
    marks: list[str]
    supports: dict[str, Support]
    report: str
    place: str
    language: str
