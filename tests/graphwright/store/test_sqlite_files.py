"""SQLite files: permissions, concurrent first starts, and transactions that commit completely or not at all."""

from __future__ import annotations

import sqlite3
import threading
from contextlib import closing
from pathlib import Path

import pytest

from graphwright.store.sqlite.database import identity
from graphwright.store.sqlite_files import private_file, private_folder, transaction, use_write_ahead_log
from graphwright.text.full_text import any_of, phrase
from graphwright_assistant.retrieval import KnowledgeIndex


def test_files_of_an_index_are_private_and_others_unchanged(tmp_path: Path) -> None:
    tmp_path.chmod(0o755)
    home, documents = tmp_path / "home", tmp_path / "documents"
    documents.mkdir()
    (documents / "page.md").write_text("# Page\n\nSome text.\n")
    KnowledgeIndex(home / "knowledge" / "own.sqlite3").update(documents)
    for each in (home, *home.rglob("*")):
        assert not each.stat().st_mode & 0o077, each
    assert tmp_path.stat().st_mode & 0o777 == 0o755
    with pytest.raises(OSError, match=r"page\.md"):
        private_folder(documents / "page.md" / "folder")


def test_a_replaced_file_is_detected(tmp_path: Path) -> None:
    file, other = tmp_path / "data.db", tmp_path / "other.db"
    assert identity(file) is None
    assert (private_file(file), private_file(file), private_file(other)) == (True, False, True)
    first = identity(file)
    other.replace(file)
    assert identity(file) != first


def test_a_first_start_waits_for_another_one_but_not_for_ever(tmp_path: Path) -> None:
    file = tmp_path / "data.db"
    with closing(_connect(file)) as one, closing(_connect(file)) as other:
        one.execute("BEGIN EXCLUSIVE")
        with pytest.raises(sqlite3.OperationalError, match="locked"):
            use_write_ahead_log(other, 0)
        waiting = threading.Thread(target=lambda: use_write_ahead_log(other, 30))
        waiting.start()
        one.execute("CREATE TABLE t (x)")
        one.execute("COMMIT")
        waiting.join(30)
        assert other.execute("PRAGMA journal_mode").fetchone() == ("wal",)


def test_a_transaction_that_sqlite_ended_keeps_its_reason(tmp_path: Path) -> None:
    with closing(_connect(tmp_path / "data.db")) as connection:
        connection.execute("CREATE TABLE t (x PRIMARY KEY ON CONFLICT ROLLBACK)")
        _insert(connection, 1)
        with pytest.raises(sqlite3.IntegrityError):
            _insert(connection, 2, 1)
        assert connection.execute("SELECT x FROM t").fetchall() == [(1,)]


def test_nothing_in_a_condition_is_query_language() -> None:
    with closing(sqlite3.connect(":memory:")) as connection:
        connection.execute("CREATE VIRTUAL TABLE texts USING fts5 (text)")
        connection.execute("INSERT INTO texts VALUES ('say pump or NOT'), ('valve')")
        either = any_of([phrase("pump"), phrase("valve"), phrase("pump")])
        conditions = (phrase("pump", "or"), phrase("pump", "not"), phrase("NOT"), phrase('say" OR "valve'), either)
        statement = "SELECT count(*) FROM texts WHERE texts MATCH ?"
        assert [connection.execute(statement, (each,)).fetchone()[0] for each in conditions] == [1, 0, 1, 0, 2]


def _insert(connection: sqlite3.Connection, *values: int) -> None:
    with transaction(connection):
        for value in values:
            connection.execute("INSERT INTO t VALUES (?)", (value,))


def _connect(file: Path) -> sqlite3.Connection:
    return sqlite3.connect(file, timeout=0, isolation_level=None, check_same_thread=False)
