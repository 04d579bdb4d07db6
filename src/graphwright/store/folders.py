"""The folder of a thread: what its user gave and what its agent made stands there as files, beside the database."""

from __future__ import annotations

import hashlib
import re
import shutil
from pathlib import Path

FOLDER = "threads"

_PLAIN = re.compile(r"[a-z0-9][a-z0-9._-]{0,63}")


def thread_folder(home: Path, thread: str) -> Path:
    """The folder of a thread in the data folder `home`. It may not exist yet.

    Its name is the thread's id where that is a plain file name on every system, else made of its hash.
    """
    if _PLAIN.fullmatch(thread) and not thread.endswith("."):
        return home / FOLDER / thread
    return home / FOLDER / f"={hashlib.sha256(thread.encode()).hexdigest()[:32]}"


def remove_folder(home: Path, thread: str) -> None:
    """Remove the folder of a thread with all that is in it; what cannot be removed stays."""
    shutil.rmtree(thread_folder(home, thread), ignore_errors=True)
