"""Undoing, over random goals: the earlier state is restored exactly, however the goals were interleaved."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from graph_contract import begin, contents, numbers
from graphwright_graph import (
    AddEdge,
    AddNode,
    BadElement,
    Conflict,
    DeleteEdge,
    DeleteNode,
    GraphStore,
    NotFound,
    Statement,
    UpdateEdge,
    UpdateNode,
    Write,
)
from graphwright_graph.embedded._engine import EmbeddedEngine

KEYS, LABELS, TYPES, NAMES = ("a", "b", "c"), ("A", "B"), ("L", "M"), ("p", "q")

properties = st.dictionaries(
    st.sampled_from(NAMES),
    st.one_of(st.none(), st.integers(0, 2), st.sampled_from(["x", 1.0, True, [1], []])),
    max_size=2,
)
keys, labels, types = st.sampled_from(KEYS), st.sampled_from(LABELS), st.sampled_from(TYPES)
edges: Any = {"from_key": keys, "type": types, "to_key": keys, "from_label": labels, "to_label": labels}
statements = st.sampled_from(
    [
        "MATCH (n:A {key: 'a'}) SET n.p = 7 CREATE (n)-[:M]->(:C {key: 'new'})",
        "MATCH (n:A)-[r]->(m) SET m.q = 'seen' DELETE r",
        "MATCH (n:B {key: 'b'}) DETACH DELETE n",
        "MERGE (n:B {key: 'c'}) ON CREATE SET n.p = 1 ON MATCH SET n.p = 2",
        "MATCH (n) REMOVE n.p",
    ]
)
writes = st.one_of(
    st.builds(AddNode, labels, keys, properties),
    st.builds(AddEdge, properties=properties, **edges),
    st.builds(UpdateNode, keys, properties, labels),
    st.builds(UpdateEdge, properties=properties, **edges),
    st.builds(DeleteNode, keys, labels),
    st.builds(DeleteEdge, **edges),
    st.builds(Statement, statements),
)


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Iterator[GraphStore]:
    """One store for all examples, each of which empties it first."""
    engine = EmbeddedEngine(tmp_path_factory.mktemp("graph") / "graph.db")
    yield engine
    engine.close()


def carry_out(store: GraphStore, goal: str, steps: list[Write]) -> None:
    """Do the valid steps, like an agent whose plan is partly wrong."""
    for step in steps:
        try:
            store.apply([step], goal=goal, key=f"step {next(numbers)}")
        except (BadElement, NotFound):
            continue


def emptied(store: GraphStore) -> None:
    goal = store.begin_goal("empty", key=f"empty {next(numbers)}").id
    store.apply([Statement("MATCH (n) DETACH DELETE n")], goal=goal, key=f"step {next(numbers)}")


examples = settings(max_examples=20, suppress_health_check=list(HealthCheck))


@examples
@given(st.lists(st.lists(writes, min_size=1, max_size=6), min_size=1, max_size=4))
def test_a_previewed_step_is_done_as_shown_and_undone_exactly(store: GraphStore, plans: list[list[Write]]) -> None:
    """A list with an invalid write changes nothing; a valid one has the same result as its writes one by one."""
    emptied(store)
    for plan in plans:
        before, goal = contents(store), begin(store)
        try:
            shown = store.preview(plan)
        except (BadElement, NotFound):
            with pytest.raises((BadElement, NotFound)):
                store.apply(plan, goal=goal, key=f"step {goal}")
            assert contents(store) == before
            continue
        assert contents(store) == before
        assert store.apply(plan, goal=goal, key=f"step {goal}", expected=shown.binding).changes == shown.changes
        after = contents(store)
        there = {element.identity: element for element in store.export()}
        assert all(there.get(change.element.identity) == change.after for change in shown.changes)
        undone = store.undo(goal, key=f"undo {goal}", thread="another")
        assert (undone.thread, undone.undoes) == ("another", goal)
        assert contents(store) == before
        carry_out(store, begin(store), plan)
        assert contents(store) == after


@examples
@given(st.lists(st.tuples(st.booleans(), writes), min_size=2, max_size=10))
def test_a_goal_among_others_is_undone_fully_or_not_at_all(store: GraphStore, mixed: list[tuple[bool, Write]]) -> None:
    """Two goals take turns. If one can be undone, elements that only the other touched do not change."""
    emptied(store)
    one, other = begin(store), begin(store)
    for first, step in mixed:
        carry_out(store, one if first else other, [step])
    before = contents(store)
    changed = {c.element.identity for step in store.goal(one).steps for c in step.changes}
    left = [e.to_json() for e in store.export() if e.identity not in changed]
    if not store.goal(one).steps:
        return
    advice = ""
    try:
        store.undo(one, key=f"undo {one}")
    except Conflict as conflict:
        advice = conflict.hint
    if store.goal(one).status == "undone":
        assert [e.to_json() for e in store.export() if e.identity not in changed] == left
    else:
        assert contents(store) == before
        assert advice == f"Undo {other} first."
