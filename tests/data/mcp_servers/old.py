"""An MCP server on version 1 of the library, over HTTP on loopback, in sessions."""

from __future__ import annotations

import os
import sys

from mcp.server.fastmcp import Context, FastMCP

server = FastMCP("old", host="127.0.0.1", port=int(sys.argv[1]), log_level="ERROR")


@server.tool()
def pid() -> int:
    """The process."""
    return os.getpid()


@server.tool()
async def change(context: Context) -> str:
    """Offers another tool from now on."""

    def new() -> str:
        """Has been added."""
        return "new"

    server.add_tool(new)
    await context.session.send_tool_list_changed()
    return "changed"


if __name__ == "__main__":
    server.run(transport="streamable-http")
