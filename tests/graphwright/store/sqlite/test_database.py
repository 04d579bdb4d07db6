"""The store in one SQLite file: the contract of every store, and its own properties."""

from __future__ import annotations

import asyncio
import contextlib
import sqlite3
import threading
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest
from sqlalchemy import Connection, text

from graphwright.store import StoreError, open_store
from graphwright.store.sqlite.database import open_database
from graphwright.testing._store_steps import DOCUMENT
from graphwright.testing.store_suite import FlowSuite, OpenStore, StoreSuite, commit_step

OF_VERSION_6 = ("pinned", "folder", "model", "family", "source", "source_turn")


class TestSqlite(StoreSuite, FlowSuite):
    @pytest.fixture
    def open_store(self, tmp_path: Path) -> OpenStore:
        return partial(open_store, tmp_path)


async def test_a_state_that_was_changed_on_the_disk_is_not_believed(tmp_path: Path) -> None:
    async with open_store(tmp_path) as store:
        await commit_step(store, "t", state={"said": ["a"]})
        with contextlib.closing(sqlite3.connect(tmp_path / "graphwright.db")) as other:
            other.execute("UPDATE gw_states SET state = replace(state, 'a', 'b')")
            other.commit()
        with pytest.raises(StoreError) as caught:
            await store.state("t")
    assert caught.value.code == "corrupted"


async def test_a_document_that_was_changed_on_the_disk_is_not_believed(tmp_path: Path) -> None:
    async with open_store(tmp_path) as store:
        version = await store.flows.publish("f", DOCUMENT, author="ann")
        with contextlib.closing(sqlite3.connect(tmp_path / "graphwright.db")) as other:
            other.execute("UPDATE gw_flow_documents SET document = substr(document, 1, 20)")
            other.commit()
            for statement in ("UPDATE gw_flow_versions SET number = 7", "DELETE FROM gw_flow_versions"):
                with pytest.raises(sqlite3.IntegrityError, match="append-only"):
                    other.execute(statement)
        with pytest.raises(StoreError, match=version.hash) as caught:
            await store.flows.get(version.hash)
        assert caught.value.code == "corrupted"
        assert await store.flows.versions("f") == [version]


async def test_a_failed_commit_of_a_group_fails_alone(tmp_path: Path) -> None:
    def adding(key: str, error: Exception | None = None) -> Callable[[Connection], str]:
        def work(connection: Connection) -> str:
            connection.execute(text("INSERT INTO kept VALUES (:key)"), {"key": key})
            if error is not None:
                raise error
            return key

        return work

    def begun(connection: Connection) -> None:
        connection.execute(text("CREATE TABLE kept (key TEXT PRIMARY KEY)"))
        waiting.wait()

    waiting = threading.Event()
    works = [adding("a"), adding("b", KeyError("b")), adding("a"), adding("c")]
    async with open_database(tmp_path / "graphwright.db", busy_timeout=10, create=True) as database:
        # While the first one runs the others wait in the queue.
        tasks = [asyncio.ensure_future(database.run(work)) for work in (begun, *works)]
        waiting.set()
        _, *outcomes = await asyncio.gather(*tasks, return_exceptions=True)
        assert [each if isinstance(each, str) else type(each) for each in outcomes] == ["a", KeyError, StoreError, "c"]
        rows = await database.read(lambda c: c.execute(text("SELECT key FROM kept ORDER BY key")).scalars().all())
    assert rows == ["a", "c"]


@pytest.mark.parametrize("version", ["2", "3", "4", "5"])
async def test_the_database_of_an_older_version_is_copied_and_brought_to_this_one(tmp_path: Path, version: str) -> None:
    file = tmp_path / "graphwright.db"
    async with open_store(tmp_path) as store:
        await commit_step(store, "t", messages=[("user", "hello")])
    with contextlib.closing(sqlite3.connect(file)) as other:
        tables = ("gw_flow_versions", "gw_flow_documents", "gw_flow_drafts") if version < "4" else ()
        for table in ("gw_feedback", *(("gw_flow_code",) if version < "5" else ()), *tables):
            other.execute(f"DROP TABLE {table}")
        other.execute("DROP INDEX gw_threads_family")
        for column in OF_VERSION_6:
            other.execute(f"ALTER TABLE gw_threads DROP COLUMN {column}")
        if version == "4":
            other.execute("ALTER TABLE gw_flow_versions DROP COLUMN text")
        if version == "2":
            # It created the tables of the service when one was first started.
            for table in ("gw_uploads", "gw_audit", "gw_counters"):
                other.execute(f"DROP TABLE {table}")
            other.execute('ALTER TABLE gw_run_accepted DROP COLUMN "left"')
        other.execute("UPDATE gw_meta SET value = ?", [version])
        other.commit()
    for _ in range(2):
        async with open_store(tmp_path) as store:
            assert [message.text for message in await store.messages.read("t")] == ["hello"]
            assert await store.uploads.get("none") is None
            published = await store.flows.publish("f", DOCUMENT, author="ann")
            assert [row.thread for row in await store.threads.family("t")] == ["t"]
            await store.threads.mark("t", folder="Lamps")
    assert published.number == 2
    with contextlib.closing(sqlite3.connect(tmp_path / f"graphwright.db.version{version}")) as copy:
        assert copy.execute("SELECT value FROM gw_meta").fetchall() == [(version,)]
        assert copy.execute("SELECT text FROM gw_messages").fetchall() == [("hello",)]
