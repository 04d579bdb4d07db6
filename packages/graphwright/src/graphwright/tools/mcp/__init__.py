"""Tools of MCP servers: sessions with several servers, safe names of their tools, and their answers as sources.

The MCP library is not imported before the first server is connected.
"""

from graphwright.tools.mcp._settings import McpError, McpServer, addresses, configured
from graphwright.tools.mcp.servers import McpServers, ServerState

__all__ = ["McpError", "McpServer", "McpServers", "ServerState", "addresses", "configured"]
