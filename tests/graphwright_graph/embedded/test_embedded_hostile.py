"""Hostile Cypher: every query leads to an error for people, and does not change the graph."""

from __future__ import annotations

import os
import signal
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from graph_support import UNCONFINED
from graphwright_graph import (
    Edge,
    Element,
    GraphError,
    GraphStore,
    Node,
    NotFound,
    QueryFailed,
    Statement,
    Transient,
)
from graphwright_graph.embedded import _client as client
from graphwright_graph.embedded._client import EmbeddedStore, Worker, WorkerDied
from graphwright_graph.embedded._protocol import message
from waiting_support import wait_until

pytestmark = pytest.mark.skipif(bool(UNCONFINED), reason=UNCONFINED)

MEMORY = 256 * 2**20
SECONDS = 0.5

DOUBLING = "WITH 'abcdefghij' AS a " + "WITH a + a AS a " * 40

TOO_MUCH = {
    "a range of 10^9": "UNWIND range(1, 1000000000) AS n RETURN count(n) AS n",
    "a list of 10^9": "RETURN size(range(1, 1000000000)) AS n",
    "a product of 10^8 rows": "MATCH (a), (b), (c), (d) WHERE a.x + b.x + c.x + d.x = 7 RETURN a, b, c, d",
    "a product of 10^12 rows": "MATCH (a), (b), (c), (d), (e), (f) RETURN a, b, c",
    "doubled texts": f"{DOUBLING} RETURN size(a) AS n",
    "all paths": "MATCH p = (a)-[*]-(b) RETURN count(p) AS n",
}
"""Valid texts that would take years or more than the available memory."""


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("hostile") / "graph" / "graph.db"


@pytest.fixture(scope="module")
def filled(path: Path) -> Iterator[EmbeddedStore]:
    store = EmbeddedStore(path, memory=MEMORY)
    people: list[Element] = [Node("Person", f"p{n}", {"x": n}) for n in range(100)]
    for n in range(300):
        ends = "Person", f"p{n % 100}", f"KNOWS{n // 100}", "Person", f"p{(n * 7 + n // 100) % 100}"
        people.append(Edge(*ends))
    store.load(people, text="a hundred people")
    yield store
    store.close()


@pytest.fixture
def store(filled: EmbeddedStore) -> Iterator[EmbeddedStore]:
    """A graph of 100 nodes and 300 edges, which is the same afterwards."""
    before = _all(filled)
    yield filled
    assert _all(filled) == before


def _all(store: GraphStore) -> tuple[int, int, list[Element]]:
    return store.version(), len(store.goals()), list(store.export())


@pytest.mark.parametrize("what", TOO_MUCH)
def test_a_query_beyond_the_limits_is_ended(store: EmbeddedStore, what: str) -> None:
    with pytest.raises((QueryFailed, Transient)) as raised:
        store.read(TOO_MUCH[what], timeout=SECONDS)
    assert raised.value.code in ("too_much", "timeout")
    assert raised.value.hint
    assert store.node("p1").properties == {"x": 1}


def test_a_write_that_takes_too_much_is_ended_and_leaves_nothing(store: EmbeddedStore) -> None:
    write = Statement(f"{DOUBLING} CREATE (n:Person {{key: 'new', x: size(a)}})")
    with pytest.raises((QueryFailed, Transient)):
        store.preview([write])
    with pytest.raises((QueryFailed, Transient)):
        store.apply([write], goal="G1", key="doubled")
    with pytest.raises(NotFound):
        store.node("new", "Person")


# Queries that the parser wrongly accepts meet the limits of the worker: here nothing was parsed.


@pytest.fixture
def worker(store: EmbeddedStore, path: Path) -> Iterator[Worker]:
    made = Worker(path, MEMORY)
    yield made
    made.kill()


def _unparsed(worker: Worker, query: str, method: str = "read", **given: Any) -> Any:
    given = given or {"query": query, "parameters": {}, "timeout": SECONDS, "max_rows": 10}
    parsed = [[query, method != "read", ["x"], [], []]]
    worker.send(message("ask", {"do": method, "seconds": SECONDS, "with": given, "parsed": parsed}), SECONDS)
    return worker.receive(SECONDS)[1]


@pytest.mark.parametrize(
    "query",
    [
        *(
            f"LOAD CSV FROM '{file}' AS line RETURN line AS x"
            for file in ("/etc/passwd", "file:///etc/passwd", "/proc/self/environ", "{home}/secret.csv")
        ),
        "MATCH (n) DETACH DELETE n",
        "CREATE (n:Person {key: 'x'}) RETURN n AS x",
        "PROFILE MATCH (n) DETACH DELETE n",
        "CREATE INDEX FOR (n:Person) ON (n.x)",
        "RETURN 1 AS x; MATCH (n) DETACH DELETE n",
        "ATTACH DATABASE 'x.db' AS x",
        "MERGE (n:Person {key: 'x'}) SET n.x = 1 RETURN n AS x",
    ],
)
def test_a_worker_reads_no_file_and_a_reader_cannot_write(worker: Worker, path: Path, query: str) -> None:
    home = path.parent.parent
    (home / "secret.csv").write_text("a,secret\n")
    with pytest.raises(GraphError) as raised:
        _unparsed(worker, query.replace("{home}", str(home)))
    assert "LOAD CSV" not in query or "cannot open" in raised.value.message


@pytest.mark.parametrize(
    "query",
    [
        f"MATCH (n:`{'x' * 60_000}`) RETURN n",
        f"RETURN '{'x' * 100_000}' AS x",
        f"MATCH (n) WHERE {' OR '.join(['n.x = 1'] * 20_000)} RETURN n",
    ],
    ids=["a label of 60 kB", "a literal of 100 kB", "a condition of 20,000 terms"],
)
def test_a_fault_of_the_engine_ends_the_worker_alone(worker: Worker, store: EmbeddedStore, query: str) -> None:
    with pytest.raises((WorkerDied, GraphError)):
        _unparsed(worker, query)
    assert store.node("p1").key == "p1"


ENDLESS = f"WITH 'ab' AS a {'WITH a + a AS a ' * 24} RETURN size(a) AS x"
"""Accepted, and busy in native code, which does not check the time."""


@pytest.mark.parametrize("ending", ["late", "broken"])
def test_a_worker_ends_itself_inside_of_native_code_and_a_crash_is_reported(
    store: EmbeddedStore, path: Path, monkeypatch: pytest.MonkeyPatch, ending: str
) -> None:
    monkeypatch.setattr(client, "_TIMEOUT_SECONDS", 60.0)
    # With little memory the engine may run out of it before its end.
    worker = Worker(path, 16 * MEMORY)
    if ending == "broken":
        threading.Timer(0.3, os.kill, (worker.pid, signal.SIGSEGV)).start()
    began = time.monotonic()
    with pytest.raises(WorkerDied) as raised:
        _unparsed(worker, ENDLESS)
    assert raised.value.ending == ending
    assert time.monotonic() - began < 30
    assert not worker.alive


def test_a_malformed_request_ends_only_the_worker(worker: Worker, store: EmbeddedStore) -> None:
    with pytest.raises(GraphError) as raised:
        _unparsed(worker, "", method="close_everything", given=1)
    assert raised.value.code == "graph_failed"
    assert store.node("p1").key == "p1"
    wait_until(lambda: not worker.alive)
