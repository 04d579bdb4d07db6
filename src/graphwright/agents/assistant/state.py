"""The typed view of the flow's state, for the actions of this agent."""

from __future__ import annotations

from typing import Any, NotRequired, TypedDict


class ContextFile(TypedDict):
    """A file that the user gave. `type` is `document` or `image`, `preview` the beginning of its text.

    `parts` are its places with their text, `{page, heading, text}`, of which one of the first two is empty. `cut` says
    what was not read, `notes` what else is to be known; `problem` why it could not be read at all.
    """

    name: str
    type: str
    preview: str
    parts: list[dict[str, str]]
    cut: str
    notes: list[str]
    problem: str
    sha256: str


class ToolInfo(TypedDict):
    """What is known of a tool, all by its server: also whether a call `changes` anything, where that is said."""

    description: str
    input_schema: dict[str, Any]
    changes: NotRequired[bool | None]


class SelectedTool(TypedDict):
    """A call that is to be made. `after` is the place, from 0, of the call whose result gives the argument `fill`.

    Such a call is made when that one is done; -1 where it hangs on none.
    """

    tool_name: str
    arguments: dict[str, Any]
    reasoning: str
    after: int
    fill: str


class ToolOutcome(TypedDict):
    """What came of a call: sources as JSON and the server's `note`, or an `error`. `iteration` counts from 1.

    `broken` says that its server did not answer, so that another call would not go better.
    """

    tool_name: str
    arguments: dict[str, Any]
    iteration: int
    ok: bool
    error: str
    broken: bool
    note: str
    sources: list[dict[str, Any]]


class State(TypedDict, total=False):
    """The channels of the flow."""

    message: str
    query: str
    messages: list[dict[str, Any]]
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
    language: str
    answer_language: str
    prompt_parts: dict[str, str]
    notes: list[str]
