"""Graphs on Neo4j: tests without a server, and, if GRAPHWRIGHT_TEST_NEO4J names one, the contract of every store.

The server of GRAPHWRIGHT_TEST_NEO4J (a URL with user and password; NEO4J_DATABASE names a database) is wiped by these
tests: use one without other data.
"""

from __future__ import annotations

import contextlib
import os
import sys
import traceback
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import graph_contract
from graph_contract import VALUES, GraphContract, edges_of
from graph_cypher_contract import CypherContract
from graphwright_graph._elements import Node
from graphwright_graph._errors import (
    BadElement,
    Conflict,
    GraphError,
    GraphUnavailable,
    QueryFailed,
    QueryRefused,
    Transient,
)
from graphwright_graph._opening import open_graph
from graphwright_graph._port import AddEdge, AddNode, DeleteNode, GraphStore, Statement, UpdateNode
from graphwright_graph.neo4j._connection import (
    EXCLUDE_OWN,
    Connection,
    parse_address,
    translated,
    without_own_nodes,
)
from graphwright_graph.neo4j._store import Neo4jStore

SERVER = os.environ.get("GRAPHWRIGHT_TEST_NEO4J", "")

needs_server = pytest.mark.skipif(
    not SERVER, reason="needs a Neo4j server that may be wiped: GRAPHWRIGHT_TEST_NEO4J=bolt://USER:PASSWORD@HOST"
)

PASSWORD = "correct-horse-7"


@pytest.fixture(autouse=True)
def _no_credentials(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("NEO4J_USERNAME", "NEO4J_PASSWORD"):
        monkeypatch.delenv(name, raising=False)
    if "empty" not in request.fixturenames:
        monkeypatch.delenv("NEO4J_DATABASE", raising=False)


def _everything_said(error: BaseException) -> str:
    return "".join(traceback.format_exception(error)) + repr(vars(error))


def test_errors_name_the_url_without_credentials(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NEO4J_DATABASE", "tickets")
    for url, shown in (
        ("neo4j+s://ann:correct-horse-7@graph.example:7687/", "neo4j+s://graph.example:7687"),
        ("bolt://ann:correct-horse-7@[::1]:7687", "bolt://[::1]:7687"),
        (" BOLT+SSC://graph.example ", "bolt+ssc://graph.example"),
    ):
        monkeypatch.setenv("GRAPHWRIGHT_GRAPH", url)
        store = open_graph(tmp_path)
        assert store.name == f"Neo4j at {shown}, database tickets"
        assert PASSWORD not in repr(vars(store))
        assert open_graph(tmp_path / "elsewhere") is store
    for url in (
        *("graph.example.com", "/tmp/graph.db", PASSWORD, "neo4j://", f"neo4j:ann:{PASSWORD}@h", "neo5j://h"),
        *(f"http://ann:{PASSWORD}@h", f"bolt://ann:{PASSWORD}@", f"bolt://ann:{PASSWORD}@[::1"),
        *(f"bolt://ann:{PASSWORD}@h:port", f"bolt://ann:{PASSWORD}@h:99999", f"bolt://ann:{PASSWORD}@h/tickets"),
        *(f"bolt://ann:{PASSWORD}@h?password={PASSWORD}", f"bolt://ann:slash/{PASSWORD}@h"),
    ):
        monkeypatch.setenv("GRAPHWRIGHT_GRAPH", url)
        with pytest.raises(GraphUnavailable) as caught:
            open_graph(tmp_path)
        assert (caught.value.code, "NEO4J_PASSWORD" in caught.value.hint) == ("bad_graph_url", True)
        assert PASSWORD not in _everything_said(caught.value)
    # There is not a listener.
    store = Neo4jStore(f"bolt://ann:{PASSWORD}@127.0.0.1:9")
    with pytest.raises(Transient, match=r"127\.0\.0\.1:9") as lost:
        store.version()
    assert (lost.value.code, "GRAPHWRIGHT_GRAPH" in lost.value.hint) == ("connection_lost", True)
    assert PASSWORD not in _everything_said(lost.value)
    store.close()
    store.close()


def test_without_the_driver_the_package_to_install_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "neo4j", None)
    with pytest.raises(GraphUnavailable, match="not installed") as caught:
        Neo4jStore("neo4j://graph.example").version()
    assert "pip install 'graphwright[neo4j]'" in caught.value.hint


def test_a_query_neither_finds_nor_names_the_stores_own_nodes_nor_hides_text_in_escapes() -> None:
    for query, kept in (
        ("MATCH ({a: ')'}) RETURN 1", "MATCH (!{a: ')'}) RETURN 1"),
        ("MATCH (`a b`) RETURN 1", "MATCH (`a b`!) RETURN 1"),
        ("MATCH (a)-[*0..2]-(b) RETURN b", "MATCH (a!)-[*0..2]-(b) RETURN b"),
        ("MATCH p = (a) OPTIONAL MATCH (b) RETURN p", "MATCH p = (a!) OPTIONAL MATCH (b!) RETURN p"),
        ("MATCH (a) /* (x) */ , (b) RETURN 'MATCH (n)'", "MATCH (a!) /* (x) */ , (b!) RETURN 'MATCH (n)'"),
        ("CREATE (n:User {key: 'x'})", "CREATE (n:User {key: 'x'})"),
    ):
        assert without_own_nodes(query) == kept.replace("!", EXCLUDE_OWN)
    refused: tuple[tuple[str, type[GraphError]], ...] = (
        ("MATCH (g:_GraphwrightGoal) RETURN g", BadElement),
        ("MATCH (g:`_GraphwrightStep`) RETURN g", BadElement),
        ("MATCH (g) SET g:_GraphwrightGraph", BadElement),
        ("MERGE (n {key: 'x'}) SET n.seen = true", QueryRefused),
        # For the parser a comment or one text; for Neo4j it ends at the escape, and all nodes are deleted.
        ("MATCH (n) // \\u000aDETACH DELETE n\nRETURN n", QueryRefused),
        ("MATCH (n) /* \\u002a\\u002f DETACH DELETE n // */ RETURN n", QueryRefused),
    )
    for query, refusal in refused:
        with pytest.raises(refusal):
            without_own_nodes(query)


def _error_of_the_server(code: str, message: str) -> Exception:
    """An exception as the driver raises it for a response of the server."""
    from neo4j.exceptions import Neo4jError

    class Answer(Neo4jError):
        @property
        def code(self) -> str:
            return code

        @property
        def message(self) -> str:
            return message

        def __str__(self) -> str:
            return f"{code}: {message}"

    return Answer()


@pytest.mark.parametrize(
    ("code", "kind", "ours"),
    [
        ("Neo.ClientError.Security.Unauthorized", GraphUnavailable, "graph_unavailable"),
        ("Neo.ClientError.Statement.AccessMode", QueryFailed, "read_only"),
        ("Neo.ClientError.Statement.SyntaxError", QueryFailed, "query_failed"),
        ("Neo.ClientError.Schema.ConstraintValidationFailed", Conflict, "conflict"),
        ("Neo.ClientError.Transaction.TransactionTimedOut", Transient, "timeout"),
        ("Neo.TransientError.Transaction.DeadlockDetected", Transient, "locked"),
        ("Neo.TransientError.General.MemoryPoolOutOfMemoryError", QueryFailed, "too_much"),
    ],
)
def test_server_errors_are_translated(code: str, kind: type[GraphError], ours: str) -> None:
    place = parse_address(f"bolt://ann:{PASSWORD}@graph.example", {})
    error = translated(_error_of_the_server(code, f"it was {PASSWORD}, of course\nand more"), place)
    assert type(error) is kind
    assert error.code == ours
    assert PASSWORD not in _everything_said(error)
    assert "\n" not in error.message


def test_a_lost_commit_is_reported_as_uncertain() -> None:
    from neo4j.exceptions import IncompleteCommit

    lost = translated(IncompleteCommit("gone"), parse_address("bolt://graph.example", {}))
    assert (type(lost), "may have been done" in lost.message) == (Transient, True)


def _ask(*queries: str) -> list[Any]:
    """Run queries as another program would; return the rows of the last one."""
    from neo4j import GraphDatabase

    place = parse_address(SERVER)
    database = place.database or None
    rows: list[Any] = []
    with GraphDatabase.driver(place.url, auth=(place.user, place.password)) as driver:
        for query in queries:
            rows = [record.values() for record in driver.execute_query(query, database_=database).records]
    return rows


@pytest.fixture
def empty() -> Iterator[Callable[[], GraphStore]]:
    made: list[Neo4jStore] = []

    def new() -> Neo4jStore:
        # A server has one graph: the earlier one is gone, also for stores that were opened before.
        _ask("MATCH (n) DETACH DELETE n")
        made.append(Neo4jStore(SERVER))
        return made[-1]

    yield new
    for each in made:
        each.close()


@pytest.fixture
def store(empty: Callable[[], GraphStore]) -> GraphStore:
    return empty()


@needs_server
class TestContract(GraphContract):
    searches = graph_contract.SEARCHES

    @pytest.fixture(autouse=True)
    def _without_mixed_lists(self, monkeypatch: pytest.MonkeyPatch) -> None:
        # Refused, and tested below: Neo4j would store [1.5, 2] as [1.5, 2.0].
        monkeypatch.setattr(graph_contract, "VALUES", [value for value in VALUES if value != [1.5, 2]])


@needs_server
class TestCypher(CypherContract):
    pass


def _tickets(store: GraphStore) -> None:
    goal, ticket = store.begin_goal("a few tickets", key="begin"), {"title": "Lamp", "status": "open"}
    ann, report = AddNode("User", "ann", {"name": "Ann"}), AddEdge("ann", "REPORTS", "T-1", {"on": "Monday"})
    store.apply([ann, AddNode("Ticket", "T-1", ticket), report], goal=goal.id, key="step")


@needs_server
def test_the_journal_is_in_the_database_and_in_no_answer_and_a_read_commits_nothing(store: GraphStore) -> None:
    _tickets(store)
    assert {labels[0] for (labels,) in _ask("MATCH (n) RETURN DISTINCT labels(n)")} >= {"_GraphwrightStep", "User"}
    assert [label.label for label in store.schema().labels] == ["Ticket", "User"]
    assert store.read("MATCH (n) RETURN count(n) AS number").rows == ((2,),)
    assert store.read("MATCH (n)-[*0..1]-(m) RETURN count(DISTINCT m) AS number").rows == ((2,),)
    connection = Connection(parse_address(SERVER))
    with contextlib.suppress(GraphError), connection.reading(10) as tx:
        tx.run("CREATE (:User {key: 'sneaked'})").consume()
    connection.close()
    goal = store.begin_goal("away with it", key="away")
    store.apply([Statement("MATCH (n) DETACH DELETE n")], goal=goal.id, key="all")
    assert (list(store.export()), len(store.goals())) == ([], 2)
    store.undo(goal.id, key="undo")
    assert [each.name for each in store.export()] == ["Ticket T-1", "User ann", "User ann -[REPORTS]-> Ticket T-1"]


@needs_server
def test_elements_of_other_programs_are_never_changed(store: GraphStore, monkeypatch: pytest.MonkeyPatch) -> None:
    _tickets(store)
    _ask(
        "CREATE (:User:Admin {key: 'eve'})",
        "CREATE ({key: 'nobody'})",
        "CREATE (:Gauge {key: 7, name: 'Seven'})",
        "CREATE (:Ticket {title: 'without a key'})",
        "CREATE (:User {key: 'bob', born: date('2001-02-03')})",
        "MATCH (a:User {key: 'ann'}), (e:Admin) CREATE (a)-[:KNOWS]->(e)",
        "MATCH (a:User {key: 'ann'}), (t:Ticket {key: 'T-1'}) CREATE (a)-[:SEES]->(t), (a)-[:SEES]->(t)",
    )
    schema = store.schema()
    counts = {label.label: label.count for label in schema.labels}
    assert counts == {"(none)": 1, "Admin:User": 1, "Gauge": 1, "Ticket": 2, "User": 2}
    assert next(label for label in schema.labels if label.label == "User").properties["born"] == ("date",)
    assert store.node("bob").properties == {"born": "2001-02-03"}
    assert [edge.type for edge in edges_of(store, "ann")] == ["REPORTS", "SEES", "SEES"]
    assert len(store.read("MATCH (n) RETURN n").rows) == 7

    assert [node.key for node in store.export() if isinstance(node, Node)] == ["T-1", "ann", "bob"]
    assert store.read("MATCH (:User {key: 'ann'})-[r:KNOWS]->() RETURN r").rows[0][0]["to_label"] == "Admin:User"
    everything = "MATCH (n) WHERE n.id IS NULL AND n.caller IS NULL RETURN labels(n), properties(n)"
    before = sorted(map(repr, _ask(everything)))
    for write in (
        UpdateNode("bob", {"born": "today"}),
        AddNode("User", "eve", {"name": "Eve"}),
        DeleteNode("ann"),
        AddEdge("ann", "SEES", "T-1", {"often": True}),
    ):
        with pytest.raises(Conflict, match="another program"):
            store.preview([write])
    for query in (
        "MATCH (n:Admin) SET n.seen = true",
        "MATCH (n:Ticket) SET n.seen = true",
        "MATCH ()-[r:KNOWS]->() DELETE r",
        "MATCH ()-[r:SEES]->() SET r.seen = true",
    ):
        with pytest.raises(BadElement):
            store.preview([Statement(query)])
    assert sorted(map(repr, _ask(everything))) == before
    # Other elements are not affected, in a graph that is small enough to compare.
    closing = Statement("MATCH (t:Ticket {key: 'T-1'}) SET t.status = 'closed'")
    assert len(store.preview([closing]).changes) == 1
    monkeypatch.setattr("graphwright_graph.neo4j._store.MOST_ELEMENTS", 2)
    with pytest.raises(QueryRefused, match="at most 2"):
        store.preview([closing])
