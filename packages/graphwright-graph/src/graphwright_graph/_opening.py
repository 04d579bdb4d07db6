"""Open the graph of an installation, a file in the data folder or a Neo4j server, and check its health."""

from __future__ import annotations

import os
import threading
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote

from graphwright.config import chosen_graph
from graphwright.extras import install_hint, installed
from graphwright_graph._errors import GraphUnavailable
from graphwright_graph._port import GraphStore

FOLDER, FILE = "graph", "graph.db"
"""The embedded graph has a separate folder in the data folder, because the engine can access all files of that folder.
"""

_open: dict[tuple[int, str], GraphStore] = {}
_lock = threading.Lock()


def open_graph(home: Path) -> GraphStore:
    """The graph of a data folder, or of the server in `GRAPHWRIGHT_GRAPH` or the configuration file.

    There is one store for each process and target; repeated calls are cheap. It connects or starts at its first use.
    Raises GraphUnavailable (`bad_graph_url`) for an invalid address, and ConfigError.
    """
    if not installed("antlr4_cypher"):
        # Queries for both engines are parsed first.
        raise GraphUnavailable("The packages for graphs are not installed.", install_hint("graph"))
    url = chosen_graph()
    target = url or str(home.expanduser().absolute() / FOLDER / FILE)
    with _lock:
        # A forked child opens its own stores.
        place = os.getpid(), target
        if place not in _open:
            # Only the engine in use is imported.
            if url:
                from graphwright_graph.neo4j._store import Neo4jStore

                _open[place] = Neo4jStore(url)
            else:
                from graphwright_graph.embedded._client import EmbeddedStore

                _open[place] = EmbeddedStore(Path(target))
        return _open[place]


def _after_fork() -> None:
    # Another thread of the parent may have held the lock.
    global _lock
    _lock = threading.Lock()


os.register_at_fork(after_in_child=_after_fork)


REACH_SECONDS = 2.0
"""The time limit for an answer of the server, in seconds."""


@dataclass(frozen=True, slots=True)
class Health:
    """A healthy graph. `name` says where the graph is, without any secret.

    `size` is the size of its file in bytes and `goals` the number in its journal; both are None for a server and for a
    missing file. A file of 0 bytes has no graph: the next program that opens it creates an empty one.
    """

    name: str
    size: int | None = None
    goals: int | None = None


def examine(home: Path) -> Health:
    """Check the graph of a data folder, or the configured server.

    The whole file is read, which takes a second for some hundred megabytes. Raises GraphUnavailable (`bad_graph_url`,
    `damaged_graph`, `graph_unavailable`), Transient for a server that does not answer, and ConfigError.
    """
    name = open_graph(home).name
    address = chosen_graph()
    if address:
        _reach(address)
        return Health(name)
    path = home.expanduser().absolute() / FOLDER / FILE
    try:
        size = sum(file.stat().st_size for file in (path, Path(f"{path}-wal")) if file.exists())
        if not path.exists() or not size:
            return Health(name, size if path.exists() else None)
        if not os.access(path, os.R_OK) or not path.is_file():
            raise GraphUnavailable(f"The graph {path} cannot be read.", "It must be a file that this user may read.")
        return Health(name, size, _goals(path))
    except OSError as error:
        raise GraphUnavailable(
            f"The graph {path} cannot be read: {error.strerror}.", "Check its folder and disk."
        ) from error


def _goals(path: Path) -> int:
    import sqlite3

    from graphwright_graph.embedded import _connection as connection

    # Without a log file no process has the graph open; SQLite would create one without `immutable`.
    alone = "" if os.path.exists(f"{path}-wal") else "&immutable=1"
    try:
        with closing(sqlite3.connect(f"file:{quote(str(path))}?mode=ro{alone}", uri=True)) as opened:
            # This process is not confined, and a malicious query may have written to the file.
            opened.execute("PRAGMA trusted_schema = OFF")
            if opened.execute("PRAGMA application_id").fetchone()[0] != connection.APPLICATION:
                raise connection.foreign_file(path)
            made_for = opened.execute("SELECT value FROM graphwright_meta WHERE name = 'format'").fetchone()[0]
            if made_for != connection.FORMAT:
                raise connection.unknown_format(path)
            if opened.execute("PRAGMA quick_check(1)").fetchone()[0] != "ok":
                raise connection.damaged_file(path)
            return int(opened.execute("SELECT count(*) FROM graphwright_goals").fetchone()[0])
    except sqlite3.Error as error:
        raise connection.translated(error, path) from error


def _reach(address: str) -> None:
    from graphwright_graph.neo4j._connection import Connection, parse_address

    connection = Connection(parse_address(address), seconds=REACH_SECONDS / 2)
    try:
        with connection.reading(REACH_SECONDS) as tx:
            tx.run("RETURN 1").consume()
    finally:
        connection.close()
