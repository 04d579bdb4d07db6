"""A process for reading what strangers wrote, started with nothing of its surroundings but Python's libraries."""

from __future__ import annotations

import importlib.util
import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from graphwright.files.errors import FilesUnavailable

# Nothing of the environment comes along but where libraries lie and what time it is here.
_KEPT = ("LD_LIBRARY_PATH", "TZ", "SYSTEMROOT")
_OWN = {
    # A library that starts threads when it is imported could not be confined any more.
    "OPENBLAS_NUM_THREADS": "1",
    "OMP_NUM_THREADS": "1",
    "JE_ARROW_MALLOC_CONF": "background_thread:false",
    "MALLOC_ARENA_MAX": "4",
}


def needed(names: Sequence[str], what: str, extra: str) -> None:
    """Raise FilesUnavailable where one of the modules is not installed: `what` cannot be done without `extra`."""
    missing = [name for name in names if importlib.util.find_spec(name) is None]
    if missing:
        raise FilesUnavailable(
            "files_unavailable",
            f"{what}: {', '.join(missing)} is not installed",
            f'Run `pip install "graphwright[{extra}]"`.',
        )


def started(code: str, folder: Path) -> subprocess.Popen[bytes]:
    """A Python process in `folder` that runs `code`, in a session of its own, with pipes for stdin and stdout.

    Raises FilesUnavailable where it cannot be started.
    """
    try:
        return subprocess.Popen(
            # -I and -S: no variable, folder or hook of the user's Python decides what is imported.
            [
                *(sys.executable, "-I", "-S", "-X", "utf8", "-c"),
                f"import sys; sys.path[:] = sys.argv[1:]; {code}",
                *_import_path(),
            ],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            bufsize=0,
            cwd=folder,
            env={name: os.environ[name] for name in _KEPT if name in os.environ} | _OWN,
            close_fds=True,
            start_new_session=True,
        )
    except OSError as error:
        raise FilesUnavailable(
            "files_unavailable",
            f"The process that reads files cannot be started ({error.strerror})",
            "Close other programs, or raise the limits on processes and open files.",
        ) from None


def _import_path() -> list[str]:
    """Where this process imports from, Graphwright's own place first."""
    own = str(Path(__file__).absolute().parents[2])
    return list(dict.fromkeys([own, *(entry for entry in sys.path if os.path.isabs(entry))]))
