"""Which graph a program works on: the file in the data folder, or the Neo4j server that the configuration names."""

from __future__ import annotations

import os
import threading
from pathlib import Path

from graphwright.config import chosen_graph
from graphwright.graphstore.errors import GraphUnavailable
from graphwright.graphstore.port import GraphStore

FOLDER, FILE = "graph", "graph.db"
"""The embedded graph has a folder of its own in the data folder, since its engine reaches all of its folder."""

_SCHEMES = ("neo4j", "neo4j+s", "neo4j+ssc", "bolt", "bolt+s", "bolt+ssc")

_open: dict[tuple[int, str], GraphStore] = {}
_lock = threading.Lock()


def open_graph(home: Path) -> GraphStore:
    """The graph of a data folder, or of the server that `GRAPHWRIGHT_GRAPH` or the configuration file names.

    One store a process and target: asking again costs nothing. Nothing is connected or started before its first use.
    Raises GraphUnavailable (`bad_graph_url`) for an address that is none, and ConfigError.
    """
    url = server()
    target = url or str(home.expanduser().absolute() / FOLDER / FILE)
    with _lock:
        # A forked child has stores of its own.
        place = os.getpid(), target
        if place not in _open:
            _open[place] = _connected(target) if url else _embedded(Path(target))
        return _open[place]


def server() -> str:
    """The address that is configured, which may hold a password; empty where the graph is a file of the data folder.

    Raises GraphUnavailable (`bad_graph_url`), which does not show what it refuses, and ConfigError.
    """
    url = chosen_graph()
    if not url:
        return ""
    scheme, separator, host = url.partition("://")
    if separator and host and scheme.lower() in _SCHEMES:
        return f"{scheme.lower()}://{host}"
    raise GraphUnavailable(
        "bad_graph_url",
        "what GRAPHWRIGHT_GRAPH, or `graph` of the configuration file, says is not the address of a graph",
        f"Leave it out for the graph in the data folder, or write {', '.join(f'{s}://HOST' for s in _SCHEMES[:-1])} "
        f"or {_SCHEMES[-1]}://HOST for a Neo4j server.",
    )


# Neither is paid for by who uses the other.


def _embedded(path: Path) -> GraphStore:
    from graphwright.graphstore.embedded.client import EmbeddedStore

    return EmbeddedStore(path)


def _connected(url: str) -> GraphStore:
    from graphwright.graphstore.neo4j import Neo4jStore

    return Neo4jStore(url)


def _after_fork() -> None:
    # Another thread of the parent may have held it.
    global _lock
    _lock = threading.Lock()


os.register_at_fork(after_in_child=_after_fork)
