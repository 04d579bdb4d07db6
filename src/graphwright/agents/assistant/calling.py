"""One call of a tool, after the one it hangs on, and what came of it."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable, Sequence
from dataclasses import replace

from graphwright.agents.assistant.selecting import signature
from graphwright.agents.assistant.state import SelectedTool, ToolOutcome
from graphwright.agents.assistant.toolbox import Toolbox
from graphwright.errors import redact
from graphwright.tools.sources import Findings, Source

_BROKEN = frozenset(("mcp_timeout", "mcp_unavailable", "mcp_too_large", "no_answer", "too_slow", "still_indexing"))
"""How a tool fails that need not be called again in the turn."""

_FAILED = re.compile(r"^The MCP server \S+ says that \S+ failed: ")
"""What stands before the reason, and is told in our own words."""


async def made(
    box: Toolbox,
    call: SelectedTool,
    first: asyncio.Task[ToolOutcome | None] | None,
    iteration: int,
    before: set[str],
    threads: Callable[[ToolOutcome], Sequence[Sequence[int]]],
) -> ToolOutcome | None:
    """What came of a call; None where it hangs on one that found nothing, or comes to one made `before`.

    What it hangs on is a search: `threads` gives those worth reading of what that found, of each the numbers of its
    entries, and the call is for the first of them that was not read yet.
    """
    name, arguments = call["tool_name"], dict(call["arguments"])
    if call["after"] >= 0:
        found = await first if first is not None else None
        for numbers in threads(found) if found is not None else ():
            marks = {signature(name, {call["fill"]: number}) for number in numbers}
            if not marks & before:
                arguments[call["fill"]] = numbers[0]
                before |= marks
                break
        else:
            return None
    result = await box.call(name, arguments)
    outcome: ToolOutcome = {
        "tool_name": name,
        "arguments": arguments,
        "iteration": iteration,
        "ok": result.ok,
        "error": " ".join(redact(_FAILED.sub("", result.error)).split())[:500],
        "broken": result.code in _BROKEN,
        "note": "",
        "sources": [],
    }
    if isinstance(result.value, Findings):
        outcome["note"] = " ".join(result.value.note.split())[:500]
        server, apart, _ = name.partition("__")
        outcome["sources"] = [_of(server if apart else "", source).to_json() for source in result.value.sources]
    return outcome


def _of(server: str, source: Source) -> Source:
    """A source with the name of the server that gave it, where that is none of our own."""
    if not server or source.metadata.get("server"):
        return source
    return replace(source, metadata={**source.metadata, "server": server})
