"""Tools of MCP servers: several servers held open, their tools under safe names, their answers as sources.

Nothing here imports the MCP library before the first server is connected.
"""

from graphwright.tools.mcp.servers import McpServers, ServerState
from graphwright.tools.mcp.settings import McpError, McpServer, addresses, configured

__all__ = ["McpError", "McpServer", "McpServers", "ServerState", "addresses", "configured"]
