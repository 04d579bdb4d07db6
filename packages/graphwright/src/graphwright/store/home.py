"""Locations on this machine: the data folder, and in it one folder per thread for files received and created."""

from __future__ import annotations

import hashlib
import re
import shutil
from pathlib import Path

from graphwright.config import chosen_home

__all__ = ["data_home", "thread_folder"]

FILE = "graphwright.db"
"""The database in the data folder."""


def data_home() -> Path:
    """Return the data folder: the configured one, else the platform's user data folder. It may not exist yet.

    The path is absolute and a leading `~` is expanded; nothing is created. Raises ConfigError.
    """
    chosen = chosen_home()
    if chosen is not None:
        return chosen
    # Imported here: commands without data should not load it.
    from platformdirs import user_data_dir

    return Path(user_data_dir("graphwright", appauthor=False)).absolute()


FOLDER = "threads"

_PLAIN = re.compile(r"[a-z0-9][a-z0-9._-]{0,63}")


def thread_folder(home: Path, thread: str) -> Path:
    """Return the folder of a thread in the data folder `home`. It may not exist yet.

    Its name is the thread's id if that is a plain file name on every system, else derived from its hash.
    """
    if _PLAIN.fullmatch(thread) and not thread.endswith("."):
        return home / FOLDER / thread
    return home / FOLDER / f"={hashlib.sha256(thread.encode()).hexdigest()[:32]}"


def remove_folder(home: Path, thread: str) -> None:
    """Remove the folder of a thread with its contents. Errors are ignored."""
    shutil.rmtree(thread_folder(home, thread), ignore_errors=True)
