"""Looking a graph over: is it there, can it be used, what is in its journal. Nothing is made, nothing is changed."""

from __future__ import annotations

import os
import sqlite3
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote

from graphwright.graphstore.errors import GraphUnavailable
from graphwright.graphstore.opening import FILE, FOLDER, open_graph, server

REACH_SECONDS = 2.0
"""How long a server has to answer."""


@dataclass(frozen=True, slots=True)
class Health:
    """A graph that nothing is wrong with. `name` says where it is, without any secret.

    `size` is the bytes of its file and `goals` how many its journal has; both are None where there is no file yet, and
    for a server. A file of 0 bytes holds no graph: the next program that opens it makes an empty one of it.
    """

    name: str
    size: int | None = None
    goals: int | None = None


def examine(home: Path) -> Health:
    """Look over the graph of a data folder, or the server that is configured.

    All of a file is read, which takes a second for some hundred megabytes. Raises GraphUnavailable (`bad_graph_url`,
    `damaged_graph`, `graph_unavailable`), Transient for a server that does not answer, and ConfigError.
    """
    name = open_graph(home).name
    address = server()
    if address:
        _reach(address)
        return Health(name)
    path = home.expanduser().absolute() / FOLDER / FILE
    try:
        size = sum(file.stat().st_size for file in (path, Path(f"{path}-wal")) if file.exists())
        if not path.exists() or not size:
            return Health(name, size if path.exists() else None)
        if not os.access(path, os.R_OK) or not path.is_file():
            raise GraphUnavailable(
                "graph_unavailable", f"the graph {path} cannot be read", "It must be a file that this user may read."
            )
        return Health(name, size, _goals(path))
    except OSError as error:
        raise GraphUnavailable(
            "graph_unavailable", f"the graph {path} cannot be read: {error.strerror}", "Check its folder and disk."
        ) from error


def _goals(path: Path) -> int:
    from graphwright.graphstore.embedded import failures
    from graphwright.graphstore.embedded.connection import APPLICATION, FORMAT

    # Where nobody has it open there is no log, and SQLite would have to make one to read it as a shared database.
    alone = "" if os.path.exists(f"{path}-wal") else "&immutable=1"
    try:
        with closing(sqlite3.connect(f"file:{quote(str(path))}?mode=ro{alone}", uri=True)) as connection:
            # What an engine wrote that was led astray by a query is read here, outside of its confinement.
            connection.execute("PRAGMA trusted_schema = OFF")
            if connection.execute("PRAGMA application_id").fetchone()[0] != APPLICATION:
                raise failures.foreign(path)
            if connection.execute("SELECT value FROM graphwright_meta WHERE name = 'format'").fetchone()[0] != FORMAT:
                raise failures.other_format(path)
            if connection.execute("PRAGMA quick_check(1)").fetchone()[0] != "ok":
                raise failures.damaged(path)
            return int(connection.execute("SELECT count(*) FROM graphwright_goals").fetchone()[0])
    except sqlite3.Error as error:
        raise failures.failure(error, path) from error


def _reach(address: str) -> None:
    from graphwright.graphstore.neo4j.address import address as parsed
    from graphwright.graphstore.neo4j.connection import Connection

    connection = Connection(parsed(address), seconds=REACH_SECONDS / 2)
    try:
        with connection.reading(REACH_SECONDS) as tx:
            tx.run("RETURN 1").consume()
    finally:
        connection.close()
