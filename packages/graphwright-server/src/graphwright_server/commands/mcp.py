"""`graphwright mcp`: the agents as tools of an MCP server, on stdin and stdout."""

from __future__ import annotations

from graphwright.cli.console import note
from graphwright.cli.conversation import ModelOption, why_none_answers
from graphwright.cli.failures import Debug
from graphwright.errors import UsageError

__all__ = ["mcp"]


def mcp(model: ModelOption = None, debug: Debug = False) -> None:
    """Serve the agents as tools over MCP, on stdin and stdout, to the program that starts this.

    Each agent is a tool. An action that needs approval waits: the tool resume approves it, with the hash of what was
    shown. 'graphwright serve' has the same tools over HTTP, at /mcp.
    """
    import asyncio

    from graphwright.extras import extra_problem

    missing = extra_problem("server")
    if missing:
        raise UsageError(missing.code, missing.message, "It brings the service and the MCP server.")
    from graphwright_server._app import create_app
    from graphwright_server._mcp_server import mcp_server, ready_cards
    from graphwright_server._settings import ServiceSettings

    silent = why_none_answers(model)
    app = create_app(ServiceSettings.configured(model=model))

    async def run() -> None:
        async with app.router.lifespan_context(app):
            server = mcp_server(lambda: app.state.service, lambda: ready_cards(app.state.service))
            note("Serving agents over MCP, until stdin ends.")
            if silent:
                note(silent)
            await server.run_stdio_async(show_banner=False)

    asyncio.run(run())
