"""The command line. Results go to stdout, progress to stderr; the exit code says how the command ended."""

from __future__ import annotations

import os
import sys
import threading
from typing import NoReturn

_TIMEOUT_SECONDS = 0.5
"""Seconds that a remaining thread gets to finish at the end of the program."""


def main() -> None:
    """Run the `graphwright` program. Exit codes: 0 done, 1 failed, 2 usage, 3 waiting for the user, 130 interrupted."""
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        # Python sets a stream to None if it was closed before the program began.
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, mode))  # noqa: SIM115
    try:
        from graphwright.cli._app import run

        code = run(sys.argv[1:])
    except KeyboardInterrupt:
        # Interrupted while the program was starting or ending.
        sys.stderr.write("Interrupted.\n")
        code = 130
    _leave(code)


def _leave(code: int) -> NoReturn:
    """Exit, even if an action left threads running: Python itself would wait for them, possibly forever."""
    for thread in threading.enumerate():
        if thread is not threading.current_thread() and not thread.daemon:
            thread.join(_TIMEOUT_SECONDS)
            if thread.is_alive():
                sys.stdout.flush()
                sys.stderr.flush()
                os._exit(code)
    sys.exit(code)
