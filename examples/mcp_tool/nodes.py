"""The call of the tool `forecast` of the server that `[mcp.weather]` in graphwright.toml names."""

from __future__ import annotations

from typing import Any

from graphwright import ActionContext, action
from graphwright.tools.mcp import McpServers, configured


@action(reads=["answers.place"], writes=["forecast"], effects=False)
async def look_up(state: dict[str, Any], ctx: ActionContext) -> dict[str, Any]:
    """Ask the server. The connection stays open until the session ends."""
    servers = await ctx.shared("servers", lambda: McpServers(configured()))
    result = await servers.registry().call("weather__forecast", {"place": state["answers"]["place"]})
    if not result.ok:
        raise ConnectionError(result.error)
    return {"forecast": result.value.sources[0].text}
