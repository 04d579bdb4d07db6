"""The cost of the graph store: an import from a file, and queries over one edge and over three."""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager, closing
from pathlib import Path

from bench.measure import Case, Result, Sample, children
from bench.scale import Scale
from graphwright_graph import AddEdge, AddNode, DeleteNode, GraphStore, Statement, UpdateNode, Write
from graphwright_graph._opening import FILE, FOLDER
from graphwright_graph.embedded._client import EmbeddedStore
from graphwright_graph.embedded._engine import EmbeddedEngine

QUERIES = {
    "one": "MATCH (a:Item {key: $key})-[:NEEDS]->(b) RETURN b.key AS key",
    "three": "MATCH (a:Item {key: $key})-[:NEEDS]->()-[:NEEDS]->()-[:NEEDS]->(d) RETURN d.key AS key",
}
STAGED = 20
"""The number of measured goals of ten writes."""

SAMPLES = 100
"""Queries of each case in one round: each is a sample, and begins at another node."""


def imported(work: Path, home: Path, scale: Scale, notify: Callable[[str], None]) -> dict[str, Result]:
    """`graphwright graph import` of a file, as a user runs it. The graph is kept in `home` for measurements."""
    nodes, edges = scale.graph
    notify(f"an import of {nodes:,} nodes and {edges:,} edges")
    file = work / "graph.jsonl"
    _write(file, nodes, edges)
    command = [sys.executable, "-m", "graphwright.cli", "graph", "import", str(file)]
    environment = {name: value for name, value in os.environ.items() if name != "GRAPHWRIGHT_GRAPH"}
    result = Result(f"`graphwright graph import` of {nodes:,} nodes and {edges:,} edges")
    environment["GRAPHWRIGHT_HOME"] = str(home)
    with result.timed(children):
        subprocess.run(command, env=environment, stdout=subprocess.DEVNULL, check=True)
    return {"graph/import": result}


def cases(home: Path, scale: Scale) -> Iterator[Case]:
    """The queries, through the store and its worker process as in production, and by its engine alone."""
    file = home / FOLDER / FILE
    for hops, query in QUERIES.items():
        for key, opens, title in (
            ("store", EmbeddedStore, f"query over {hops} edge{'s'[: hops != 'one']}"),
            ("engine", EmbeddedEngine, "the same, by the engine alone"),
        ):
            visit = _query_sample(lambda opens=opens: opens(file), query, scale.graph[0])  # type: ignore[misc]
            yield Case(f"graph/{hops}/{key}", title, visit, samples=SAMPLES)


def staged(home: Path, scale: Scale, notify: Callable[[str], None]) -> dict[str, Result]:
    """Goals of ten writes, each previewed and applied as one step, and searches of texts."""
    notify("goals of ten staged writes, and searches")
    goal = Result(f"ten writes previewed and applied, {scale.graph[0]:,} nodes")
    search = Result("a search of a text of eight words")
    with closing(EmbeddedStore(home / FOLDER / FILE)) as store:
        for number in range(STAGED + 1):
            writes = _ten(number, scale.graph[0])
            entry = store.begin_goal("ten writes", key=f"ten {number}")
            # The first one starts the worker, and is not counted.
            with (goal if number else Result("")).timed():
                shown = store.preview(writes)
                store.apply(writes, goal=entry.id, key=f"ten {number}", expected=shown.binding)
            with (search if number else Result("")).timed(lambda: 0.0):
                store.search(f"please close item {number} and open items near {number + 7}")
            store.undo(entry.id, key=f"undo {number}")
    return {"graph/staged": goal, "graph/search": search}


def _ten(number: int, nodes: int) -> list[Write]:
    """Nodes, edges between them, a change, a deletion, and a statement over the neighbours of a node."""
    keys = [f"new {number} {place}" for place in range(4)]
    made = [AddNode("Item", key, {"name": f"new item {number}"}) for key in keys]
    joined = [AddEdge(keys[0], "NEEDS", key) for key in keys[1:]]
    seen = "MATCH (i:Item {key: $key})-[:NEEDS]->(o) SET o.seen = true"
    some = [f"I-{(number * 10 + place) % nodes}" for place in range(3)]
    return [
        *made,
        *joined,
        UpdateNode(some[0], {"state": "done"}),
        DeleteNode(some[1]),
        Statement(seen, {"key": some[2]}),
    ]


def _query_sample(
    opens: Callable[[], GraphStore], query: str, nodes: int
) -> Callable[[], AbstractAsyncContextManager[Sample]]:
    """The store, opened for one round."""
    chance = random.Random(query)

    @asynccontextmanager
    async def opened() -> AsyncIterator[Sample]:
        with closing(opens()) as store:

            async def sample() -> None:
                store.read(query, {"key": f"I-{chance.randrange(nodes)}"})

            yield sample

    return opened


def _write(file: Path, nodes: int, edges: int) -> None:
    """Items with three properties, and edges between random ones, each once."""
    chance = random.Random(nodes)
    pairs: set[tuple[int, int]] = set()
    while len(pairs) < edges:
        pairs.add((chance.randrange(nodes), chance.randrange(nodes)))
    with file.open("w", encoding="utf-8") as out:
        for number in range(nodes):
            properties = {"name": f"item {number}", "size": number % 1_000, "state": chance.choice(("open", "closed"))}
            out.write(json.dumps({"label": "Item", "key": f"I-{number}", "properties": properties}) + "\n")
        for one, other in sorted(pairs):
            ends = {"from_label": "Item", "from_key": f"I-{one}", "to_label": "Item", "to_key": f"I-{other}"}
            out.write(json.dumps({**ends, "type": "NEEDS", "properties": {"weight": other % 10}}) + "\n")
