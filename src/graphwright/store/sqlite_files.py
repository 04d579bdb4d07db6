"""SQLite files: made for their owner alone, told from others of their name, journalled ahead, written whole or not."""

from __future__ import annotations

import contextlib
import os
import sqlite3
import time
from collections.abc import Iterator
from pathlib import Path

_PAUSE = 0.02


def private_folder(folder: Path) -> None:
    """Make the folder, and those above it that are missing, for their owner alone. Raises OSError.

    Folders that are there keep their permissions.
    """
    if folder.is_dir():
        return
    # `parents=True` would make those above for everybody, and the data folder may be one of them.
    missing = [each for each in folder.parents if not each.exists()]
    for each in (*reversed(missing), folder):
        each.mkdir(mode=0o700, exist_ok=True)


def private_file(file: Path) -> bool:
    """Make an empty file for its owner alone where there is none; False where there is one. Raises OSError."""
    try:
        os.close(os.open(file, os.O_CREAT | os.O_EXCL | os.O_RDWR, 0o600))
    except FileExistsError:
        return False
    return True


def identity(file: Path) -> tuple[int, int] | None:
    """What tells a file from another of the same name; None where there is none."""
    try:
        found = file.stat()
    except OSError:
        return None
    return found.st_dev, found.st_ino


def use_write_ahead_log(connection: sqlite3.Connection, patience: float) -> None:
    """Let readers and one writer work at once; waits at most `patience` seconds for others. Raises sqlite3.Error."""
    # SQLite does not wait for others when it changes the journal mode: two first starts can meet here.
    deadline = time.monotonic() + patience
    while True:
        try:
            connection.execute("PRAGMA journal_mode=WAL").fetchall()
            return
        except sqlite3.OperationalError as error:
            if error.sqlite_errorcode != sqlite3.SQLITE_BUSY or time.monotonic() > deadline:
                raise
        time.sleep(_PAUSE)


@contextlib.contextmanager
def transaction(connection: sqlite3.Connection, *, writes: bool = True) -> Iterator[None]:
    """Inside, all is written or nothing. The connection begins none on its own (`isolation_level=None`).

    With `writes` the write lock is taken first, so that what is read cannot change before it is written.
    """
    connection.execute("BEGIN IMMEDIATE" if writes else "BEGIN")
    try:
        yield
        connection.execute("COMMIT")
    except BaseException:
        # SQLite has ended the transaction itself where the disk failed it.
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise
