"""The connection to a Neo4j server: the driver, made when it is first needed, and transactions that end for certain."""

from __future__ import annotations

import logging
import threading
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from graphwright.graphstore.elements import KEY
from graphwright.graphstore.errors import GraphUnavailable
from graphwright.graphstore.neo4j.address import Address
from graphwright.graphstore.neo4j.failures import told
from graphwright.graphstore.neo4j.hiding import GOAL, GRAPH, STEP

if TYPE_CHECKING:
    import neo4j

CONNECT_SECONDS = 5.0
"""How long a server has to answer at all."""

BATCH = 500
"""Rows that travel at a time."""

_OWN_SCHEMA = (
    f"CREATE CONSTRAINT IF NOT EXISTS FOR (n:{GRAPH}) REQUIRE n.id IS UNIQUE",
    f"CREATE CONSTRAINT IF NOT EXISTS FOR (n:{GOAL}) REQUIRE n.id IS UNIQUE",
    f"CREATE CONSTRAINT IF NOT EXISTS FOR (n:{GOAL}) REQUIRE n.caller IS UNIQUE",
    f"CREATE CONSTRAINT IF NOT EXISTS FOR (n:{STEP}) REQUIRE n.caller IS UNIQUE",
    f"CREATE INDEX IF NOT EXISTS FOR (n:{STEP}) ON (n.goal)",
    f"CREATE INDEX IF NOT EXISTS FOR (n:{STEP}) ON (n.version)",
)

# The driver logs what the server remarks on a query; where nobody asked for logs, that is for nobody.
_SILENCE = logging.NullHandler()


class Connection:
    """A server, asked by many threads, which has so many `seconds` to answer. All that it raises are GraphErrors."""

    def __init__(self, address: Address, *, seconds: float = CONNECT_SECONDS) -> None:
        self.address = address
        self._seconds = seconds
        self._lock = threading.Lock()
        self._driver: neo4j.Driver | None = None
        # Without it, a read from another server of a cluster may not see yet what was written before it.
        self._bookmarks: neo4j.BookmarkManager | None = None
        self._constrained: set[str] = set()

    @contextmanager
    def reading(self, seconds: float) -> Iterator[neo4j.Transaction]:
        """A transaction that reads. It is never committed: whatever a query does in it is gone afterwards."""
        with self._transaction("READ", seconds) as tx:
            yield tx

    @contextmanager
    def writing(self, seconds: float) -> Iterator[neo4j.Transaction]:
        """A transaction that writes. It is rolled back unless it is committed inside."""
        self.constrain(())
        with self._transaction("WRITE", seconds) as tx:
            yield tx

    def constrain(self, labels: Iterable[str]) -> None:
        """Have the server hold keys unique within these labels, and find them by an index; once a label.

        It is done before a transaction, because schema and data cannot change in the same one. A server that refuses
        (no privilege for it, keys of other programs that are not unique) is left alone: writers are serialised, so
        that keys stay unique without it.
        """
        if GRAPH not in self._constrained:
            self._constrain(GRAPH, _OWN_SCHEMA)
        for label in labels:
            if label not in self._constrained:
                self._constrain(
                    label, [f"CREATE CONSTRAINT IF NOT EXISTS FOR (n:{quoted(label)}) REQUIRE n.{KEY} IS UNIQUE"]
                )

    def close(self) -> None:
        with self._lock:
            driver, self._driver = self._driver, None
        if driver is not None:
            with told(self.address):
                driver.close()

    @contextmanager
    def _transaction(self, access: str, seconds: float) -> Iterator[neo4j.Transaction]:
        with self._session(access) as session, session.begin_transaction(timeout=seconds) as tx:
            yield tx
            if not tx.closed():
                tx.rollback()

    def _constrain(self, label: str, statements: Iterable[str]) -> None:
        with self._session("WRITE") as session:
            from neo4j.exceptions import AuthError, Neo4jError, TransientError

            for statement in statements:
                try:
                    session.run(statement).consume()
                except (AuthError, TransientError):
                    raise
                except Neo4jError:
                    continue
        self._constrained.add(label)

    @contextmanager
    def _session(self, access: str) -> Iterator[neo4j.Session]:
        driver = self._opened()
        with (
            told(self.address),
            driver.session(
                database=self.address.database or None,
                default_access_mode=access,
                fetch_size=BATCH,
                bookmark_manager=self._bookmarks,
            ) as session,
        ):
            yield session

    def _opened(self) -> neo4j.Driver:
        with self._lock:
            if self._driver is None:
                self._driver = self._open()
            return self._driver

    def _open(self) -> neo4j.Driver:
        try:
            from neo4j import GraphDatabase
        except ImportError:
            raise missing_driver() from None
        logging.getLogger("neo4j").addHandler(_SILENCE)
        address = self.address
        with told(address):
            self._bookmarks = GraphDatabase.bookmark_manager()
            return GraphDatabase.driver(
                address.url,
                auth=(address.user, address.password) if address.user else None,
                connection_timeout=self._seconds,
                connection_acquisition_timeout=2 * self._seconds,
            )


def missing_driver() -> GraphUnavailable:
    return GraphUnavailable(
        "graph_unavailable",
        "GRAPHWRIGHT_GRAPH names a Neo4j server, but the driver for it is not installed",
        "Install it: pip install 'graphwright[neo4j]'",
    )


def quoted(name: str) -> str:
    """A label, type or property name as it may stand in Cypher, whatever it holds."""
    return "`" + name.replace("`", "``") + "`"
