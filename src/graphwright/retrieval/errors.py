"""Errors of indexes and logbooks. What SQLite and the disk say of a file becomes a StoreError."""

from __future__ import annotations

from graphwright.errors import GraphwrightError, UsageError


class RetrievalError(GraphwrightError):
    """Codes of its own: `bad_accelerators`, `no_such_folder`, `still_indexing`."""


class NoFolder(RetrievalError, UsageError):
    """Codes: `missing_folder`, `not_a_folder`, `unreadable_folder`, `name_taken`."""


class EmbedderUnavailable(RetrievalError):
    """Codes: `unknown_embedder`, `embedder_failed`."""


class LogbookError(RetrievalError):
    """Codes: `bad_address`, `bad_file`, `bad_sample`, `no_answer`, `no_logbook`, `not_an_answer`,
    `redirected`, `server_failed`, `sign_in_needed`, `sign_in_refused`, `too_slow`."""


class SearchRefused(RetrievalError, UsageError):
    """`message` says what does not fit, and `hint` what would.

    Codes: `bad_argument`, `bad_date`, `future`, `no_entry`, `no_page`, `unknown_value`.
    """
