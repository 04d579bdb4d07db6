"""The tools of a node as its actions have them: each finished call is told to the turn, with its result."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from typing import Any

from graphwright.runtime.model_calls import tell_tool_call
from graphwright.tools import ToolRegistry, ToolResult, ToolUse, observe_tools

_Call = Callable[[str, Mapping[str, Any]], Awaitable[ToolResult]]


class NodeTools(ToolRegistry):
    """A registry whose calls become events of the turn that they are made in."""

    async def call(self, name: str, arguments: Mapping[str, Any]) -> ToolResult:
        """As the registry's."""
        return await _told(super().call, name, arguments)


async def called(tools: ToolRegistry, name: str, arguments: Mapping[str, Any]) -> ToolResult:
    """Call a tool of any registry, such as one of servers outside, as an event of the turn that it is called in."""
    return await _told(tools.call, name, arguments)


async def _told(call: _Call, name: str, arguments: Mapping[str, Any]) -> ToolResult:
    uses: list[ToolUse] = []
    with observe_tools(uses.append):
        result = await call(name, arguments)
    # A tool may call others: its own call ends last.
    tell_tool_call(uses[-1], result)
    return result
