"""The property that names nodes, and the names in a query that a graph does not have."""

from __future__ import annotations

from pathlib import Path

import pytest

from graph_support import UNCONFINED
from graphwright_graph import AddEdge, AddNode, open_graph
from graphwright_graph._elements import LabelSchema, Schema, TypeSchema
from graphwright_graph._naming import names_of, naming_properties, nodes_of
from graphwright_graph.cypher._references import references, unknown_names

SCHEMA = Schema(
    (LabelSchema("Ticket", 3, {"status": ("text",), "prio": ("text",)}), LabelSchema("User", 2, {"name": ("text",)})),
    (TypeSchema("REPORTS", 2, {"since": ("text",)}, (("User", "Ticket"),)),),
)


@pytest.mark.parametrize(
    ("query", "told"),
    [
        ("MATCH (t:Tickets) RETURN t.key", "no label `Tickets`. Nearest: `Ticket`"),
        ("MATCH (t:Ticket) WHERE t.pri = 1 RETURN t.key", "no property `pri` of Ticket. Nearest: `prio`"),
        ("MATCH (t:Ticket {stat: 1})<-[:REPORTS]-(u) RETURN u.key", "no property `stat` of Ticket"),
        ("MATCH (u:User) WITH u AS x MATCH (x)-[:REPORT]->(t) RETURN t", "no edge type `REPORT`. Nearest: `REPORTS`"),
        ("MATCH (t:Ticket)-[:REPORTS]->(u:User) RETURN u", "There is (User)-[:REPORTS]->(Ticket)"),
        ("MATCH (t:Ticket)-->(u:User) RETURN u", "There is (User)-[:REPORTS]->(Ticket)"),
        ("MATCH (:User)-[r:REPORTS]-(:Ticket) WHERE r.from > 1 RETURN r", "no property `from` of REPORTS"),
        ("MATCH (u:User) RETURN [(u)-[:REPORTS]->(t:Ticket) | t.statu]", "no property `statu` of Ticket"),
        ("MATCH (t:Ticket) WHERE EXISTS { MATCH (t)--(z:Usr) } RETURN t", "no label `Usr`"),
        ("MATCH (u:User) RETURN u.key AS k UNION MATCH (u:Use) RETURN u.key AS k", "no label `Use`"),
        ("MATCH (n) WHERE n:Ticke RETURN n.key", "no label `Ticke`"),
        ("MATCH (t:Ticket) WHERE t.stat = 1 SET t.status = 'x'", "no property `stat` of Ticket"),
    ],
)
def test_names_and_directions_that_the_graph_lacks_are_found(query: str, told: str) -> None:
    (problem,) = unknown_names(query, SCHEMA)
    assert told in problem


@pytest.mark.parametrize(
    "query",
    [
        "MATCH (u:User)-[r:REPORTS*1..2]->(t) WHERE t.prio = 1 RETURN u.name, t.key, collect({x: t.status}) AS all",
        "MATCH (t:Ticket)<-[r:REPORTS {since: 'x'}]-(:User) RETURN r.since",
        "UNWIND [{a: 1}] AS row MATCH (t:Ticket {prio: row.a}) RETURN row.b, t.prio",
        "MATCH (t:Ticket) SET t.severity = 'high', t.size = 3",
        "MERGE (c:Company {key: 'c', city: 'Bonn'})",
        "MATCH (t:`Ticket`)--(u:User) RETURN t.`status`, [x IN collect({y: 1}) | x.y]",
    ],
)
def test_a_query_of_names_that_exist_or_are_created_has_no_findings(query: str) -> None:
    assert unknown_names(query, SCHEMA) == []


def test_the_reading_part_of_a_statement_ends_where_it_writes() -> None:
    assert references("MATCH (t) WHERE t.x = 'SET' SET t.y = 1").reading == "MATCH (t) WHERE t.x = 'SET'"
    assert references("CREATE (t:T {key: 'x'})").reading == references("MATCH (t) RETURN t.key").reading == ""


@pytest.mark.skipif(bool(UNCONFINED), reason=UNCONFINED)
def test_nodes_are_named_by_a_short_text_that_tells_them_apart(tmp_path: Path) -> None:
    store = open_graph(tmp_path)
    rows = [
        ("Zoë Adams", "Bonn", "za@x.example"),
        ("Hiro Nakamura", "Köln", "hn@x.example"),
        ("Orlov", "Bonn", "o@x.y"),
    ]
    people = [AddNode("P", f"p-{n}", {"called": a, "ort": b, "mail": c}) for n, (a, b, c) in enumerate(rows * 2)]
    tickets = [AddNode("T", f"t-{n}", {"state": "open", "due": f"2026-01-0{n + 1}", "no": n}) for n in range(5)]
    goal = store.begin_goal("x", key="x")
    store.apply([*people, *tickets, AddEdge("p-0", "HAS", "t-0")], goal=goal.id, key="x")
    assert naming_properties(store) == {}  # each name twice: too few different ones
    store.apply([AddNode("P", f"p-{n + 3}", {"called": f"{rows[n][0]} Jr"}) for n in range(3)], goal=goal.id, key="y")
    assert naming_properties(store) == {"P": "called"}
    nodes = nodes_of(store, [("P", "p-1"), ("T", "t-0"), ("P", "none")])
    assert names_of(store, nodes) == {("P", "p-1"): "Hiro Nakamura"}
    store.close()
