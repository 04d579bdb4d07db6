"""The command line: its core commands, and the conversion of errors to messages and exit codes."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from typing import Annotated, Any

import typer

from graphwright.cli import failures
from graphwright.cli.commands import Commands
from graphwright.cli.console import note, result_json
from graphwright.cli.failures import DONE, FAILED, INTERRUPTED, USAGE, Debug
from graphwright.errors import UsageError
from graphwright.host import telemetry

app = typer.Typer(
    name="graphwright",
    cls=Commands,
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
    """LLM agents as flow documents that you can read, check and run.

    Results go to stdout, progress to stderr. Exit codes: 0 done, 1 failed, 2 usage, 3 waiting for the user.
    """


def run(args: Sequence[str]) -> int:
    """Run one command line, without the program's name. Returns the exit code; never raises."""
    failures.reset()
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            # A character that the terminal's encoding lacks must not end the program.
            stream.reconfigure(errors="replace")
    try:
        return _reported(args)
    except BrokenPipeError:
        # The reader of the output has closed it.
        return FAILED
    except KeyboardInterrupt:
        note("Interrupted.")
        return INTERRUPTED
    except OSError as error:
        return failures.print_error(error)
    finally:
        telemetry.flush()
        _settle_log()
        _discard_unwritable_output()


def _reported(args: Sequence[str]) -> int:
    """Run the command. An error is printed for people, and as JSON if requested."""
    try:
        telemetry.configure()
        code = app(list(args), prog_name="graphwright", standalone_mode=False)
        # Flushed here, so that an unwritable output is reported once.
        sys.stdout.flush()
    except BrokenPipeError:
        raise
    except Exception as error:
        # Some versions of Typer include their own Click: its errors are recognized by their methods.
        return _misused(args, error) if hasattr(error, "format_message") else failures.report(error)
    if code == INTERRUPTED:
        raise KeyboardInterrupt
    return code if isinstance(code, int) else DONE


def _misused(args: Sequence[str], error: Any) -> int:
    """Report wrong usage of the command line; as JSON, too, if requested."""
    error.show()
    known = UsageError("usage", error.format_message(), "See graphwright -h, or -h after the command.")
    command = next((arg for arg in args if not arg.startswith("-")), "")
    if "--json" in args and command == "check":
        from graphwright.cli._flows import read_error_json

        result_json([read_error_json("", known)])
    elif command in ("ask", "resume") and {"--json", "--jsonl"} & set(args):
        from graphwright.cli.conversation import failed_turn

        failed_turn("", "", as_event="--json" not in args)(known)
    elif "--json" in args:
        failures.result_failed(known)
    return USAGE


def _discard_unwritable_output() -> None:
    """Redirect an unwritable stdout to the null device: Python would otherwise write again at exit, and complain."""
    try:
        sys.stdout.flush()
    except OSError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _settle_log() -> None:
    """Give pending writes to the interaction log a little time."""
    if writer := sys.modules.get("graphwright.store.interactions._writer"):
        writer.leave()
