"""Errors of a command: one paragraph for people, JSON for programs that requested it, and the exit code."""

from __future__ import annotations

import shlex
import traceback
from collections.abc import Callable
from typing import Annotated, Any

import typer

from graphwright.cli.console import note, result_json
from graphwright.errors import GraphwrightError, UsageError

__all__ = ["Debug", "Json", "Yes", "DONE", "FAILED"]

DONE, FAILED, USAGE, WAITING, INTERRUPTED = 0, 1, 2, 3, 130
"""The exit codes."""

_debug = False
_emit: Callable[[GraphwrightError], None] | None = None


def reset() -> None:
    """Reset the options of an earlier command line in this process."""
    global _debug, _emit
    _debug, _emit = False, None


def _set_debug(value: bool) -> None:
    # A command can only switch it on: the option may be before the command, and is then not set after it.
    global _debug
    _debug = _debug or value


def debugging() -> bool:
    """Return whether `--debug` was given."""
    return _debug


def report_as(emit: Callable[[GraphwrightError], None]) -> None:
    """Set the function that prints the final error on stdout, in the format that a program expects."""
    global _emit
    _emit = emit


def result_failed(error: GraphwrightError) -> None:
    """Print the error as the JSON result of a command without a turn: `{status: failed, error}`."""
    result_json({"status": "failed", "error": error.to_json()})


def json_option(help: str = "Print JSON.") -> Any:
    """Return the option `--json`. With it, an error that ends the command is also printed as JSON."""

    def chosen(value: bool) -> bool:
        if value:
            report_as(result_failed)
        return value

    return typer.Option("--json", help=help, callback=chosen)


Debug = Annotated[bool, typer.Option("--debug", help="Show the traceback of an error.", callback=_set_debug)]
"""An option of every command."""

Json = Annotated[bool, json_option()]
Yes = Annotated[bool, typer.Option("--yes", "-y", help="Do not ask; required without a terminal.")]


def as_error(error: Exception) -> GraphwrightError:
    """Return the error itself, or a GraphwrightError that explains an unexpected one."""
    if isinstance(error, GraphwrightError):
        return error
    if isinstance(error, OSError) and error.strerror:
        where = f"{error.filename}: " if error.filename else ""
        return GraphwrightError("system", f"{where}{error.strerror}.", "Check the path, its permissions and the disk.")
    return GraphwrightError(
        "internal",
        f"Something unforeseen happened ({type(error).__name__}: {error}).",
        "This is a fault in Graphwright or in an agent's code; run the command again with --debug to see where.",
    )


class Interrupted(GraphwrightError):
    """The user stopped a turn. The thread keeps what was committed and can be continued."""

    def __init__(self, thread: str) -> None:
        message = f"Interrupted. Thread {thread} keeps what was said."
        super().__init__("interrupted", message, f"Go on with --thread {shlex.quote(thread)}.")
        self.thread = thread


def _by_the_user(error: GraphwrightError) -> bool:
    return isinstance(error, Interrupted) or error.code == "pull_interrupted"


def report(error: Exception) -> int:
    """Print the error that ends the command, also as JSON if requested; return the exit code."""
    if _emit is not None:
        _emit(as_error(error))
    return print_error(error)


def print_error(error: Exception) -> int:
    """Print the error to stderr as one paragraph, with `--debug` after its traceback; return the exit code."""
    if _debug:
        note(("".join(traceback.format_exception(error)).rstrip(), "dim"))
    known = as_error(error)
    paragraph(known)
    if _by_the_user(known):
        return INTERRUPTED
    return USAGE if isinstance(known, UsageError) else FAILED


def paragraph(error: GraphwrightError) -> None:
    """Print the error to stderr: what, where, why, and what to do."""
    head = () if _by_the_user(error) else (("Error: ", "bold red"),)
    note(*head, error.full_text, (f" [{error.code}]", "dim"))
