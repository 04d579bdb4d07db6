"""Tools: one registry per node, validated arguments, and a common result type."""

from graphwright.tools.registry import Tool, ToolRegistry, ToolResult, tool

__all__ = ["Tool", "ToolRegistry", "ToolResult", "tool"]
