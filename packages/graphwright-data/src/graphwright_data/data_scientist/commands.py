"""`graphwright sandbox`: run untrusted Python without access to the machine, and test the isolation."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from graphwright.cli.commands import CommandGroup
from graphwright.cli.console import note, print_line, result, result_json
from graphwright.cli.failures import DONE, FAILED, Debug, Json
from graphwright.errors import UsageError

if TYPE_CHECKING:
    from graphwright_confined import Execution
    from graphwright_files import Dataset

app = typer.Typer(cls=CommandGroup, rich_markup_mode=None, no_args_is_help=True)


@app.callback()
def sandbox(debug: Debug = False) -> None:
    """Run untrusted Python: it has no access to files, the network and other processes."""


@app.command("run")
def run_code(
    file: Annotated[str, typer.Argument(metavar="FILE", help="The Python to run; - is stdin.")],
    data: Annotated[
        list[Path] | None,
        typer.Option(
            "--data", metavar="FILE", help="Data it may read: CSV, Excel, JSON, Parquet or SQLite. Repeatable."
        ),
    ] = None,
    as_json: Json = False,
    debug: Debug = False,
) -> None:
    """Run a file of Python in the sandbox and print the result.

    Data is read as `ask data_scientist --data` reads it. The code gets it as data frames in `datasets`, by ids that are
    printed on stderr, and in `df` if there is one; sql("SELECT ...") queries it by these ids. Also defined: pd, np,
    plt, px, go, make_subplots, sm, smf, sns, sklearn and scipy. Returned are its `result` and `fig`, or the value of
    its last line. Exit code 1 if it fails or is stopped.
    """
    from graphwright_confined import ExecutionLimits, Sandbox
    from graphwright_files import too_large

    code, datasets = _code(file), _datasets(data or [])
    lazy = too_large(datasets, ExecutionLimits().memory)
    with Sandbox() as opened:
        execution = opened.run(code, {each.id: each.parquet for each in datasets}, lazy=lazy)
    if as_json:
        result_json(execution.model_dump(mode="json"))
    else:
        _show(execution)
    raise typer.Exit(DONE if execution.status == "ok" else FAILED)


@app.command()
def selftest(as_json: Json = False, debug: Debug = False) -> None:
    """Try to escape from the sandbox in five ways, as untrusted code would.

    Read a file outside, write outside, open a socket, start a process, and inspect another process. Exit code 1 if one
    succeeds, or if this machine cannot isolate code.
    """
    from graphwright_confined import Sandbox

    with Sandbox() as opened:
        isolation = opened.self_test()
    if as_json:
        result_json({"status": "ok", "isolation": isolation})
    else:
        print_line(("held", "green"), f"  {isolation}: code tried to escape in five ways, and could not")


def _code(file: str) -> str:
    # A device could be read without end.
    if file != "-" and not Path(file).is_file():
        raise UsageError("code_missing", f"{file} is not a regular file.", "Name a file of Python, or - for stdin.")
    try:
        return sys.stdin.read() if file == "-" else Path(file).read_text("utf-8")
    except UnicodeDecodeError:
        raise UsageError("code_unreadable", f"{file} is not a text in UTF-8.", "Name a file of Python.") from None


def _datasets(paths: list[Path]) -> list[Dataset]:
    """Open the data sets in the files, and print to stderr their ids and notes on how they were read."""
    if not paths:
        return []
    from graphwright.host.thread_files import checked
    from graphwright.store.home import data_home
    from graphwright_files import CACHE, open_datasets

    datasets = open_datasets(checked(paths), data_home() / CACHE)
    for each in datasets:
        read = f"{each.id}: {each.name}, {each.rows:,} of {each.rows_there:,} rows"
        note(read, f"; {' '.join(found.text for found in each.notes)}" if each.notes else "")
    return datasets


def _show(execution: Execution) -> None:
    from graphwright_confined.execution import ImageFigure
    from graphwright_confined.formatting import result_text

    if execution.stdout:
        result(execution.stdout.removesuffix("\n"))
    if text := result_text(execution.result):
        result(text)
    for figure in execution.figures:
        kind = "a picture" if isinstance(figure, ImageFigure) else "Plotly"
        note(f"Figure: {kind}; --json has it.")
    if error := execution.error:
        head = "Stopped: " if execution.status == "stopped" else f"Error: {error.type}: "
        note((head, "bold red"), error.message)
        for step in error.traceback or ([f"line {error.line}: {error.source}"] if error.line else []):
            note(f"  {step}")
        if error.hint:
            note(error.hint)
    note((f"{execution.status} · {execution.seconds:.2f} s · {execution.isolation}", "dim"))
