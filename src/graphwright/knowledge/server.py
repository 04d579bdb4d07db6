"""The MCP server of the knowledge index: one tool, `search_accelerator_knowledge`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Protocol

from graphwright.knowledge.accelerators import Accelerators
from graphwright.knowledge.searching import ALL
from graphwright.tools.sources import Findings

if TYPE_CHECKING:
    from fastmcp import FastMCP

TOOL = "search_accelerator_knowledge"


class Searchable(Protocol):
    """What can be searched: a KnowledgeIndex, or one that is opened at its first search."""

    def search(self, text: str, accelerator: str = ALL, limit: int = 5) -> Findings:
        """The passages that fit best."""


def make_server(
    index: Searchable, accelerators: Mapping[str, Sequence[str]] | Sequence[str], *, about: str = ""
) -> FastMCP[Any]:
    """An MCP server over an index, as fastmcp has it: to be run, or for a client in this process.

    `accelerators` are the names that pages use, with other names for each where it is a mapping. The tool's structured
    content is that of `Findings`. `about` is told to clients as the server's instructions. Raises GraphwrightError
    (`mcp_missing`) where fastmcp is not installed.
    """
    try:
        # It takes seconds to import.
        from graphwright.knowledge.serving import server_over
    except ModuleNotFoundError as error:
        from graphwright.tools.mcp.library import missing

        raise missing(error) from error
    return server_over(index, Accelerators(accelerators), TOOL, about)
