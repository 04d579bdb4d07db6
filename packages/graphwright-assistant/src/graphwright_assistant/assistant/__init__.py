"""The assistant: answers questions from documentation, logbook, files and MCP servers, with sources."""
