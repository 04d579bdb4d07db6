"""Errors of indexes and logbooks. Errors of SQLite and the disk are raised as StoreError."""

from __future__ import annotations

from graphwright.errors import GraphwrightError, UsageError


class RetrievalError(GraphwrightError):
    """The base of the errors of retrieval. Codes: `bad_accelerators`, `no_such_folder`, `still_indexing`."""


class NoFolder(RetrievalError, UsageError):
    """Codes: `missing_folder`, `not_a_folder`, `unreadable_folder`, `name_taken`."""


class EmbedderUnavailable(RetrievalError):
    """Codes: `unknown_embedder`, `embedder_failed`."""


class LogbookError(RetrievalError):
    """Codes: `bad_address`, `bad_file`, `bad_sample`, `no_answer`, `no_logbook`, `not_an_answer`,
    `redirected`, `server_failed`, `sign_in_needed`, `sign_in_refused`, `too_slow`."""


class SearchRefused(RetrievalError, UsageError):
    """`message` is the invalid argument, and `hint` the valid ones.

    Codes: `bad_argument`, `bad_date`, `future`, `no_entry`, `no_page`, `unknown_value`.
    """
