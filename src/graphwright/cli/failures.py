"""What went wrong, told to people in one paragraph and to programs as JSON, with the exit code that fits."""

from __future__ import annotations

import shlex
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Annotated

import typer

from graphwright.cli.console import note, result_json
from graphwright.errors import GraphwrightError, UsageError, in_sentences

DONE, FAILED, USAGE, WAITING, INTERRUPTED = 0, 1, 2, 3, 130
"""The exit codes."""

_debug = False
_told = False


def _set_debug(value: bool) -> None:
    # A command only ever switches it on: the option may stand before the command and is then unset after it.
    global _debug
    _debug = _debug or value


def debugging() -> bool:
    """Whether `--debug` was given."""
    return _debug


def reset() -> None:
    """Forget what an earlier command line in this process had asked for."""
    global _debug, _told
    _debug = _told = False


def told() -> bool:
    """Whether an error was written."""
    return _told


_told = False


Debug = Annotated[bool, typer.Option("--debug", help="Show the traceback of an error.", callback=_set_debug)]
"""The option that every command takes."""


def as_error(error: Exception) -> GraphwrightError:
    """The error itself, or what an unforeseen one means to a person."""
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
    """The user stopped a turn. The thread keeps what was committed and can go on."""

    def __init__(self, thread: str) -> None:
        message = f"Interrupted. Thread {thread} keeps what was said"
        super().__init__("interrupted", message, f"Go on with --thread {shlex.quote(thread)}.")
        self.thread = thread


def _by_the_user(error: GraphwrightError) -> bool:
    return isinstance(error, Interrupted) or error.code == "pull_interrupted"


def exit_code(error: GraphwrightError) -> int:
    if _by_the_user(error):
        return INTERRUPTED
    return USAGE if isinstance(error, UsageError) else FAILED


def tell(error: Exception) -> int:
    """Write the error to stderr as one paragraph, with `--debug` below its traceback; returns the exit code."""
    if _debug:
        note(("".join(traceback.format_exception(error)).rstrip(), "dim"))
    known = as_error(error)
    paragraph(known)
    return exit_code(known)


def paragraph(error: GraphwrightError) -> None:
    """The error on stderr: what, where, why, and what to do."""
    global _told
    _told = True
    head = () if _by_the_user(error) else (("Error: ", "bold red"),)
    note(*head, in_sentences(error), (f" [{error.code}]", "dim"))


def result_failed(error: GraphwrightError) -> None:
    """The error as the JSON result of a command that gives no turn: `{status: failed, error}`."""
    result_json({"status": "failed", "error": error.to_json()})


@contextmanager
def reporting(emit: Callable[[GraphwrightError], None] | None) -> Iterator[None]:
    """Inside, an error is told on stderr, also given to `emit` (which prints the JSON), and ends the command."""
    try:
        yield
    except (typer.Exit, typer.Abort, BrokenPipeError):
        # Nobody is left who would read what a broken pipe means.
        raise
    except Exception as error:
        if emit is None:
            raise
        emit(as_error(error))
        raise typer.Exit(tell(error)) from error
