"""Looking at the data before the program is written: `look`, a small query that the model may call."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from graphwright.tools import Tool, ToolRegistry
from graphwright_confined.formatting import TextFormat, result_text
from graphwright_data.data_scientist import running
from graphwright_data.data_scientist.state import Dataset, Look

if TYPE_CHECKING:
    from graphwright_confined import ExecutionLimits

MOST_LOOKS = 4
"""Maximum number of calls for one question."""

SHORT = TextFormat(rows=20, columns=20, entries=20, cell=80, text=2_000, exact=True)
"""Limits of a query result for the model."""

_DESCRIPTION = "Run a small DuckDB query over the data sets by their ids: first rows, distinct values, counts."
_PARAMETERS = {
    "type": "object",
    "properties": {"query": {"type": "string", "description": "SELECT ...; at most 20 rows come back"}},
    "required": ["query"],
    "additionalProperties": False,
}
_PROGRAM = "result = sql({query!r})"


class LookFailed(Exception):
    """A query failed; the message is the reason."""


def tools_for(datasets: Mapping[str, Dataset], limits: ExecutionLimits, looks: list[Look]) -> ToolRegistry:
    """Return the tool `look` over data sets; its results are added to `looks`. Queries run in the sandbox."""

    async def look(query: str) -> str:
        found = await running.run(_PROGRAM.format(query=query), datasets, limits)
        if found.error is not None or found.status != "ok":
            # The line number in the wrapper program does not help.
            error = found.error.message if found.error else found.status
            looks.append({"query": query, "result": f"Error: {error[: SHORT.text]}"})
            raise LookFailed(error)
        looks.append({"query": query, "result": result_text(found.result, SHORT)})
        return looks[-1]["result"]

    return ToolRegistry([Tool("look", _DESCRIPTION, _PARAMETERS, look, changes=False)])
