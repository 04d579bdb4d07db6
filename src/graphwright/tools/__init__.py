"""Tools: one registry a node, arguments checked before the call, one shape of result."""

from graphwright.tools.registry import Tool, ToolRegistry, ToolResult, tool

__all__ = ["Tool", "ToolRegistry", "ToolResult", "tool"]
