"""Translation of errors of Postgres and its driver for people. The texts never show a password."""

from __future__ import annotations

import psycopg
from sqlalchemy import URL
from sqlalchemy.exc import DBAPIError, SQLAlchemyError

from graphwright.errors import exception_text
from graphwright.store._errors import StoreError

_PERMISSION = "Give the user of the address the right to read and write there, and to make tables."
_CONNECTION = "Check that the server is running and reachable, and the address in GRAPHWRIGHT_STORE."

# By the beginning of the SQLSTATE: our code, message and hint. The first match wins.
_STATES: tuple[tuple[str, str, str, str], ...] = (
    (
        "25006",
        "read_only",
        "{place} can only be read: a standby, or one whose transactions are read-only.",
        _CONNECTION,
    ),
    ("42501", "read_only", "This user may not do that in {place}: {why}.", _PERMISSION),
    ("53100", "disk_full", "There is no room left on the disk of {place}; the last step was not saved.", "Free some."),
    ("53300", "unreachable", "{place} accepts no more connections.", "Raise max_connections, or run fewer processes."),
    ("55P03", "locked", "A row of {place} was locked by another program for too long.", "End that program."),
    ("28", "cannot_open", "{place} does not let this user in: {why}.", _CONNECTION),
    ("3D000", "cannot_open", "{place} does not exist.", "Make the database: createdb, or CREATE DATABASE."),
    (
        "23503",
        "no_such_thread",
        "The thread does not exist in {place}: it was deleted.",
        "Begin a new thread.",
    ),
    ("57P", "unreachable", "The connection to {place} was closed: {why}.", _CONNECTION),
    ("08", "unreachable", "The connection to {place} was lost: {why}.", _CONNECTION),
)


def state(error: BaseException) -> str:
    """Return the SQLSTATE of an error of Postgres, also if SQLAlchemy wraps it; otherwise an empty text."""
    return getattr(cause(error), "sqlstate", None) or ""


def conflicts(error: BaseException) -> bool:
    """Return whether another transaction came first: the transaction can be repeated on its result."""
    if state(error) in ("40001", "40P01"):
        return True
    constraint = getattr(getattr(cause(error), "diag", None), "constraint_name", None)
    return constraint in (
        *("gw_blob_threads_hash_fkey", "gw_runs_running", "gw_idempotency_pkey"),
        "gw_flow_versions_pkey",
    )


def cause(error: BaseException) -> BaseException:
    """Return the driver's error, which SQLAlchemy may have wrapped."""
    return error.orig if isinstance(error, DBAPIError) and error.orig is not None else error


def explain(error: BaseException, label: str, url: URL) -> StoreError | None:
    """Translate an error of Postgres, its driver or SQLAlchemy; return None for other errors."""
    if isinstance(error, StoreError):
        return error
    if not isinstance(error, SQLAlchemyError | psycopg.Error | OSError):
        return None
    # The lines after the first one are guesses of the driver.
    why = next(iter(str(cause(error)).splitlines()), "").strip().rstrip(".") or exception_text(cause(error))
    if url.password:
        why = why.replace(str(url.password), "[hidden]")
    found = state(error)
    for start, code, message, hint in _STATES:
        if found.startswith(start):
            return StoreError(code, message.format(place=label, why=why), hint)
    if isinstance(cause(error), psycopg.OperationalError | OSError):
        return StoreError("unreachable", f"{label} cannot be reached: {why}.", _CONNECTION)
    return StoreError("database", f"Postgres refused to work on {label}: {why}.")
