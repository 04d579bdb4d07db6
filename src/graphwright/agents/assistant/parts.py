"""The parts of prompts that a turn builds once: texts of tools, files and the conversation."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any

from graphwright.agents.assistant import attachments
from graphwright.agents.assistant.state import State
from graphwright.context import (
    build_conversation_context,
    build_files_context_summary,
    build_tools_context_detailed,
    build_tools_context_summary,
    fenced,
)

if TYPE_CHECKING:
    from graphwright import ActionContext

FILES_ALONE = 8_000
"""Characters of files in the prompt of an answer that rests on them."""

FILES_BESIDE = 2_000
"""Characters of files beside the results of tools."""


def local_now(ctx: ActionContext) -> datetime:
    """When the turn began, in the time of the place."""
    return ctx.now.astimezone()


def _once(parts: dict[str, str], name: str, build: Callable[[], str]) -> str:
    """A part as it was built before in this turn; else it is built, and kept for the other prompts of the turn."""
    if name not in parts:
        parts[name] = build()
    return parts[name]


def tools_summary_part(state: State, parts: dict[str, str]) -> str:
    """The tools with a line each."""
    return _once(parts, "tools_summary", lambda: fenced(build_tools_context_summary(state["available_tools"])))


def tools_part(state: State, parts: dict[str, str]) -> str:
    """The tools with their parameters."""
    return _once(parts, "tools_detailed", lambda: fenced(build_tools_context_detailed(state["available_tools"])))


def conversation_part(state: State, parts: dict[str, str]) -> str:
    """The last messages, and of how many."""

    def build() -> str:
        messages = state["messages"]
        # What is older was not fetched, but counts.
        older: list[dict[str, Any]] = [{}] * (messages[-1]["number"] - len(messages) if messages else 0)
        return fenced(build_conversation_context([*older, *messages]))

    return _once(parts, "conversation", build)


def files_summary_part(state: State, parts: dict[str, str]) -> str:
    """The names of the files."""
    return _once(parts, "files_summary", lambda: fenced(build_files_context_summary(state["context_files"])))


def files_part(state: State, parts: dict[str, str], terms: Sequence[str], *, with_tools: bool) -> str:
    """The content of the files; `files_cut` of the parts says what of it is not shown."""
    if not state["context_files"]:
        return ""

    def build() -> str:
        budget = FILES_BESIDE if with_tools else FILES_ALONE
        text, parts["files_cut"] = attachments.context_of(state["context_files"], terms, budget)
        return text

    return _once(parts, "files_full", build)
