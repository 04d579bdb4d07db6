"""The tool of the knowledge index as fastmcp offers it. Imported only where a server is made."""

# No `annotations` of the future here: those of the tool name values that exist only while it is made.

import asyncio
from dataclasses import replace
from typing import Annotated, Any

from fastmcp import FastMCP
from fastmcp.tools import ToolResult
from mcp_types import ToolAnnotations
from pydantic import Field

from graphwright.errors import GraphwrightError, in_sentences
from graphwright.knowledge.accelerators import Accelerators
from graphwright.knowledge.searching import ALL, MOST_HITS
from graphwright.knowledge.server import Searchable
from graphwright.tools.sources import FINDINGS_SCHEMA, Findings

_DESCRIPTION = (
    "Search the documentation of the accelerators: how things work, parameters, procedures, limits, known problems. "
    "Not for what happened on a certain day: that is in the logbook."
)


def server_over(index: Searchable, names: Accelerators, tool: str, about: str) -> FastMCP[Any]:
    """As `graphwright.knowledge.make_server`; `tool` is what its tool is called."""
    server: FastMCP[Any] = FastMCP("graphwright-knowledge", instructions=about or None)

    async def search_accelerator_knowledge(
        query: Annotated[str, Field(description="A few words that the text should have, in English or German.")],
        accelerator: Annotated[
            str,
            Field(description="Only what is about this one.", json_schema_extra={"enum": [*names.known, ALL]}),
        ] = ALL,
        limit: Annotated[int, Field(description=f"Passages to give, 1 to {MOST_HITS}.")] = 5,
    ) -> ToolResult:
        chosen, remark = names.meant(accelerator)
        try:
            found = await asyncio.to_thread(index.search, query, chosen, limit)
        except GraphwrightError as error:
            return ToolResult(content=in_sentences(error), is_error=True, meta={"code": error.code})
        found = replace(found, note=" ".join(filter(None, (remark, found.note))))
        return ToolResult(content=_as_text(found), structured_content=found.to_json())

    server.tool(
        search_accelerator_knowledge,
        name=tool,
        description=_DESCRIPTION,
        output_schema=FINDINGS_SCHEMA,
        annotations=ToolAnnotations(read_only_hint=True, open_world_hint=False),
    )
    return server


def _as_text(found: Findings) -> str:
    """The same for clients that show texts only."""
    lines = [found.note] if found.note else []
    for number, source in enumerate(found.sources, 1):
        facts = [source.metadata.get("heading", ""), f"p. {page}" if (page := source.metadata.get("page")) else ""]
        place = ", ".join(filter(None, facts))
        lines.append(f"{number}. {source.title}{f' ({place})' if place else ''}\n{source.url}\n{source.text}")
    return "\n\n".join(lines)
