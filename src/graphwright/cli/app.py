"""The command line's commands, and the one place where their errors become exit codes."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from typing import Annotated, Any

import typer

from graphwright.cli import failures
from graphwright.cli.agents import agents
from graphwright.cli.chat import chat
from graphwright.cli.check import check, unread
from graphwright.cli.console import note, result_json
from graphwright.cli.conversation import failed_turn
from graphwright.cli.demo import demo
from graphwright.cli.doctor import doctor
from graphwright.cli.draw import draw
from graphwright.cli.elog import app as elog
from graphwright.cli.failures import DONE, FAILED, INTERRUPTED, USAGE, Debug
from graphwright.cli.graph import app as graph
from graphwright.cli.init import init
from graphwright.cli.knowledge import app as knowledge
from graphwright.cli.log import app as log
from graphwright.cli.model import app as model
from graphwright.cli.sandbox import app as sandbox
from graphwright.cli.testing import record, run_tests
from graphwright.cli.threads import app as threads
from graphwright.cli.turns import ask, resume
from graphwright.cli.upgrade import app as upgrade
from graphwright.errors import UsageError
from graphwright.runtime import telemetry

app = typer.Typer(
    name="graphwright",
    add_completion=False,
    no_args_is_help=True,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _version(wanted: bool) -> None:
    if wanted:
        from importlib.metadata import version

        sys.stdout.write(f"graphwright {version('graphwright')}\n")
        raise typer.Exit()


@app.callback()
def graphwright(
    version: Annotated[
        bool, typer.Option("--version", help="Show the version and exit.", callback=_version, is_eager=True)
    ] = False,
    debug: Debug = False,
) -> None:
    """Agent graphs you can read, check and run.

    Results go to stdout, progress to stderr. Exit codes: 0 done, 1 failed, 2 usage, 3 waiting for the user.
    """


app.command()(ask)
app.command()(chat)
app.command()(resume)
app.add_typer(threads, name="threads")
app.add_typer(log, name="log")
app.add_typer(graph, name="graph")
app.add_typer(knowledge, name="knowledge")
app.add_typer(elog, name="elog")
app.add_typer(upgrade, name="upgrade")
app.add_typer(sandbox, name="sandbox")
app.command()(agents)
app.command()(init)
app.command()(check)
app.command()(draw)
app.command("test")(run_tests)
app.command()(record)
app.add_typer(model, name="model")
app.command()(doctor)
app.command()(demo)


def run(args: Sequence[str]) -> int:
    """Run one command line, without the program's name; returns the exit code and raises nothing."""
    failures.reset()
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            # A character that the terminal's encoding lacks must not end the program.
            stream.reconfigure(errors="replace")
    try:
        telemetry.configure()
        code = _run(args)
        sys.stdout.flush()
        return code
    except BrokenPipeError:
        # Whoever read the output has left, and wants to be told nothing.
        return FAILED
    except KeyboardInterrupt:
        if not failures.told():
            note("Interrupted.")
        return INTERRUPTED
    except Exception as error:
        return failures.tell(error)
    finally:
        telemetry.flush()
        _settle_log()
        _give_up_what_cannot_be_written()


def _give_up_what_cannot_be_written() -> None:
    """Lead stdout nowhere where it takes nothing more: Python would try again at its end, and complain."""
    try:
        sys.stdout.flush()
    except OSError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _settle_log() -> None:
    """Give what is still to be written into the interaction log a little time, where there was any."""
    writer = sys.modules.get("graphwright.store.interactions.writer")
    if writer is not None:
        writer.leave()


def _run(args: Sequence[str]) -> int:
    try:
        code = app(list(args), prog_name="graphwright", standalone_mode=False)
    except Exception as error:
        # Some versions of Typer bring a Click of their own: its errors are known by what they can do.
        if not hasattr(error, "format_message"):
            raise
        return _misused(args, error)
    if code == INTERRUPTED:
        raise KeyboardInterrupt
    return code if isinstance(code, int) else DONE


def _misused(args: Sequence[str], error: Any) -> int:
    """Tell that the command line itself does not fit: to programs that asked for JSON as JSON, too."""
    error.show()
    known = UsageError("usage", error.format_message(), "See graphwright -h, or -h after the command.")
    command = next((arg for arg in args if not arg.startswith("-")), "")
    if "--json" in args and command == "check":
        result_json([unread("", known)])
    elif command in ("ask", "resume") and {"--json", "--jsonl"} & set(args):
        failed_turn("", "", as_event="--json" not in args)(known)
    elif "--json" in args:
        failures.result_failed(known)
    return USAGE
