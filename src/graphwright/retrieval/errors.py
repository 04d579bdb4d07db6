"""What can go wrong with an index or a logbook, as errors for people.

RetrievalError              code, message, hint
├── NoFolder                what should be indexed is no folder that can be read (also a UsageError)
├── EmbedderUnavailable     the model of the embeddings cannot be had, or did not answer
├── LogbookError            a logbook, or a file for it, cannot be read
└── Refused                 a search or a read cannot be met as it stands (also a UsageError)

What SQLite and the disk say of a file becomes a StoreError.
"""

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


class Refused(RetrievalError, UsageError):
    """`message` says what does not fit, and `hint` what would.

    Codes: `bad_argument`, `bad_date`, `future`, `no_entry`, `no_page`, `unknown_value`.
    """
