"""`graphwright model`: the embedded model's file."""

from __future__ import annotations

from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from graphwright.cli.console import ask_yes, interactive, note, result, result_json, shown
from graphwright.cli.download import SIZE, pull_model
from graphwright.cli.failures import DONE, FAILED, Debug, reporting, result_failed
from graphwright.errors import UsageError


class _WithSupplyChain(TyperGroup):
    """Ends its help with where the model comes from, read only when the help is shown."""

    def format_epilog(self, ctx: Any, formatter: Any) -> None:
        from graphwright.models.pull import SUPPLY_CHAIN

        for paragraph in SUPPLY_CHAIN.splitlines():
            formatter.write_paragraph()
            formatter.write_text(paragraph)


app = typer.Typer(cls=_WithSupplyChain, rich_markup_mode=None)

Json = Annotated[bool, typer.Option("--json", help="Print JSON.")]


@app.callback(invoke_without_command=True)
def model(context: typer.Context, as_json: Json = False, debug: Debug = False) -> None:
    """The embedded model: status, pull, verify, path, remove.

    It runs on the CPU in 2 GB of memory. It is fetched only by 'graphwright model pull', or after you said yes.
    GRAPHWRIGHT_MODEL names another model to answer by default.
    """
    if context.invoked_subcommand is None:
        status(as_json)


@app.command()
def status(as_json: Json = False, debug: Debug = False) -> None:
    """Show whether the embedded model is there.

    Also which model answers by default. Exit code 1 when the embedded model is not there.
    """
    with reporting(result_failed if as_json else None):
        from graphwright.models import default_model
        from graphwright.models.pull import status

        found = status()
        if as_json:
            result_json(
                {
                    "default": default_model(),
                    "path": str(found.path),
                    "present": found.present,
                    "size_ok": found.size_ok,
                }
            )
        else:
            shown(("default model   ", "dim"), default_model())
            shown(("embedded model  ", "dim"), _state(found.present, found.size_ok))
            shown(("file            ", "dim"), str(found.path))
        raise typer.Exit(DONE if found.present and found.size_ok else FAILED)


@app.command()
def pull(debug: Debug = False) -> None:
    """Fetch the embedded model. What an interrupted run has fetched is kept.

    A file that is there already is compared with its pinned SHA-256, and fetched anew where it differs.
    """
    from graphwright.models.pull import status

    if status().present:
        note("The embedded model is already there; its content is checked, and fetched anew where it is broken.")
    else:
        note(f"Fetching the embedded model: {SIZE}, 2.2 GB of disk at the peak.")
    result(str(pull_model()))


@app.command()
def verify(debug: Debug = False) -> None:
    """Compare the file with its pinned SHA-256. Takes a few seconds."""
    from graphwright.models.pull import verify

    verify()
    result("The embedded model is the pinned file.")


@app.command()
def path(debug: Debug = False) -> None:
    """Where the file is, or would be."""
    from graphwright.models.pull import status

    result(str(status().path))


@app.command()
def remove(yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask.")] = False, debug: Debug = False) -> None:
    """Delete the file, and what an interrupted download has left."""
    from graphwright.models.pull import remove, status

    if not yes:
        file = status().path
        if not interactive():
            raise UsageError("not_confirmed", f"Deleting {file} was not confirmed.", "Add --yes to delete it.")
        if not ask_yes(f"Delete {file}? It is {SIZE} to fetch again.", default=False):
            note("Nothing was deleted.")
            return
    note("Deleted." if remove() else "There was nothing to delete.")


def _state(present: bool, size_ok: bool) -> str:
    if present and size_ok:
        return "ready"
    if present:
        return "broken: the file has the wrong size; 'graphwright model pull' fetches it anew"
    return f"not there; 'graphwright model pull' fetches it ({SIZE})"
