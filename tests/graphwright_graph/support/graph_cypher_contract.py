"""The part of Cypher 9 that every graph store supports: queries with their rows, and statements with their results.

A test module subclasses it and provides the fixture `empty`, as in `graph_contract`.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest

from graph_contract import begin
from graphwright_graph import Edge, Element, GraphError, GraphStore, Node, QueryRefused, Statement

KNOWS = (("ann", "bob", 2010), ("bob", "cid", 2015), ("cid", "dan", 2020), ("dan", "ann", 2021))
MEMBERS = (("ann", "core"), ("bob", "core"), ("cid", "docs"))

GRAPH: list[Element] = [
    *(Node("Person", "ann", {"age": 30, "town": "Graz"}), Node("Person", "bob", {"age": 25, "town": "Wien"})),
    *(Node("Person", "cid", {"age": 35, "town": "Graz"}), Node("Person", "dan", {"age": 40})),
    *(Node("Team", "core", {"tags": ["a", "b"]}), Node("Team", "docs", {"tags": []})),
    *(Edge("Person", one, "KNOWS", "Person", other, {"since": since}) for one, other, since in KNOWS),
    *(Edge("Person", person, "MEMBER", "Team", team) for person, team in MEMBERS),
]

QUERIES: dict[str, list[tuple[Any, ...]]] = {
    # matching
    "MATCH (p:Person) WHERE p.age > 28 AND NOT p.town = 'Wien' RETURN p.key AS k": [("ann",), ("cid",)],
    "MATCH (a {key: 'ann'})-[r:KNOWS|MEMBER]->(b) RETURN type(r) AS t, b.key AS k ORDER BY t": [
        ("KNOWS", "bob"),
        ("MEMBER", "core"),
    ],
    "MATCH (a:Person), (t:Team) WHERE NOT (a)-[:MEMBER]->(:Team) RETURN DISTINCT a.key AS k": [("dan",)],
    # properties in patterns, at any position
    "MATCH (p:Person) WHERE (p)-[:MEMBER]->(:Team {key: 'core'}) RETURN p.key AS k": [("ann",), ("bob",)],
    "MATCH (p:Person) WHERE (p)-[:KNOWS {since: 2015}]->() OR p.key = 'dan' RETURN p.key AS k": [("bob",), ("dan",)],
    "MATCH (p:Person) RETURN p.key AS p, [(p)-[:MEMBER]->(t {key: 'core'}) | t.key] AS t": [
        *(("ann", ["core"]), ("bob", ["core"]), ("cid", []), ("dan", [])),
    ],
    "MATCH (p:Person) OPTIONAL MATCH (p)-[r:MEMBER]->(t:Team {key: 'core'}) RETURN p.key AS p, type(r) AS r, "
    "t.key AS t": [
        *(("ann", "MEMBER", "core"), ("bob", "MEMBER", "core"), ("cid", None, None), ("dan", None, None)),
    ],
    "MATCH (p:Person) OPTIONAL MATCH (p)-[r:KNOWS]->(q:Person) WHERE r.since > 2015 RETURN p.key AS p, r.since AS r, "
    "q.key AS q": [*(("ann", None, None), ("bob", None, None), ("cid", 2020, "dan"), ("dan", 2021, "ann"))],
    "MATCH (t:Team) OPTIONAL MATCH (q:Person {key: 'eve'}) RETURN t.key AS t, q.key AS q": [
        *(("core", None), ("docs", None)),
    ],
    "MATCH (:Team {key: 'docs'})<--(p), (p)-->(q)-->(:Person {key: 'ann'}) RETURN q.key AS q": [("dan",)],
    # exists, and lists of paths
    "MATCH (p:Person) WHERE NOT EXISTS { MATCH (p)-[:MEMBER]->(t) WHERE t.key = $k } RETURN p.key AS k": [
        *(("cid",), ("dan",)),
    ],
    "MATCH (p:Person) RETURN p.key AS p, EXISTS { MATCH (p)-->(t:Team) RETURN t } AS t": [
        *(("ann", True), ("bob", True), ("cid", True), ("dan", False)),
    ],
    "MATCH (p:Person) WHERE EXISTS { MATCH (p)-[:KNOWS]->(q) MATCH (q)-->(:Team {key: 'docs'}) } RETURN p.key AS k": [
        ("bob",),
    ],
    "MATCH (p:Person) WHERE EXISTS { MATCH (p)-[:KNOWS*2]->(:Person) } RETURN count(p) AS n": [(4,)],
    # optional
    "OPTIONAL MATCH (p:Nobody) RETURN p, p.key AS k": [(None, None)],
    # aggregation
    "MATCH (p:Person) RETURN count(*) AS n, sum(p.age) AS s, avg(p.age) AS a, min(p.age) AS l, max(p.age) AS h": [
        (4, 130, 32.5, 25, 40),
    ],
    "MATCH (p:Nobody) RETURN count(p) AS n, collect(p.key) AS k, min(p.age) AS l, max(p.age) AS h, sum(p.age) AS s, "
    "avg(p.age) AS a": [(0, [], None, None, 0, None)],
    "MATCH (t:Team) OPTIONAL MATCH (t)<-[:MEMBER]-(p {town: 'Wien'}) WITH t, sum( DISTINCT p.age ) AS s WHERE s < 20 "
    "RETURN t.key AS k, s": [("docs", 0)],
    "MATCH (t:Team) OPTIONAL MATCH (t)<-[:KNOWS]-(p) RETURN t.key AS k, 1 + Sum(p.age) AS s ORDER BY k": [
        *(("core", 1), ("docs", 1)),
    ],
    "MATCH (t:Team)<-[:MEMBER]-(p) RETURN DISTINCT sum(p.age), t.key as k ORDER BY sum( p.age ) SKIP 1": [(55, "core")],
    "MATCH (t:Team)<-[:MEMBER]-(p) WITH t, sum(p.age) as s ORDER BY sum(p.age) LIMIT 1 RETURN t.key": [("docs",)],
    "MATCH (p:Person) RETURN sum(size([(p)-[:MEMBER]->(t:Team {key: 'core'}) | t])) AS s ORDER BY s": [(2,)],
    "MATCH (t:Team)<-[:MEMBER]-(p) WITH t, count(p) AS n WHERE n > 1 RETURN t.key AS k, n": [("core", 2)],
    # ordering
    "MATCH (p:Person) RETURN p.key AS k ORDER BY p.town DESC, p.age SKIP 1 LIMIT 2": [("bob",), ("ann",)],
    # with and unwind
    # values, lists and functions
    "RETURN [x IN range(1, 5) WHERE x % 2 = 1 | x * x] AS l, all(x IN [1, 2] WHERE x > 0) AS a, any(x IN "
    "[1] WHERE x > 1) AS b": [
        ([1, 9, 25], True, False),
    ],
    "RETURN null = null AS a, null IS NULL AS b, true AND null AS c, false AND null AS d, 1 IN [1, null] "
    "AS e, NOT true XOR true AS f": [
        (None, True, None, False, True, True),
    ],
    # paths
    "MATCH (a {key: 'ann'})-[:KNOWS*1..3]->(b) RETURN b.key AS k ORDER BY k": [("bob",), ("cid",), ("dan",)],
    "MATCH p = (a {key: 'ann'})-[:KNOWS*]->(b {key: 'dan'}) RETURN length(p) AS n, [x IN nodes(p) | x.key] AS k": [
        (3, ["ann", "bob", "cid", "dan"]),
    ],
    "MATCH p = shortestPath((a:Person {key: 'ann'})-[:KNOWS*]-(b:Person {key: 'dan'})) RETURN length(p) AS n": [(1,)],
    # union
    "MATCH (t:Team) RETURN t.key AS k UNION MATCH (p:Person {key: 'ann'}) RETURN p.key AS k": [
        ("core",),
        ("docs",),
        ("ann",),
    ],
}

STATEMENTS: dict[str, tuple[str, list[tuple[Any, ...]]]] = {
    "MERGE (p:Person {key: 'ann'}) ON CREATE SET p.made = 1 ON MATCH SET p.met = 1 MERGE (q:Person {key: "
    "'eve'}) ON CREATE SET q.made = 1": (
        "MATCH (p:Person) WHERE p.made = 1 OR p.met = 1 RETURN p.key AS k, p.made AS made, p.met AS met ORDER BY k",
        [("ann", None, 1), ("eve", 1, None)],
    ),
    "MATCH (p:Person {key: 'ann'}), (t:Team {key: 'docs'}) MERGE (p)-[r:MEMBER]->(t) SET r.since = 1 "
    "MERGE (p)-[:MEMBER]->(:Team {key: 'new'})": (
        "MATCH (:Person {key: 'ann'})-[r:MEMBER]->(t) RETURN t.key AS k, r.since AS s ORDER BY k",
        [("core", None), ("docs", 1), ("new", None)],
    ),
    "MATCH (p:Person {key: 'ann'}) SET p += {age: null, nick: 'A'}": (
        "MATCH (p:Person {key: 'ann'}) RETURN p.age AS a, p.nick AS n, p.town AS t",
        [(None, "A", "Graz")],
    ),
    "MATCH (p:Person {key: 'ann'})-[r:KNOWS]->(o) SET p.x = 1 REMOVE o.age DELETE r CREATE (o)-[:KNEW]->(p)": (
        "MATCH (o)-[:KNEW]->(p) RETURN p.x AS x, o.key AS k, o.age AS a, size([(p)-[:KNOWS]->(q) | q]) AS n",
        [(1, "bob", None, 0)],
    ),
    "MATCH (p:Person {key: 'bob'})-[r]-() DELETE r, p": (
        "MATCH (p:Person) OPTIONAL MATCH (p)-[r:KNOWS]->() RETURN p.key AS k, count(r) AS n ORDER BY k",
        [("ann", 0), ("cid", 1), ("dan", 1)],
    ),
    "UNWIND [{k: 'x', n: 1}, {k: 'y', n: 2}] AS row MERGE (a:New {key: row.k}) SET a.n = row.n WITH a, "
    "row MERGE (t:Team {key: 'all'}) MERGE (a)-[:MEMBER {n: row.n}]->(t)": (
        "MATCH (a:New)-[r:MEMBER]->(t) RETURN a.key AS k, a.n AS n, r.n AS m, t.key AS t ORDER BY k",
        [("x", 1, 1, "all"), ("y", 2, 2, "all")],
    ),
    "MATCH (p:Person {key: 'ann'})-[r:KNOWS]->(o) SET o += {a: $s, b: [p.key, o.key], "
    "c: CASE WHEN o.age > 1 THEN 'x' END} CREATE "
    "(o)-[:GOT {t: type(r), l: labels(p), n: r.since + 1}]->(:New {key: toUpper(p.key) + '!'})": (
        "MATCH (o)-[g:GOT]->(n) RETURN o.a AS a, o.b AS b, o.c AS c, g.t AS t, g.l AS l, g.n AS n, n.key AS k",
        [("given", ["ann", "bob"], "x", "KNOWS", ["Person"], 2011, "ANN!")],
    ),
    "MATCH p = (a:Person {key: 'ann'})-[:KNOWS*2]->(b) SET b.far = length(p)": (
        "MATCH (b:Person) WHERE b.far > 0 RETURN b.key AS k, b.far AS n",
        [("cid", 2)],
    ),
    "MATCH (p:Person)-[:MEMBER]->(:Team {key: 'docs'}), (t:Team {key: 'core'}) CREATE (p)-[:LEADS]->(t)": (
        "MATCH (p)-[:LEADS]->(t) RETURN p.key AS p, t.key AS t",
        [("cid", "core")],
    ),
    "MATCH (p:Person) WHERE NOT (p)-[:MEMBER]->(:Team {key: 'core'}) SET p.out = true": (
        "MATCH (p:Person) WHERE p.out RETURN p.key AS k ORDER BY k",
        [("cid",), ("dan",)],
    ),
    "MATCH (p:Person) WHERE EXISTS { (p)-[:MEMBER]->(t:Team {key: 'docs'}) } CREATE (p)-[:IN]->(t:New {key: 'n'})": (
        "MATCH (p)-[:IN]->(t) RETURN p.key AS p, t.key AS t",
        [("cid", "n")],
    ),
}


def rows(store: GraphStore, query: str) -> list[tuple[Any, ...]]:
    """The rows of a query, in a fixed order if it has none."""
    found = list(store.read(query, {"k": "core"} if "$k" in query else {}).rows)
    return found if "ORDER BY" in query else sorted(found, key=repr)


UNDETERMINED = [
    "MATCH (p:Person) SET p.x = rand()",
    "CREATE (:Person {key: randomUUID()})",
    "MATCH (p:Person) SET p.at = datetime()",
]


class CypherContract:
    @pytest.fixture
    def people(self, empty: Callable[[], GraphStore]) -> GraphStore:
        store = empty()
        store.load(GRAPH, text="people")
        return store

    def test_each_query_gives_its_rows(self, people: GraphStore) -> None:
        for query, expected in QUERIES.items():
            given = expected if "ORDER BY" in query else sorted(expected, key=repr)
            assert (query, repr(rows(people, query))) == (query, repr(given))

    def test_each_statement_is_executed_in_full_and_undone_exactly(self, people: GraphStore) -> None:
        before = list(people.export())
        for number, (query, (check, expected)) in enumerate(STATEMENTS.items()):
            goal, statement = begin(people), Statement(query, {"s": "given"})
            shown = people.preview([statement])
            assert list(people.export()) == before
            done = people.apply([statement], goal=goal, key=f"statement {number}", expected=shown.binding)
            assert (query, done.changes) == (query, shown.changes)
            assert (query, rows(people, check)) == (query, expected)
            people.undo(goal, key=f"undo {number}")
            assert list(people.export()) == before

    def test_a_statement_whose_result_is_not_determined_is_refused(self, people: GraphStore) -> None:
        for query in UNDETERMINED:
            with pytest.raises(QueryRefused) as raised:
                people.preview([Statement(query)])
            assert (query, bool(raised.value.hint), raised.value.line) == (query, True, 1)

    def test_errors_do_not_expose_the_engine(self, people: GraphStore) -> None:
        for query in (
            "MATCH (p:Person {key: 'ann'}) DELETE p",
            "MATCH (p:Person) SET q.x = 1",
            "MATCH (p:Person)-[:MEMBER]->() WITH count(p) AS n, 1 AS x SET x.y = [x = (1), n = (2)]",
        ):
            with pytest.raises(GraphError) as raised:
                people.preview([Statement(query)])
            message = re.sub(r"^line \d+, column \d+: ", "", raised.value.message)
            assert not re.search(r"SQL|column|prepare|Error:|graphwright_|\b[A-Z][a-z]+[A-Z]", message)
