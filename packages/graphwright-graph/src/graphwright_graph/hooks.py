"""Additions of the graph store to Graphwright: the graph as a resource that agents need, and its doctor check."""

from __future__ import annotations

from collections.abc import Iterator

from graphwright.errors import GraphwrightError
from graphwright.hooks import Finding, Resource

__all__ = ["check", "graph"]


def check() -> Iterator[Finding]:
    """Check the file of the graph, or that its server can be reached."""
    from graphwright.config import chosen_graph
    from graphwright.extras import install_hint, installed
    from graphwright.store.home import data_home
    from graphwright.text.sentences import many, size_text
    from graphwright_graph._opening import examine

    if not installed("antlr4_cypher"):
        # Only the features that need a graph refuse to run.
        yield "warning", "The packages for graphs are not installed.", install_hint("graph")
        return
    health = examine(data_home())
    if health.size is None:
        yield "ok", f"{health.name}: reached" if chosen_graph() else "No graph yet.", ""
    elif health.goals is None:
        hint = "The next use begins an empty graph in it. Where there was one, restore a backup before."
        yield "warning", f"{health.name} is an empty file.", hint
    else:
        yield "ok", f"{health.name}: sound, {size_text(health.size)}, {many(health.goals, 'goal')} in its journal", ""


def _address() -> str:
    from graphwright.store.home import data_home
    from graphwright_graph import GraphError, open_graph

    try:
        return open_graph(data_home()).name
    except GraphError:
        return ""


def _problem() -> GraphwrightError | None:
    from graphwright.config import chosen_graph
    from graphwright.store.home import data_home
    from graphwright_confined import available
    from graphwright_graph import GraphError, open_graph
    from graphwright_graph._opening import examine

    home = data_home()
    try:
        _ = open_graph(home).name
        examine(home)
    except GraphError as error:
        return error
    missing = () if chosen_graph() else available().missing
    return next(iter(missing), None)


graph = Resource("graphwright_graph", "a graph", _problem, _address)
