"""What can go wrong with an index of documents, as errors for people.

KnowledgeError              code, message, hint
├── NoFolder                what should be indexed is no folder that can be read (also a UsageError)
├── IndexUnusable           the file of the index is damaged, of another version, full, or may not be written
├── IndexBusy               another process has been indexing for too long
└── EmbedderUnavailable     the model of the embeddings cannot be had, or did not answer
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from graphwright.errors import GraphwrightError, UsageError


class KnowledgeError(GraphwrightError):
    """The base of all errors of an index. Codes of its own: `no_such_folder`, `bad_accelerators`, `still_indexing`."""


class NoFolder(KnowledgeError, UsageError):
    """Codes: `missing_folder`, `not_a_folder`, `unreadable_folder`, `name_taken`."""


class IndexUnusable(KnowledgeError):
    """Codes: `damaged_index`, `other_version`, `index_refused`."""


class IndexBusy(KnowledgeError):
    """Code `index_busy`."""


class EmbedderUnavailable(KnowledgeError):
    """Codes: `unknown_embedder`, `embedder_failed`."""


@contextmanager
def explained(file: Path) -> Iterator[None]:
    """Inside, what SQLite or the system say of the file of the index becomes an error for people."""
    try:
        yield
    except sqlite3.OperationalError as error:
        if "locked" in str(error) or "busy" in str(error):
            raise IndexBusy(
                "index_busy", f"The index {file} is being written by another process.", "Try again in a moment."
            ) from error
        hint = "Look at the space on its disk and its permissions."
        raise IndexUnusable("index_refused", f"The index {file} cannot be used: {error}.", hint) from error
    except sqlite3.DatabaseError as error:
        raise IndexUnusable(
            "damaged_index",
            f"The file {file} is damaged, or is no index: {error}.",
            "Delete it, and index the folders again: no document is lost by that.",
        ) from error
    except OSError as error:
        why = error.strerror or str(error)
        raise IndexUnusable(
            "index_refused", f"The index {file} cannot be used: {why}.", "Look at the disk and its permissions."
        ) from error
