"""`graphwright dev`: the service and the web app for one folder, which loads every change of its files."""

from __future__ import annotations

import logging
import sys
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer

from graphwright.cli.console import note, result, stdout
from graphwright.cli.conversation import ModelOption, why_none_answers
from graphwright.cli.failures import Debug


def dev(
    folder: Annotated[str, typer.Argument(metavar="FOLDER", help="The folder of an agent, or a flow document.")],
    port: Annotated[
        int | None, typer.Option("--port", metavar="N", min=0, max=65535, help="8420 by default; 0 takes a free one.")
    ] = None,
    no_open: Annotated[bool, typer.Option("--no-open", help="Do not open a browser.")] = False,
    model: ModelOption = None,
    debug: Debug = False,
) -> None:
    """Serve one folder while you write it, until Ctrl-C.

    Every change of its flow, prompts and Python is loaded at once; waiting threads carry over if they fit. If a file is
    broken, the last version keeps running and the error is shown with its place; a failed action with its traceback.
    """
    from graphwright.host.discovery import find
    from graphwright_server._dev import DevFiles, why_broken
    from graphwright_server._serving import serve as run_service
    from graphwright_server._settings import ServiceSettings

    # A file that is changed twice in a second must not be taken from the cache of the first change.
    sys.dont_write_bytecode = True
    # Failures that a flow handles are logged with their traceback, too.
    logging.getLogger("graphwright").setLevel(logging.DEBUG)
    place = find(folder)
    try:
        DevFiles().read(folder)
    # The Python of the folder may fail in any way; its author corrects it while this runs.
    except Exception as error:
        note(f"{folder} cannot be served yet:\n{why_broken(error, Path(place).parent)}")
    settings = ServiceSettings.configured(host="127.0.0.1", port=port, model=model)
    settings = replace(settings, agents=(folder,), dev=True, login=False, oidc=None)
    silent = why_none_answers(model)

    def listening(address: str) -> None:
        # The program that started this may have closed the pipe; the service runs anyway.
        with suppress(BrokenPipeError):
            result(address)
            stdout().flush()
            note(f"Serving {folder}. Save a file to reload it; Ctrl-C ends.")
            if silent:
                note(silent)
        if not no_open:
            import webbrowser

            webbrowser.open(address)

    run_service(settings, listening)
