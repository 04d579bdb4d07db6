"""Errors of logbooks.

    LogbookError        the logbook cannot be read: its server, its file, its answer
    Refused             what was asked for does not fit: an impossible day, a category that does not exist

Codes of LogbookError: `bad_address`, `no_answer`, `no_logbook`, `not_an_answer`, `redirected`, `server_failed`,
`too_slow`, `sign_in_needed`, `sign_in_refused`, `bad_file`, `unreadable_file`, `bad_sample`, `bad_clock`.
Codes of Refused: `bad_argument`, `bad_date`, `future`, `no_entry`, `unknown_author`, `unknown_value`.
"""

from __future__ import annotations

from graphwright.errors import GraphwrightError, UsageError


class LogbookError(GraphwrightError):
    """A logbook, or a file for it, cannot be read."""


class Refused(UsageError):
    """The request cannot be met as it stands; `message` says why and `hint` what would fit."""
