"""`graphwright model`: the embedded model's file, and its download as the user sees it."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import typer
from typer.core import TyperGroup

from graphwright.cli.console import ask_yes, confirmed, facts, interactive, note, result, result_json, terminal
from graphwright.cli.failures import DONE, FAILED, Debug, Json, Yes

SIZE = "1.1 GB"


class _WithSupplyChain(TyperGroup):
    """Ends its help with where the model comes from, read only when the help is shown."""

    def format_epilog(self, ctx: Any, formatter: Any) -> None:
        from graphwright.models.pull import SUPPLY_CHAIN

        for paragraph in SUPPLY_CHAIN.splitlines():
            formatter.write_paragraph()
            formatter.write_text(paragraph)


app = typer.Typer(cls=_WithSupplyChain, rich_markup_mode=None)


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
        state = _state(found.present, found.size_ok)
        facts((("default model", default_model()), ("embedded model", state), ("file", str(found.path))), 16)
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
def remove(yes: Yes = False, debug: Debug = False) -> None:
    """Delete the file, and what an interrupted download has left."""
    from graphwright.models.pull import remove, status

    file = status().path
    question = f"Delete {file}? It is {SIZE} to fetch again."
    if confirmed(question, f"Deleting {file}", "Nothing was deleted.", yes=yes):
        note("Deleted." if remove() else "There was nothing to delete.")


def _state(present: bool, size_ok: bool) -> str:
    if present and size_ok:
        return "ready"
    if present:
        return "broken: the file has the wrong size; 'graphwright model pull' fetches it anew"
    return f"not there; 'graphwright model pull' fetches it ({SIZE})"


def pull_model() -> Path:
    """Fetch the embedded model, showing on stderr how far it is. Raises what `graphwright.models.pull` raises."""
    from graphwright.models.pull import pull

    if not sys.stderr.isatty():
        return pull(progress=_Lines())
    from rich.progress import BarColumn, DownloadColumn, Progress, TextColumn, TimeRemainingColumn

    bars = Progress(
        TextColumn("{task.description}", markup=False),
        BarColumn(),
        DownloadColumn(),
        TimeRemainingColumn(),
        console=terminal(sys.stderr),
    )
    with bars:
        tasks = {}

        def show(stage: str, done: int, total: int) -> None:
            if stage not in tasks:
                tasks[stage] = bars.add_task(stage, total=total)
            bars.update(tasks[stage], completed=done, total=total)

        return pull(progress=show)


def offer_model() -> bool:
    """Offer the download to whoever sits at the terminal; True when the model is there afterwards."""
    if not interactive():
        return False
    note(f"The embedded model is not on this machine yet. It is {SIZE} and is fetched once.")
    if not ask_yes("Download it now?", default=True):
        return False
    note(f"The embedded model is at {pull_model()}.")
    return True


class _Lines:
    """Progress without a terminal: a line for every tenth of a stage."""

    def __init__(self) -> None:
        self.said: dict[str, int] = {}

    def __call__(self, stage: str, done: int, total: int) -> None:
        tenth = 10 * done // total if total else 10
        if tenth > self.said.get(stage, -1):
            self.said[stage] = tenth
            note(f"{stage}: {tenth * 10} %")
