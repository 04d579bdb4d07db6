"""The assistant: questions answered from documentation, logbook, files and MCP servers, with their sources."""
