"""The tools of a node as its actions have them: each finished call is told to the turn, with its result."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from graphwright.runtime.model_calls import tell_tool_call
from graphwright.tools import ToolRegistry, ToolResult, ToolUse, observe_tools


class NodeTools(ToolRegistry):
    """A registry whose calls become events of the turn that they are made in."""

    async def call(self, name: str, arguments: Mapping[str, Any]) -> ToolResult:
        """As the registry's."""
        uses: list[ToolUse] = []
        with observe_tools(uses.append):
            result = await super().call(name, arguments)
        # A tool may call others: its own call ends last.
        tell_tool_call(uses[-1], result)
        return result
