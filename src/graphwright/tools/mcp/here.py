"""A server of ours in this process, asked without the messages of the protocol: they would only be read again at once.

That takes a third of the time. The session with it is held all the same, as the server may need one to be open.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import mcp_types
from fastmcp.exceptions import FastMCPError


async def listed(server: Any) -> list[mcp_types.Tool]:
    """Its tools, as it would list them."""
    return [tool.to_mcp_tool(name=tool.name) for tool in await server.list_tools()]


async def called(server: Any, tool: str, arguments: Mapping[str, Any]) -> mcp_types.CallToolResult:
    """What the tool answers, also when that is an error."""
    try:
        result = await server.call_tool(tool, dict(arguments))
    except FastMCPError as error:
        text = mcp_types.TextContent(type="text", text=str(error))
        return mcp_types.CallToolResult(content=[text], is_error=True)
    return mcp_types.CallToolResult(
        content=result.content,
        structured_content=result.structured_content,
        is_error=result.is_error,
        _meta=result.meta,
    )
