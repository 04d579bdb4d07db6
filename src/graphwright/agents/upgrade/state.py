"""What the UpGrade agent's actions see: the channels of flow.yaml, typed."""

from __future__ import annotations

from typing import Any, Literal, TypedDict

CurrentState = Literal["ANALYZING", "GATHERING_INFO", "CONFIRMING", "EXECUTING", "RESPONDING"]
IntentType = Literal["direct_answer", "needs_info"]
Awaiting = Literal["nothing", "confirmation", "step", "offer", "reply"]


class State(TypedDict, total=False):
    """The channels, and the answers by key."""

    message: str
    answers: dict[str, Any]
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
    experiment_names: list[dict[str, str]] | None
    all_experiments: list[dict[str, Any]] | None
    gathered_info: dict[str, Any]
    needs_confirmation: bool
    confirmation_message: str | None
    user_confirmed: bool
    execution_log: list[dict[str, Any]]
    errors: dict[str, str]
    final_response: str
    conversation_complete: bool
    awaiting: Awaiting
    asked: str
    choices: list[dict[str, str]]
    note: str
    guided: bool
    offering: bool
    ask_model: bool
    request: str
    later: str
    look_up: str
    queue: list[dict[str, Any]]
    said: list[str]
    about: dict[str, Any] | None
    last_about: str
    cautions: list[str]
    marks: list[str]
    answer: str
    outcome: str
    declined: str
    place: str
