"""The embedded engine in process: the contract of every store, and the state of its file."""

from __future__ import annotations

import contextlib
import itertools
import sqlite3
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from crash_support import Tell, apart
from graph_contract import GraphContract, contents, do
from graph_cypher_contract import CypherContract
from graphwright_graph import (
    AddNode,
    DeleteNode,
    Edge,
    GraphStore,
    GraphUnavailable,
    Node,
    QueryFailed,
    QueryRefused,
    Statement,
    Transient,
    UpdateNode,
)
from graphwright_graph import (
    _unit_of_work as unit_of_work,
)
from graphwright_graph.cypher import parse
from graphwright_graph.embedded._engine import EmbeddedEngine
from unprivileged_support import become_nobody, nobody_reaches


@pytest.fixture
def empty(tmp_path: Path) -> Iterator[Callable[[], GraphStore]]:
    made: list[EmbeddedEngine] = []
    numbers = itertools.count()

    def new() -> EmbeddedEngine:
        made.append(EmbeddedEngine(tmp_path / f"{next(numbers)}.db"))
        return made[-1]

    yield new
    for engine in made:
        engine.close()


class TestContract(GraphContract):
    pass


class TestCypher(CypherContract):
    pass


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "graph.db"


@pytest.fixture
def engine(path: Path) -> Iterator[EmbeddedEngine]:
    made = EmbeddedEngine(path)
    yield made
    made.close()


# Query or statement that graphqlite would answer wrongly, and the column of the refusal.
REFUSED = {
    "MATCH (a:A) OPTIONAL MATCH (a)-->(b), (c) RETURN b, c": 37,
    "MATCH (a:A) OPTIONAL MATCH (a)-->(b)-->(c {key: 'x'}) RETURN b, c": 28,
    "MATCH (a:A) OPTIONAL MATCH p = (a)-->(b) RETURN length(p) AS n": 28,
    "MATCH (a:A) RETURN [(a)-->(b) | [(b)-->(c) | c.key]] AS keys": 33,
    "MATCH (a:A) WITH a, [(a)-->(b) | b.key] AS keys WHERE size(keys) > 0 RETURN a": 21,
    "MATCH (a:A) SET a.x = 1 WITH a MATCH (b:B) DETACH DELETE b": 44,
    "MATCH p = (a)-->(b) SET a.x = 1 SET b.n = length(p)": 50,
    "MATCH (a:A) SET a.n = count(a)": 23,
    "MATCH (a:A)-[r]->(b) RETURN a.key AS a, count(b) AS n": 38,
    "CREATE (a:A {key: 'a'}) RETURN a.key AS k UNION CREATE (b:A {key: 'b'}) RETURN b.key AS k": 43,
}


# Missing features that it reports itself.
LACKING = (
    "MATCH (a:A) WHERE (a)-[:L*1..2 {x: 1}]->() RETURN a",
    "MATCH (a:A) RETURN [(a)-->(b)-->(c) | c.key] AS keys",
    "CREATE (a:A {key: 'x'})-[:L]->(b:A {key: a.key})",
    *(f"RETURN {number} AS n" for number in ("1e308 * 10", "0.0 / 0.0", "[1e308 * 10]")),
)


def test_queries_that_the_engine_lacks_fail_in_words_and_a_closed_one_says_so(engine: EmbeddedEngine) -> None:
    for query in LACKING:
        with pytest.raises(QueryFailed, match=r"of this form|undefined variable|not finite"):
            engine.preview([Statement(query)]) if parse(query).writes else engine.read(query)
    engine.close()
    with pytest.raises(GraphUnavailable, match="closed"):
        engine.version()


@pytest.mark.parametrize("query", REFUSED)
def test_queries_that_the_engine_gets_wrong_are_refused_with_a_hint(engine: EmbeddedEngine, query: str) -> None:
    run = (lambda: engine.preview([Statement(query)])) if parse(query).writes else (lambda: engine.read(query))
    with pytest.raises(QueryRefused) as raised:
        run()
    assert (raised.value.line, raised.value.column, bool(raised.value.hint)) == (1, REFUSED[query], True)


# the file


def _foreign(path: Path) -> None:
    with contextlib.closing(sqlite3.connect(path)) as connection:
        connection.execute("CREATE TABLE theirs (x)")


def _later(path: Path) -> None:
    EmbeddedEngine(path).close()
    with contextlib.closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("UPDATE graphwright_meta SET value = 99 WHERE name = 'format'")


@pytest.mark.parametrize(
    ("make", "code", "message"),
    [
        (_foreign, "graph_unavailable", "another program"),
        (_later, "graph_unavailable", "another version"),
        (lambda path: path.write_bytes(b"not a database. " * 300), "damaged_graph", "damaged"),
    ],
)
def test_a_file_of_something_else_is_refused_and_left_alone(
    path: Path, make: Callable[[Path], Any], code: str, message: str
) -> None:
    make(path)
    before = path.read_bytes()
    with pytest.raises(GraphUnavailable, match=message) as raised:
        EmbeddedEngine(path)
    assert (raised.value.code, path.read_bytes()) == (code, before)
    assert str(path) in raised.value.message


def test_a_damaged_file_is_reported(path: Path) -> None:
    made = EmbeddedEngine(path)
    made.load([Node("A", f"a{number}", {"text": "x" * 100}) for number in range(500)], text="many")
    made.close()
    data = bytearray(path.read_bytes())
    for page in range(5, len(data) // 4096):
        data[page * 4096 : page * 4096 + 200] = b"\xff" * 200
    path.write_bytes(data)
    with pytest.raises(GraphUnavailable) as raised:
        list(EmbeddedEngine(path).export())
    assert raised.value.code == "damaged_graph"


def test_a_disk_that_takes_no_more_leaves_the_graph_as_it_was(path: Path) -> None:
    made = EmbeddedEngine(path)
    do(made, AddNode("A", "a"))
    made.close()
    script = (
        "import resource, signal, sys; from pathlib import Path; from graphwright_graph import *; "
        "from graphwright_graph.embedded._engine import EmbeddedEngine as E; engine = E(Path(sys.argv[1])); "
        "signal.signal(signal.SIGXFSZ, signal.SIG_IGN); resource.setrlimit(resource.RLIMIT_FSIZE, (500_000, 500_000))\n"
        "try: engine.load((Node('B', str(n), {'x': 'x' * 1000}) for n in range(5000)), text='much')\n"
        "except GraphUnavailable as error: print(error.code, len(list(engine.export())))\n"
    )
    done = subprocess.run([sys.executable, "-c", script, str(path)], capture_output=True, text=True, timeout=60)
    assert (done.stdout, done.stderr) == ("graph_unavailable 1\n", "")
    again = EmbeddedEngine(path)
    assert contents(again) == [Node("A", "a").to_json()]
    again.close()


def test_a_missing_engine_is_reported_with_the_package_to_install(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "graphqlite", None)
    with pytest.raises(GraphUnavailable, match="not installed") as raised:
        EmbeddedEngine(path)
    assert "pip install" in raised.value.hint
    monkeypatch.undo()
    monkeypatch.setitem(sys.modules, "pysqlite3", None)
    monkeypatch.setattr(sqlite3, "sqlite_version_info", (3, 40, 1))
    with pytest.raises(GraphUnavailable, match="pysqlite3"):
        EmbeddedEngine(path)


# concurrency


def test_readers_work_during_a_write_and_a_second_writer_is_locked_out(path: Path) -> None:
    one, other = EmbeddedEngine(path), EmbeddedEngine(path, lock_seconds=0.1)
    do(one, AddNode("A", "a"))
    inside, done = threading.Event(), threading.Event()

    def slowly() -> Iterator[Node]:
        yield Node("A", "b")
        inside.set()
        done.wait(60)
        yield Node("A", "c")

    loading = threading.Thread(target=lambda: one.load(slowly(), text="slow"))
    loading.start()
    inside.wait(60)
    assert [node["key"] for node in contents(other)] == [node["key"] for node in contents(one)] == ["a"]
    with pytest.raises(Transient) as raised:
        do(other, AddNode("A", "d"))
    assert raised.value.code == "locked"
    done.set()
    loading.join()
    do(other, AddNode("A", "d"))
    assert [node["key"] for node in contents(one)] == ["a", "b", "c", "d"]
    one.close()
    other.close()


# limits


def test_a_write_that_takes_too_long_is_stopped_and_leaves_nothing(path: Path) -> None:
    made = EmbeddedEngine(path, write_seconds=0.3)
    do(made, AddNode("A", "a"))
    before = contents(made)
    endless = Statement("MATCH (a:A) WITH a UNWIND range(1, 100000000) AS x WITH a, count(x) AS c SET a.c = c")
    for ask in (lambda write: made.preview([write]), lambda write: do(made, write)):
        with pytest.raises(Transient) as raised:
            ask(endless)
        assert raised.value.code == "timeout"
    assert contents(made) == before
    do(made, UpdateNode("a", {"x": 1}))
    made.close()


def test_a_write_changes_no_more_than_can_be_shown(engine: EmbeddedEngine, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(unit_of_work, "MOST_CHANGES", 20)
    nodes = [Node("A", f"a{number:02}") for number in range(21)]
    engine.load([*nodes, *(Edge("A", "a00", "L", "A", node.key) for node in nodes)], text="many")
    before = contents(engine)
    for write in (Statement("MATCH (a:A) SET a.x = 1"), Statement("MATCH (a:A) DETACH DELETE a"), DeleteNode("a00")):
        with pytest.raises(QueryFailed) as raised:
            engine.preview([write])
        assert raised.value.code == "too_much"
    assert contents(engine) == before
    assert len(do(engine, Statement("MATCH (a:A) WHERE a.key > 'a00' SET a.x = 1"))) == 20


@pytest.mark.skipif(not nobody_reaches(Path(sys.prefix)), reason="the library lies in a folder of root alone")
def test_a_read_only_file_is_refused_and_unchanged(reachable: Path) -> None:
    path = reachable / "graph.db"
    made = EmbeddedEngine(path)
    do(made, AddNode("A", "a"))
    made.close()
    path.chmod(0o444)
    before = path.read_bytes()

    async def unprivileged(_: Tell) -> str:
        become_nobody()
        try:
            EmbeddedEngine(path).close()
        except GraphUnavailable as error:
            return f"{error.code}: {error.message}"
        return "opened"

    assert apart(unprivileged) == f"graph_unavailable: The graph {path} cannot be written."
    assert path.read_bytes() == before
