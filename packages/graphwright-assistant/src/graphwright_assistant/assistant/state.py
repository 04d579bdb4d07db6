# Generated from flow.yaml by `graphwright check --stubs`: change the flow and generate it again.
"""The state that the actions of this agent see: the message, the answers and the channels of the flow."""

from __future__ import annotations

from typing import Any, Literal, TypeAlias, TypedDict


class Answers(TypedDict, total=False):
    confirmed: bool | str


class EarlierMessage(TypedDict, total=False):
    role: str
    content: str
    number: int


class ContextFile(TypedDict, total=False):
    name: str
    type: Literal["document", "image"]
    preview: str
    parts: list[dict[str, str]]
    cut: str
    notes: list[str]
    problem: str
    sha256: str


class ToolInfo(TypedDict, total=False):
    description: str
    input_schema: dict[str, Any]
    changes: bool | None


class SelectedTool(TypedDict, total=False):
    tool_name: str
    arguments: dict[str, Any]
    reasoning: str
    asks: bool


class ToolOutcome(TypedDict, total=False):
    tool_name: str
    arguments: dict[str, Any]
    iteration: int
    made: bool
    ok: bool
    error: str
    note: str
    sources: list[dict[str, Any]]


class Preview(TypedDict, total=False):
    needed: bool
    text: str


Support: TypeAlias = Literal[
    "said",
    "quoted",
    "default",
    "shown",
    "exists",
    "unsupported",
    "contradicted",
]


class Failure(TypedDict, total=False):
    code: str
    message: str


class State(TypedDict, total=False):
    message: str
    answers: Answers
    query: str
    messages: list[EarlierMessage]
    context_files: list[ContextFile]
    available_tools: dict[str, ToolInfo]
    max_iterations: int
    system_context: str
    needs_tools: bool
    selected_tools: list[SelectedTool]
    tool_results: list[ToolOutcome]
    iteration: int
    results_adequate: bool
    refinement_suggestion: str | None
    final_answer: str | None
    sources: list[dict[str, Any]]
    earlier_sources: list[dict[str, Any]]
    not_found: bool
    told_sample: bool
    language: str
    spoken: str
    preview: Preview
    supports: dict[str, Support]
    failure: Failure
    notes: list[str]
    missing: list[str]
