"""`graphwright serve`: the service and the web app, on this machine."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace
from typing import Annotated

import typer

from graphwright.cli.console import note, result, stdout
from graphwright.cli.conversation import ModelOption, why_none_answers
from graphwright.cli.failures import Debug
from graphwright.errors import UsageError

__all__ = ["serve"]


def serve(
    agents: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[AGENT]...",
            help="Flow documents and folders to serve in addition to the installed and configured agents.",
        ),
    ] = None,
    host: Annotated[
        str | None,
        typer.Option("--host", metavar="ADDRESS", help="Listen on this address; 127.0.0.1 by default."),
    ] = None,
    port: Annotated[
        int | None, typer.Option("--port", metavar="N", min=0, max=65535, help="8420 by default; 0 takes a free one.")
    ] = None,
    no_open: Annotated[bool, typer.Option("--no-open", help="Do not open a browser.")] = False,
    model: ModelOption = None,
    debug: Debug = False,
) -> None:
    """Serve the agents to browsers and programs, until Ctrl-C.

    Without a login only this machine is served; on any other address every request needs an API key or a token.
    """
    from graphwright.extras import extra_problem

    missing = extra_problem("server")
    if missing:
        raise UsageError(missing.code, missing.message, "It brings the service and the web app.")
    from graphwright.host.agent import outline
    from graphwright_server._serving import serve as run_service
    from graphwright_server._settings import ServiceSettings

    for each in agents or ():
        outline(each)
    settings = ServiceSettings.configured(host=host, port=port, model=model)
    settings = replace(settings, agents=(*settings.agents, *(agents or ())))
    silent = why_none_answers(model)

    def listening(address: str) -> None:
        # The program that started this may have closed the pipe; the service runs anyway.
        with suppress(BrokenPipeError):
            result(address)
            # Flushed, because it is read from a pipe while the service runs.
            stdout().flush()
            note("Open it in a browser; Ctrl-C ends it. The routes are described at /docs.")
            if silent:
                note(silent)
        if not no_open and settings.local:
            import webbrowser

            webbrowser.open(address)

    run_service(settings, listening)
