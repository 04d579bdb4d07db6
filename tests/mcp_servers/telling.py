"""An MCP server of the newest protocol that tells its subscribers when its tools change."""

from __future__ import annotations

from mcp.server.mcpserver import Context, MCPServer

server = MCPServer("telling")


@server.tool()
async def change(context: Context) -> str:
    """Offers another tool from now on."""

    def new() -> str:
        """Has been added."""
        return "new"

    server.add_tool(new)
    await context.notify_tools_changed()
    return "changed"


if __name__ == "__main__":
    server.run("stdio")
