"""The typed view of the flow's state, for the actions of this agent."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeAlias, TypedDict

State: TypeAlias = Mapping[str, Any]
"""The channels that `flow.yaml` declares, and `answers`."""

NO_PREVIEW: dict[str, Any] = {"needed": False, "text": ""}
"""Nothing that waits for a yes."""


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
    """What its server says of a tool; `changes` is whether a call changes anything, None where that is not known."""

    description: str
    input_schema: dict[str, Any]
    changes: bool | None


class SelectedTool(TypedDict):
    """A call that is to be made, with the arguments as the model wrote them. `asks` says that it waits for a yes."""

    tool_name: str
    arguments: dict[str, Any]
    reasoning: str
    asks: bool


class ToolOutcome(TypedDict):
    """What came of a call: sources as JSON and the server's `note`, or an `error`. `iteration` counts from 1.

    A call that was not `made` was refused by a check, or by the user.
    """

    tool_name: str
    arguments: dict[str, Any]
    iteration: int
    made: bool
    ok: bool
    error: str
    note: str
    sources: list[dict[str, Any]]
