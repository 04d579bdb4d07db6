"""The file of an index: its tables, opening it, and its one writer."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from graphwright.knowledge.errors import IndexBusy, IndexUnusable, explained
from graphwright.store.sqlite_files import private_file, private_folder, transaction, use_write_ahead_log

if TYPE_CHECKING:
    from filelock import BaseFileLock

VERSION = 1

# A title says more of a passage than its text. The columns of stems are those of German passages.
_RANK = "bm25(8.0, 4.0, 1.0, 8.0, 4.0, 1.0)"

_SCHEMA = f"""
CREATE TABLE folders (id INTEGER PRIMARY KEY, path TEXT NOT NULL UNIQUE, name TEXT NOT NULL UNIQUE, indexed TEXT);
CREATE TABLE pages (
    id INTEGER PRIMARY KEY, folder INTEGER NOT NULL REFERENCES folders, path TEXT NOT NULL, state TEXT NOT NULL,
    digest TEXT NOT NULL, title TEXT NOT NULL, url TEXT NOT NULL, accelerators TEXT NOT NULL, language TEXT NOT NULL,
    updated TEXT NOT NULL, cut TEXT NOT NULL, UNIQUE (folder, path)
);
CREATE TABLE unread (
    folder INTEGER NOT NULL REFERENCES folders, path TEXT NOT NULL, state TEXT NOT NULL, why TEXT NOT NULL,
    PRIMARY KEY (folder, path)
) WITHOUT ROWID;
CREATE TABLE passages (
    id INTEGER PRIMARY KEY, page INTEGER NOT NULL REFERENCES pages, number INTEGER NOT NULL, heading TEXT NOT NULL,
    sheet INTEGER, text TEXT NOT NULL, digest BLOB NOT NULL
);
CREATE INDEX passages_of_page ON passages (page);
CREATE INDEX passages_by_digest ON passages (digest);
CREATE VIRTUAL TABLE found USING fts5(
    title, heading, text, title_stems, heading_stems, text_stems, tokenize='porter unicode61 remove_diacritics 2'
);
INSERT INTO found(found, rank) VALUES ('rank', '{_RANK}');
CREATE TABLE words (word TEXT PRIMARY KEY, reversed TEXT NOT NULL) WITHOUT ROWID;
CREATE INDEX words_from_their_end ON words (reversed);
CREATE TABLE vectors (model TEXT, digest BLOB, vector BLOB NOT NULL, PRIMARY KEY (model, digest)) WITHOUT ROWID;
PRAGMA user_version={VERSION};
"""

_PATIENCE = 10.0
"""Seconds to wait for another process that writes a batch."""

_LONGEST = 900.0
"""Seconds to wait for another process that indexes."""


def connect(file: Path) -> sqlite3.Connection:
    """A connection to the index, which is made where there is none. Raises IndexUnusable and IndexBusy."""
    with explained(file):
        private_folder(file.parent)
        private_file(file)
        connection = sqlite3.connect(file, timeout=_PATIENCE, isolation_level=None, check_same_thread=False)
        try:
            _prepare(connection, file)
        except BaseException:
            connection.close()
            raise
        return connection


def _prepare(connection: sqlite3.Connection, file: Path) -> None:
    # What is lost by a power cut is indexed again.
    connection.execute("PRAGMA synchronous=NORMAL")
    connection.execute("PRAGMA foreign_keys=ON")
    if _version(connection) == 0:
        use_write_ahead_log(connection, _PATIENCE)
        with transaction(connection):
            # Another process may have been first.
            if _version(connection) == 0:
                for statement in _SCHEMA.split(";\n"):
                    if statement.strip():
                        connection.execute(statement)
    if (version := _version(connection)) != VERSION:
        raise IndexUnusable(
            "other_version",
            f"The index {file} was made by another version of Graphwright ({version} instead of {VERSION}).",
            "Delete it, and index the folders again: no document is lost by that.",
        )


def _version(connection: sqlite3.Connection) -> int:
    (version,) = connection.execute("PRAGMA user_version").fetchone()
    return int(version)


@contextmanager
def writing(
    file: Path, tell: Callable[[str], None] = lambda _: None, wait: float = _LONGEST
) -> Iterator[sqlite3.Connection]:
    """The connection of the one process that indexes now; others wait, at most `wait` seconds. Raises IndexBusy."""
    from filelock import FileLock, Timeout

    with explained(file):
        private_folder(file.parent)
        lock = FileLock(f"{file}.lock", mode=0o600)
        try:
            _acquire(lock, tell, wait)
        except Timeout:
            raise IndexBusy(
                "index_busy",
                f"Another process has been indexing into {file} for {wait / 60:.0f} minutes.",
                "Wait for it, or end it: what it has done stays.",
            ) from None
        try:
            with closing(connect(file)) as connection:
                yield connection
        finally:
            lock.release()


def _acquire(lock: BaseFileLock, tell: Callable[[str], None], wait: float) -> None:
    from filelock import Timeout

    try:
        lock.acquire(0)
    except Timeout:
        tell("Another process is indexing: waiting for it")
        lock.acquire(wait)
