"""The command line: results on stdout, progress on stderr, and exit codes that say how it went."""

from __future__ import annotations

import sys


def main() -> None:
    """The `graphwright` program. Exits with 0 done, 1 failed, 2 usage, 3 waiting for the user, 130 interrupted."""
    try:
        from graphwright.cli.app import run

        code = run(sys.argv[1:])
    except KeyboardInterrupt:
        # It came while the program was starting or ending.
        sys.stderr.write("Interrupted.\n")
        code = 130
    sys.exit(code)
