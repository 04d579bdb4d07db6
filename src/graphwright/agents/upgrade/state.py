"""What the UpGrade agent's actions see: the channels of flow.yaml, typed."""

from __future__ import annotations

from typing import Any, Literal, TypedDict

CurrentState = Literal["ANALYZING", "GATHERING_INFO", "CONFIRMING", "EXECUTING", "RESPONDING"]
IntentType = Literal["direct_answer", "needs_info"]
Awaiting = Literal["nothing", "confirmation", "reply"]


class Answers(TypedDict, total=False):
    """What the user replied: to a confirmation yes, no, or anything else as text; to any other question a text."""

    user_confirmed: bool | str
    user_input: str


class LogEntry(TypedDict):
    """An action that was executed. `timestamp` is ISO 8601, `status` `success` or `error`."""

    timestamp: str
    action: str
    params: dict[str, Any]
    result: dict[str, Any] | None
    status: str
    error_message: str | None


class State(TypedDict, total=False):
    """The channels, and the answers."""

    message: str
    answers: Answers
    user_input: str
    conversation_history: list[dict[str, str]]
    current_state: CurrentState
    intent_type: IntentType | None
    confidence: float
    user_request_summary: str | None
    action_needed: str | None
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
    awaiting: Awaiting
    executed: bool
    declined: dict[str, Any] | None
    topic: str
    refused: dict[str, Any] | None
    choice: dict[str, Any] | None
    about: dict[str, Any] | None
    warnings: list[str]
    queued: list[str]
    said: list[str]
    shown: list[dict[str, Any]]
    place: str
    unanswered: dict[str, str] | None
