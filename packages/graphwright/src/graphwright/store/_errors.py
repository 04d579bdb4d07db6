"""Errors of the store, and the translation of errors of SQLite and the file system for people.

  StoreError                code, message, hint
  ├── LeaseTimeout          another turn kept a thread for too long
  └── InteractionLogError   the interaction log cannot be reached, read or written, or its address is not valid

Codes: `absent`, `bad_store`, `cannot_open`, `closed`, `corrupted`, `database`, `disk_full`, `disk_io`, `draft_changed`,
`foreign_database`, `lease_lost`, `lease_timeout`, `locked`, `moved`, `newer_schema`, `no_such_blob`, `no_such_thread`,
`not_a_database`, `not_a_folder`, `not_canonical`, `not_json`, `older_schema`, `read_only`, `store_driver_missing`,
`unreachable`; of the log: `bad_log`, `log_driver_missing`, `log_off`, `log_unusable`, `log_unwritable`.
"""

from __future__ import annotations

import errno

from graphwright.errors import GraphwrightError

_RESTORE = (
    "Nothing was changed. Move the file aside (with its -wal and -shm, if there are any) and restore a "
    "backup, or go on without it: a new one is made at the next start."
)


class StoreError(GraphwrightError):
    """An operation of the store failed. `code` is stable, `message` says what failed and where, `hint` what to do."""

    def __str__(self) -> str:
        return self.full_text


class LeaseTimeout(StoreError):
    """The thread was held by another process or task for the whole waiting time."""


class InteractionLogError(StoreError):
    """The interaction log cannot be reached, read or written, or its address is not valid."""


def damaged(what: str) -> StoreError:
    """Return the error for damaged content: `what` says which content is wrong and how."""
    return StoreError("corrupted", f"The database is damaged: {what}.", _RESTORE)


def lease_lost(place: str) -> StoreError:
    """Return the error of a turn whose thread another process may have taken over."""
    return StoreError(
        "lease_lost",
        f"The connection to {place} was lost in the middle of a turn, and the thread with it.",
        "Nothing was saved after that. The next message continues from what was saved before.",
    )


def absent(place: object) -> StoreError:
    """Return the error for a store that does not exist, and was opened without creating it."""
    return StoreError("absent", f"There is no data yet: {place} does not exist.", "Start a conversation first.")


# Message and hint by code. `{place}` is the file.
_MEANINGS: dict[str, tuple[str, str]] = {
    "not_a_database": ("{place} is not a SQLite database.", _RESTORE),
    "corrupted": ("The database {place} is damaged.", _RESTORE),
    "read_only": (
        "{place} cannot be read and written by this user.",
        "Allow it for the file and its folder, or point GRAPHWRIGHT_HOME to another folder.",
    ),
    "cannot_open": (
        "The database {place} cannot be opened.",
        "Check that its folder may be read and written, or point GRAPHWRIGHT_HOME to another folder.",
    ),
    "disk_full": (
        "There is no room left on the disk that holds {place}; the last step was not saved.",
        "Free some space and try again.",
    ),
    "locked": (
        "The database {place} was locked by another program for too long.",
        "Close the program that has it open (a database browser, a backup, a stuck run) and try again.",
    ),
    "disk_io": (
        "The disk that holds {place} could not be read or written.",
        "Check the disk and that the folder still exists, then try again.",
    ),
    "no_such_thread": (
        "The thread does not exist in {place}: it was deleted meanwhile, or never begun.",
        "Begin a new thread.",
    ),
    "not_a_folder": (
        "The data folder of {place} cannot be made: there is a file in place of a folder.",
        "Move that file aside, or point GRAPHWRIGHT_HOME to another folder.",
    ),
}

# The first matching prefix wins: SQLite's extended names refine the plain ones.
_SQLITE = {
    "SQLITE_NOTADB": "not_a_database",
    "SQLITE_CORRUPT": "corrupted",
    # SQLite reports only this if the disk has no space for the index of the write-ahead log.
    "SQLITE_IOERR_SHMSIZE": "disk_full",
    "SQLITE_READONLY": "read_only",
    "SQLITE_CANTOPEN": "cannot_open",
    "SQLITE_FULL": "disk_full",
    "SQLITE_BUSY": "locked",
    "SQLITE_LOCKED": "locked",
    "SQLITE_IOERR": "disk_io",
    "SQLITE_CONSTRAINT_FOREIGNKEY": "no_such_thread",
}
_ERRNO = {
    errno.ENOSPC: "disk_full",
    **dict.fromkeys((errno.EROFS, errno.EACCES, errno.EPERM), "read_only"),
    **dict.fromkeys((errno.ENOTDIR, errno.EEXIST), "not_a_folder"),
    **dict.fromkeys((errno.EISDIR, errno.ENAMETOOLONG, errno.ELOOP), "cannot_open"),
}


def explain(error: BaseException, place: str) -> StoreError | None:
    """Translate an error of SQLite, of SQLAlchemy around it, or of the file system; return None for other errors.

    `place` is the database file that was in use. The caller raises the result `from` the original.
    """
    # Imported here: code that only needs the error classes should not load the database.
    import sqlite3

    if isinstance(error, StoreError):
        return error
    cause = getattr(error, "orig", None) or error
    code = None
    if isinstance(cause, sqlite3.Error):
        name = getattr(cause, "sqlite_errorname", None) or ""
        code = next((code for prefix, code in _SQLITE.items() if name.startswith(prefix)), None)
        if code is None and not str(cause).startswith("Could not decode"):
            return StoreError("database", f"SQLite refused to work on {place}: {cause}.")
        code = code or "corrupted"
    elif isinstance(cause, UnicodeDecodeError):
        code = "corrupted"
    elif isinstance(cause, TimeoutError):
        code = "locked"
    elif isinstance(cause, OSError):
        code = _ERRNO.get(cause.errno or 0)
    if code is None:
        return None
    message, hint = _MEANINGS[code]
    return StoreError(code, message.format(place=place), hint)
