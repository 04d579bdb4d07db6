"""SQLite files: who may read them, first starts that meet, and transactions that end whole or not at all."""

from __future__ import annotations

import sqlite3
import threading
from contextlib import closing
from pathlib import Path

import pytest

from graphwright.retrieval import KnowledgeIndex
from graphwright.store.sqlite_files import (
    identity,
    private_file,
    private_folder,
    transaction,
    use_write_ahead_log,
)
from graphwright.text.full_text import any_of, phrase


def test_folders_on_the_way_are_private_too(tmp_path: Path) -> None:
    tmp_path.chmod(0o755)
    private_folder(tmp_path / "home" / "inner")
    private_folder(tmp_path / "home" / "inner")
    assert [oct(each.stat().st_mode & 0o777) for each in (tmp_path / "home", tmp_path / "home" / "inner")] == [
        "0o700",
        "0o700",
    ]
    assert tmp_path.stat().st_mode & 0o777 == 0o755


def test_a_data_folder_that_an_index_made_is_private(tmp_path: Path) -> None:
    home, documents = tmp_path / "home", tmp_path / "documents"
    documents.mkdir()
    (documents / "page.md").write_text("# Page\n\nSome text.\n")
    KnowledgeIndex(home / "knowledge" / "own.sqlite3").update(documents)
    for each in (home, *home.rglob("*")):
        assert not each.stat().st_mode & 0o077, each


def test_a_folder_below_a_file_is_refused(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(OSError, match="file"):
        private_folder(tmp_path / "file" / "folder")


def test_a_file_is_made_once_and_told_from_its_successor(tmp_path: Path) -> None:
    file = tmp_path / "data.db"
    assert identity(file) is None
    assert private_file(file)
    assert file.stat().st_mode & 0o777 == 0o600
    assert not private_file(file)
    first = identity(file)
    other = tmp_path / "other.db"
    assert private_file(other)
    other.replace(file)
    assert identity(file) != first


def test_a_first_start_waits_for_another_one(tmp_path: Path) -> None:
    file = tmp_path / "data.db"
    with closing(_opened(file)) as one, closing(_opened(file)) as other:
        one.execute("BEGIN EXCLUSIVE")
        tried = threading.Event()

        def wait() -> None:
            tried.set()
            use_write_ahead_log(other, 30)

        waiting = threading.Thread(target=wait)
        waiting.start()
        tried.wait()
        one.execute("CREATE TABLE t (x)")
        one.execute("COMMIT")
        waiting.join(30)
        assert other.execute("PRAGMA journal_mode").fetchone() == ("wal",)


def test_a_first_start_does_not_wait_for_ever(tmp_path: Path) -> None:
    file = tmp_path / "data.db"
    with closing(_opened(file)) as one, closing(_opened(file)) as other:
        one.execute("BEGIN EXCLUSIVE")
        with pytest.raises(sqlite3.OperationalError, match="locked"):
            use_write_ahead_log(other, 0)


def test_a_transaction_that_sqlite_ended_keeps_its_reason(tmp_path: Path) -> None:
    with closing(_opened(tmp_path / "data.db")) as connection:
        connection.execute("CREATE TABLE t (x PRIMARY KEY ON CONFLICT ROLLBACK)")
        _insert(connection, 1)
        with pytest.raises(sqlite3.IntegrityError):
            _insert(connection, 2, 1)
        assert connection.execute("SELECT x FROM t").fetchall() == [(1,)]


def test_nothing_in_a_condition_is_query_language() -> None:
    with closing(sqlite3.connect(":memory:")) as connection:
        connection.execute("CREATE VIRTUAL TABLE texts USING fts5 (text)")
        connection.execute("INSERT INTO texts VALUES ('say pump or NOT'), ('valve')")

        def found(condition: str) -> int:
            (count,) = connection.execute("SELECT count(*) FROM texts WHERE texts MATCH ?", (condition,)).fetchone()
            return int(count)

        assert found(phrase("pump", "or")) == 1
        assert found(phrase("pump", "not")) == 0
        assert found(phrase("NOT")) == 1
        assert found(phrase('say" OR "valve')) == 0
        assert found(any_of([phrase("pump"), phrase("valve"), phrase("pump")])) == 2


def _insert(connection: sqlite3.Connection, *values: int) -> None:
    with transaction(connection):
        for value in values:
            connection.execute("INSERT INTO t VALUES (?)", (value,))


def _opened(file: Path) -> sqlite3.Connection:
    return sqlite3.connect(file, timeout=0, isolation_level=None, check_same_thread=False)
