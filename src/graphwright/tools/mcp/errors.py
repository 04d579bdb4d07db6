"""Errors of MCP servers and their tools, in words for people and models."""

from __future__ import annotations

from graphwright.errors import GraphwrightError, redact
from graphwright.text.markup import one_line


class McpError(GraphwrightError):
    """A server or one of its tools cannot be used. `why` is what is said of the server: "did not answer within 5 s".

    Codes: `mcp_settings` (its settings cannot be used as they are),
    `mcp_unavailable` (it cannot be reached, died or does not speak the protocol), `mcp_timeout`, `mcp_too_large`,
    `mcp_no_tool` (it does not offer that tool any more) and `mcp_tool_failed` (the tool itself says so; of servers in
    this process it is the code of their own error instead, where they give it).
    """

    def __init__(self, code: str, server: str, why: str, hint: str = "") -> None:
        super().__init__(code, f"The MCP server {server} {why}.", hint)
        self.server = server
        self.why = redact(why)


MOST_REPORTED = 600
"""Characters of a message of a server that are passed on."""


def reported(text: str) -> str:
    """What a server or a library said, as part of a sentence: one line, bounded, without secrets or a final stop."""
    return one_line(redact(text), MOST_REPORTED).rstrip(" .")
