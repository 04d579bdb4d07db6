"""Commands of the service: serve, keys and mcp."""
