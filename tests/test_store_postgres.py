"""The store in Postgres: what every store must do, and what becomes of it when the server or a worker fails."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from pathlib import Path

import pytest
from postgres_support import PostgresServer, postgres_server

from graphwright.store import open_store
from graphwright.testing.store_suite import OpenStore, StoreSuite

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def server() -> Iterator[PostgresServer]:
    with postgres_server() as running:
        yield running


@pytest.fixture
def address(server: PostgresServer, monkeypatch: pytest.MonkeyPatch) -> str:
    """The address of a new database, at which the store is opened."""
    found = server.database()
    monkeypatch.setenv("GRAPHWRIGHT_STORE", found)
    return found


class TestPostgres(StoreSuite):
    @pytest.fixture
    def open_store(self, tmp_path: Path, address: str) -> OpenStore:
        return partial(open_store, tmp_path)
