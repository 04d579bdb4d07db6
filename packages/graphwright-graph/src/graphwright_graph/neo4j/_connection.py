"""The connection to a Neo4j server: address, driver, transactions with time limits, translation of errors."""

from __future__ import annotations

import logging
import os
import re
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import lru_cache, partial
from typing import TYPE_CHECKING
from urllib.parse import unquote, urlsplit

from graphwright.errors import HIDDEN, exception_text
from graphwright_graph._elements import KEY, RESERVED, quote
from graphwright_graph._errors import BadElement, Conflict, GraphError, GraphUnavailable, QueryFailed, Transient
from graphwright_graph.cypher import parse
from graphwright_graph.cypher._dialects import exclude_labels

if TYPE_CHECKING:
    import neo4j

GRAPH = f"{RESERVED}Graph"
GOAL = f"{RESERVED}Goal"
STEP = f"{RESERVED}Step"
"""The labels of the store's own nodes. These have neither edges nor the property `key`."""

EXCLUDE_OWN = f":!({GRAPH}|{GOAL}|{STEP})"
"""A label expression that excludes these nodes from a pattern."""

SCHEMES = ("neo4j", "neo4j+s", "neo4j+ssc", "bolt", "bolt+s", "bolt+ssc")
"""`+s` encrypts and checks the certificate, `+ssc` encrypts and accepts any.

`bolt` connects to one server, without routing.
"""

_HINT = (
    "Write neo4j://HOST:PORT, or neo4j+s://HOST:PORT for an encrypted connection, or leave it out for the graph in the "
    "data folder. User and password go into NEO4J_USERNAME and NEO4J_PASSWORD, the name of a database into "
    "NEO4J_DATABASE."
)


@dataclass(frozen=True, slots=True)
class Address:
    """A server, a database on it (empty: the default one), and the user. `url` has no user and no password."""

    url: str
    database: str
    user: str
    password: str = field(repr=False)

    @property
    def name(self) -> str:
        """The address in messages."""
        return f"Neo4j at {self.url}" + (f", database {self.database}" if self.database else "")

    def error_text(self, error: BaseException) -> str:
        """The message of an exception on one line, without the password."""
        text = exception_text(error)
        return text.replace(self.password, HIDDEN) if self.password else text


def parse_address(url: str, environment: Mapping[str, str] = os.environ) -> Address:
    """The address from a URL and the environment. Raises GraphUnavailable (`bad_graph_url`), without the URL.

    User and password come from the URL, otherwise from NEO4J_USERNAME (default `neo4j`) and NEO4J_PASSWORD. Without
    either, the connection has no authentication.
    """
    try:
        parts = urlsplit(url.strip())
        host, port = parts.hostname, parts.port
    except ValueError:
        # The message of the error quotes the URL, which may have a password.
        raise _bad("Its host or its port cannot be read.") from None
    if parts.scheme not in SCHEMES:
        raise _bad(f"It begins with none of {', '.join(f'{scheme}://' for scheme in SCHEMES)}.")
    if not host:
        raise _bad("It names no host.")
    if parts.path.strip("/") or parts.query or parts.fragment:
        raise _bad("Something follows the host and the port.")
    password = unquote(parts.password or "") or environment.get("NEO4J_PASSWORD", "")
    user = unquote(parts.username or "") or environment.get("NEO4J_USERNAME", "").strip()
    place = f"[{host}]" if ":" in host else host
    return Address(
        url=f"{parts.scheme}://{place}" + (f":{port}" if port else ""),
        database=environment.get("NEO4J_DATABASE", "").strip(),
        user=user or ("neo4j" if password else ""),
        password=password,
    )


def _bad(why: str) -> GraphUnavailable:
    what = "GRAPHWRIGHT_GRAPH, or `graph` of the configuration file, is not the URL of a Neo4j server"
    return GraphUnavailable(f"{what}: {why}", _HINT, "bad_graph_url")


CONNECT_SECONDS = 5.0
"""The time limit for the first answer of a server, in seconds."""

BATCH = 500
"""The number of rows fetched at a time."""

_OWN_SCHEMA = (
    f"CREATE CONSTRAINT IF NOT EXISTS FOR (n:{GRAPH}) REQUIRE n.id IS UNIQUE",
    f"CREATE CONSTRAINT IF NOT EXISTS FOR (n:{GOAL}) REQUIRE n.id IS UNIQUE",
    f"CREATE CONSTRAINT IF NOT EXISTS FOR (n:{GOAL}) REQUIRE n.caller IS UNIQUE",
    f"CREATE CONSTRAINT IF NOT EXISTS FOR (n:{STEP}) REQUIRE n.caller IS UNIQUE",
    f"CREATE INDEX IF NOT EXISTS FOR (n:{STEP}) ON (n.goal)",
    f"CREATE INDEX IF NOT EXISTS FOR (n:{STEP}) ON (n.version)",
)

# The driver logs notifications of the server; without a configured log they would go to stderr.
_SILENCE = logging.NullHandler()


class Connection:
    """A server, used by many threads, which must answer within `seconds`. It raises only GraphErrors."""

    def __init__(self, address: Address, *, seconds: float = CONNECT_SECONDS) -> None:
        self.address = address
        self._seconds = seconds
        self._lock = threading.Lock()
        self._driver: neo4j.Driver | None = None
        # Without it, a read from another server of a cluster might not see earlier writes.
        self._bookmarks: neo4j.BookmarkManager | None = None
        self._constrained: set[str] = set()

    @contextmanager
    def reading(self, seconds: float) -> Iterator[neo4j.Transaction]:
        """A read transaction. It is not committed, whatever a query does in it."""
        with self._transaction("READ", seconds) as tx:
            yield tx

    @contextmanager
    def writing(self, seconds: float) -> Iterator[neo4j.Transaction]:
        """A write transaction. It is rolled back unless the caller commits it."""
        self.constrain(())
        with self._transaction("WRITE", seconds) as tx:
            yield tx

    def constrain(self, labels: Iterable[str]) -> None:
        """Create a constraint for unique keys, with an index, for each of these labels, once.

        This is done before a transaction, because schema and data cannot change in the same one. If the server refuses
        (no privilege, or keys of other programs that are not unique), the label has no constraint: writers are
        serialised, so that keys stay unique without it.
        """
        if GRAPH not in self._constrained:
            self._constrain(GRAPH, _OWN_SCHEMA)
        for label in labels:
            if label not in self._constrained:
                self._constrain(
                    label, [f"CREATE CONSTRAINT IF NOT EXISTS FOR (n:{backticked(label)}) REQUIRE n.{KEY} IS UNIQUE"]
                )

    def close(self) -> None:
        with self._lock:
            driver, self._driver = self._driver, None
        if driver is not None:
            with translating_errors(self.address):
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
        driver = self._open_driver()
        with (
            translating_errors(self.address),
            driver.session(
                database=self.address.database or None,
                default_access_mode=access,
                fetch_size=BATCH,
                bookmark_manager=self._bookmarks,
            ) as session,
        ):
            yield session

    def _open_driver(self) -> neo4j.Driver:
        with self._lock:
            if self._driver is None:
                self._driver = self._open()
            return self._driver

    def _open(self) -> neo4j.Driver:
        try:
            from neo4j import GraphDatabase
        except ImportError:
            raise GraphUnavailable(
                "GRAPHWRIGHT_GRAPH names a Neo4j server, but the driver for it is not installed.",
                "Install it: pip install 'graphwright[neo4j]'",
            ) from None
        logging.getLogger("neo4j").addHandler(_SILENCE)
        address = self.address
        with translating_errors(address):
            self._bookmarks = GraphDatabase.bookmark_manager()
            return GraphDatabase.driver(
                address.url,
                auth=(address.user, address.password) if address.user else None,
                connection_timeout=self._seconds,
                connection_acquisition_timeout=2 * self._seconds,
            )


def backticked(name: str) -> str:
    """Quote a label, type or property name for Cypher."""
    return "`" + name.replace("`", "``") + "`"


@lru_cache(maxsize=100)
def without_own_nodes(query: str) -> str:
    """Rewrite an accepted query so that it does not match the store's own nodes.

    Raises QueryRefused, and BadElement if the query names them.
    """
    for name in parse(query).labels:
        if name.startswith(RESERVED):
            raise BadElement("bad_label", f"The label {quote(name)} is reserved.", "The journal is not queried.")
    return exclude_labels(query, EXCLUDE_OWN)


_SLOW = "Ask for less: begin at a node whose key is known, and limit how far the pattern goes."

# The first entry whose code is a prefix of the server's code is used: error class, message and hint; `{name}` is the
# place, `{said}` the message of the server.
_CODES: tuple[tuple[tuple[str, ...], Callable[[str, str], GraphError], str, str], ...] = (
    (
        ("ClientError.Security",),
        GraphUnavailable,
        "{name} does not let this user in, or do this: {said}.",
        "Check NEO4J_USERNAME and NEO4J_PASSWORD, and the role of the user.",
    ),
    (
        ("ClientError.Database.DatabaseNotFound",),
        GraphUnavailable,
        "{name} does not exist.",
        "Correct NEO4J_DATABASE, or unset it for the default database.",
    ),
    (
        ("ClientError.Statement.AccessMode", "ClientError.General.ForbiddenOnReadOnlyDatabase"),
        partial(QueryFailed, "read_only"),
        "{name} accepts no write here: {said}.",
        "Make it a write, on a database that takes writes.",
    ),
    (
        ("ClientError.Schema.ConstraintValidationFailed",),
        Conflict,
        "Neo4j does not allow this: {said}.",
        "Look at the node and its edges: other programs may write to this graph, too.",
    ),
    (
        ("ClientError.Transaction.TransactionTimedOut", "ClientError.Transaction.Terminated"),
        partial(Transient, "timeout"),
        "{name} ended the query: {said}.",
        _SLOW,
    ),
    (
        tuple(f"TransientError.General.{each}" for each in ("OutOfMemory", "MemoryPool", "TransactionMemoryLimit")),
        partial(QueryFailed, "too_much"),
        "The query needs too much memory.",
        _SLOW,
    ),
    (
        ("TransientError", "ClientError.Transaction.Lock"),
        partial(Transient, "locked"),
        "{name} cannot do this now: {said}.",
        "Try again.",
    ),
    (("",), partial(QueryFailed, "query_failed"), "The query failed: {said}.", "Correct the query."),
)

# The query at the server is a rewritten one: its places do not help.
_PLACE = re.compile(r" ?\(?\bline \d+, column \d+(?: \(offset: \d+\)\))?")


@contextmanager
def translating_errors(address: Address) -> Iterator[None]:
    """Convert exceptions of the driver inside to GraphErrors."""
    from neo4j.exceptions import DriverError, Neo4jError

    try:
        yield
    except (DriverError, Neo4jError, OSError) as error:
        raise translated(error, address) from None


def translated(error: Exception, address: Address) -> GraphError:
    """The GraphError for an exception of the driver."""
    from neo4j import exceptions

    match error:
        case exceptions.Neo4jError(code=code, message=message):
            text = _PLACE.sub("", address.error_text(Exception(message.splitlines()[0] if message else code)))
            plain = (code or "").removeprefix("Neo.")
            for begins, make, words, hint in _CODES:
                if plain.startswith(begins):
                    return make(words.format(name=address.name, said=text), hint)
        case exceptions.IncompleteCommit():
            return Transient(
                "connection_lost",
                f"The connection to {address.name} was lost while a write was being committed: it may have been done.",
                "Send it again under the same key: what was done is not done twice.",
            )
        case exceptions.ConfigurationError():
            return GraphUnavailable(
                f"{address.name} cannot be used: {address.error_text(error)}.", "Correct the settings."
            )
    return Transient(
        "connection_lost",
        f"{address.name} cannot be reached: {address.error_text(error)}.",
        "Check that the server runs and that GRAPHWRIGHT_GRAPH names it.",
    )
