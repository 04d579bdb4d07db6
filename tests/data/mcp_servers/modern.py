"""An MCP server on fastmcp, with the newest protocol: over stdio, or over HTTP with a port on loopback."""

from __future__ import annotations

import os
import sys

from fastmcp import Context, FastMCP

server = FastMCP("modern")


@server.tool
def add(a: int, b: int) -> int:
    """Adds two numbers."""
    return a + b


@server.tool
def pid() -> int:
    """The process."""
    return os.getpid()


@server.tool
def die() -> str:
    """Ends the process."""
    os._exit(7)


@server.tool
async def ask(context: Context) -> str:
    """Wants to ask the user."""
    answer = await context.elicit("Your password?", response_type=str)
    return str(answer)


@server.tool
def explode() -> str:
    """Fails."""
    raise ValueError("out of cheese")


if __name__ == "__main__":
    if len(sys.argv) > 1:
        server.run(transport="http", host="127.0.0.1", port=int(sys.argv[1]), show_banner=False, log_level="error")
    else:
        server.run(show_banner=False)
