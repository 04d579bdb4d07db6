"""Schema and values of a graph are carried along with its changes, and are those that counting anew would give."""

from __future__ import annotations

import itertools
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from test_graph_undo import carry_out, new_goal, writes

from graphwright.graphstore import AddEdge, AddNode, Conflict, DeleteNode, Edge, Node, UpdateNode, Write
from graphwright.graphstore.embedded import reading
from graphwright.graphstore.embedded.engine import EmbeddedEngine

_numbers = itertools.count()


@settings(max_examples=30, deadline=None, suppress_health_check=list(HealthCheck))
@given(st.lists(st.tuples(st.booleans(), st.lists(writes, min_size=1, max_size=6)), min_size=1, max_size=4))
def test_whatever_is_written_and_undone_the_schema_is_that_of_the_graph(
    tmp_path_factory: pytest.TempPathFactory, goals: list[tuple[bool, list[Write]]]
) -> None:
    path = tmp_path_factory.mktemp("graph") / "graph.db"
    one, other = EmbeddedEngine(path), EmbeddedEngine(path)
    try:
        one.schema()
        known = [(label, name) for label in ("A", "B") for name in ("key", "p", "q")]
        for place in known:
            one.values(*place)
        for undone, steps in goals:
            # What another process writes is followed, too.
            goal = new_goal(other)
            carry_out(other, goal, steps)
            if undone:
                try:
                    other.undo(goal, key=f"undo {next(_numbers)}")
                except Conflict:
                    assert not other.goal(goal).steps
            fresh = EmbeddedEngine(path)
            assert one.schema() == fresh.schema()
            for place in known:
                assert repr(one.values(*place)) == repr(fresh.values(*place))
            fresh.close()
    finally:
        one.close()
        other.close()


def test_an_import_is_in_the_schema(tmp_path: Path) -> None:
    engine = EmbeddedEngine(tmp_path / "graph.db")
    goal = new_goal(engine)
    carry_out(engine, goal, [AddNode("A", "a", {"p": 1})])
    engine.schema()
    carry_out(engine, goal, [UpdateNode("a", {"p": "one"}), AddNode("B", "b")])
    engine.load([Node("A", "x", {"q": True}), Edge("A", "x", "L", "A", "a", {"w": [1]})], text="more")
    carry_out(engine, goal, [AddEdge("b", "L", "a")])
    found = engine.schema()
    assert [(each.label, each.count, dict(each.properties)) for each in found.labels] == [
        ("A", 2, {"p": ("text",), "q": ("boolean",)}),
        ("B", 1, {}),
    ]
    assert [(e.type, e.count, dict(e.properties), e.joins) for e in found.types] == [
        ("L", 2, {"w": ("list",)}, (("A", "A"), ("B", "A")))
    ]
    engine.close()


def test_a_step_is_followed_without_counting_anew(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    engine = EmbeddedEngine(tmp_path / "graph.db")
    goal = new_goal(engine)
    carry_out(engine, goal, [AddNode("A", f"a{number}", {"p": number}) for number in range(5)])
    assert [(each.label, each.count) for each in engine.schema().labels] == [("A", 5)]
    monkeypatch.delattr(reading, "counted")
    for left in (4, 3, 2, 1):
        carry_out(engine, goal, [DeleteNode(f"a{left}")])
        assert [(each.label, each.count) for each in engine.schema().labels] == [("A", left)]
    carry_out(engine, goal, [DeleteNode("a0")])
    assert engine.schema().labels == ()
    engine.close()


def test_the_values_of_a_property_are_followed_without_counting_anew(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    engine = EmbeddedEngine(tmp_path / "graph.db")
    goal = new_goal(engine)
    carry_out(engine, goal, [AddNode("A", f"a{number}", {"p": "open"}) for number in range(5)])
    assert engine.values("A", "p") == (("open", 5),)
    monkeypatch.delattr(reading, "value_counts")
    carry_out(engine, goal, [UpdateNode("a0", {"p": "closed"}), DeleteNode("a1")])
    assert engine.values("A", "p") == (("open", 3), ("closed", 1))
    engine.close()


def test_long_values_are_counted_whenever_they_are_asked_for(tmp_path: Path) -> None:
    engine = EmbeddedEngine(tmp_path / "graph.db")
    goal, long = new_goal(engine), "x" * 5_000
    carry_out(engine, goal, [AddNode("A", "a", {"p": "short"}), AddNode("A", "b", {"p": "short"})])
    assert engine.values("A", "p") == (("short", 2),)
    carry_out(engine, goal, [UpdateNode("a", {"p": long})])
    assert engine.values("A", "p") == (("short", 1), (long, 1))
    carry_out(engine, goal, [UpdateNode("b", {"p": long})])
    assert engine.values("A", "p") == ((long, 2),)
    engine.load([Node("A", "c", {"p": "new"})], text="more")
    assert engine.values("A", "p") == ((long, 2), ("new", 1))
    engine.close()
