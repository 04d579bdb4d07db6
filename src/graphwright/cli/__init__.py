"""The command line: results on stdout, progress on stderr, and exit codes that say how it went."""

from __future__ import annotations

import os
import sys
import threading
from typing import NoReturn

_PATIENCE = 0.5
"""Seconds that a thread has at the end of the program to finish by itself."""


def main() -> None:
    """The `graphwright` program. Exits with 0 done, 1 failed, 2 usage, 3 waiting for the user, 130 interrupted."""
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        # Python has None for a stream that was closed before the program began.
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, mode))  # noqa: SIM115
    try:
        from graphwright.cli.app import run

        code = run(sys.argv[1:])
    except KeyboardInterrupt:
        # It came while the program was starting or ending.
        sys.stderr.write("Interrupted.\n")
        code = 130
    _leave(code)


def _leave(code: int) -> NoReturn:
    """End the program, and with it what an action left running: Python itself would wait for that, even for ever."""
    for thread in threading.enumerate():
        if thread is not threading.current_thread() and not thread.daemon:
            thread.join(_PATIENCE)
            if thread.is_alive():
                sys.stdout.flush()
                sys.stderr.flush()
                os._exit(code)
    sys.exit(code)
