"""`graphwright model`: the file of the embedded model, and its download."""

from __future__ import annotations

from pathlib import Path

import typer

from graphwright.cli.commands import CommandGroup
from graphwright.cli.console import ask_yes, confirmed, facts, interactive, note, result, result_json
from graphwright.cli.failures import DONE, FAILED, Debug, Json, Yes

SIZE = "1.1 GB"


app = typer.Typer(cls=CommandGroup, rich_markup_mode=None)


@app.callback(invoke_without_command=True)
def model(context: typer.Context, as_json: Json = False, debug: Debug = False) -> None:
    """Show the embedded model and the default model; pull, verify, remove.

    It runs on the CPU in 2 GB of memory. It is only downloaded by 'graphwright model pull', or after you agreed.
    GRAPHWRIGHT_MODEL sets another default model.
    """
    if context.invoked_subcommand is not None:
        return
    from graphwright.models import default_model
    from graphwright.models._pull import SUPPLY_CHAIN, status

    found = status()
    ready = found.present and found.size_ok
    if as_json:
        known = {"path": str(found.path), "present": found.present, "size_ok": found.size_ok}
        result_json({"default": default_model(), **known})
    else:
        broken = (
            f"{'broken: it has the wrong size' if found.present else 'not there'}; 'graphwright model pull' fetches it"
        )
        state = "ready" if ready else f"{broken} ({SIZE})"
        facts((("default model", default_model()), ("embedded model", state), ("file", str(found.path))), 16)
        note((SUPPLY_CHAIN.rstrip(), "dim"))
    raise typer.Exit(DONE if ready else FAILED)


@app.command()
def pull(debug: Debug = False) -> None:
    """Download the embedded model. An interrupted download is resumed.

    An existing file is compared with its pinned SHA-256, and downloaded again if it differs.
    """
    from graphwright.models._pull import status

    if status().present:
        note("The embedded model is already there; its content is checked, and downloaded again if it is damaged.")
    else:
        note(f"Fetching the embedded model: {SIZE}, 2.2 GB of disk at the peak.")
    result(str(pull_model()))


@app.command()
def verify(debug: Debug = False) -> None:
    """Compare the file with its pinned SHA-256. Takes a few seconds."""
    from graphwright.models._pull import verify

    verify()
    result("The embedded model is the pinned file.")


@app.command()
def remove(yes: Yes = False, debug: Debug = False) -> None:
    """Delete the file, and the rest of an interrupted download."""
    from graphwright.models._pull import remove, status

    file = status().path
    question = f"Delete {file}? It is {SIZE} to fetch again."
    if confirmed(question, f"Deleting {file}", "Nothing was deleted.", yes=yes):
        note("Deleted." if remove() else "There was nothing to delete.")


def pull_model() -> Path:
    """Download the embedded model, with progress on stderr. Raises the errors of `graphwright.models._pull`."""
    from graphwright.models._pull import pull

    tenths: dict[str, int] = {}

    def show(stage: str, done: int, total: int) -> None:
        tenth = 10 * done // total if total else 10
        if tenth > tenths.get(stage, -1):
            tenths[stage] = tenth
            note(f"{stage}: {tenth * 10} %")

    return pull(progress=show)


def offer_model() -> bool:
    """Offer the download to the user at the terminal. Return True if the model is available afterwards."""
    if not interactive():
        return False
    note(f"The embedded model is not on this machine yet. It is {SIZE} and is fetched once.")
    if not ask_yes("Download it now?", default=True):
        return False
    note(f"The embedded model is at {pull_model()}.")
    return True
