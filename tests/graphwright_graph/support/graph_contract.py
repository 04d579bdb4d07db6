"""The contract of every graph store, as tests: a test module subclasses them and provides the fixture `empty`.

`empty` is a function that returns an empty store with each call; the fixture closes them.
"""

from __future__ import annotations

import itertools
import math
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any, cast

import pytest

from graphwright_graph import (
    AddEdge,
    AddNode,
    Ambiguous,
    BadElement,
    Change,
    Conflict,
    DeleteEdge,
    DeleteNode,
    Edge,
    Element,
    GraphError,
    GraphStore,
    Node,
    NotFound,
    QueryFailed,
    QueryRefused,
    Statement,
    Transient,
    UpdateEdge,
    UpdateNode,
    Write,
)

INJECTION = "X`) DETACH DELETE n //"

STRANGE = ["it's", 'a "b"', "two\nlines", INJECTION, "'}) DETACH DELETE n //", "日本語", "  x  ", "\\", "$k", "%_"]

VALUES: list[Any] = [
    *("", "x", *STRANGE, "1", "true", "y" * 1_000_000),
    *(0, 1, -1, 2**63 - 1, -(2**63), 1.0, 0.1 + 0.2, 1e300, -2.5, True, False),
    *([], ["a", "b'"], [1, 2], [1.5, 2], [True, False], ["z" * 1000]),
]

BAD_NAMES: list[Any] = [INJECTION, "", "1a", "a b", "ä", "a" * 60_000, "a\n", "_Graphwright", None, 7]

BAD_KEYS: list[Any] = ["", " \t", "a\0b", "k" * 1001, "\ud800", 5, None]

BAD_VALUES: list[Any] = [
    *(math.nan, math.inf, 2**63, {"a": 1}, [1, "a"], [1, True], [None], [[1]], b"x", "a\0", "\ud800"),
    *("x" * (5 * 1024 * 1024), [1] * 10_001, object()),
]

WRITING = [
    "CREATE (n:A {key: 'x'})",
    "MATCH (n) DETACH DELETE n",
    "MATCH (n) SET n.x = 1",
    "RETURN 1 AS a UNION CREATE (n:A {key: 'x'}) RETURN 1 AS a",
]

NO_QUERIES = [
    "RETURN 1 AS a; MATCH (n) DETACH DELETE n",
    "LOAD CSV FROM 'file:///etc/passwd' AS l RETURN l",
    "CALL db.labels()",
]

NOT_WELL_FORMED = [
    "CREATE (:A)",
    "CREATE (:A {key: 5})",
    "CREATE (:A {key: ''})",
    "CREATE ({key: 'x'})",
    "CREATE (:A:B {key: 'x'})",
    "CREATE (:User {key: 'ann'})",
    "MATCH (u:User) SET u.key = 'same'",
    "MATCH (u:User {key: 'ann'}) SET u.key = 'eve'",
    "MATCH (u:User {key: 'ann'}) REMOVE u.key",
    "MATCH (u:User {key: 'ann'}) SET u:Admin",
    "MATCH (u:User {key: 'ann'}) REMOVE u:User SET u:Admin",
    "MATCH (u:User {key: 'ann'}) SET u = {name: 'x'}",
    "CREATE (:_GraphwrightGoal {key: 'x'})",
    "CREATE (:`a b` {key: 'x'})",
    "MATCH (u:User) SET u.`a b` = 1",
    "MATCH (u:User {key: 'ann'}) SET u.x = [1, 'a']",
    "MATCH (u:User {key: 'ann'}) SET u.x = $map",
    "MATCH (u:User)-[r:REPORTS]->(t) CREATE (u)-[:REPORTS]->(t)",
    "MATCH (u:User)-[r:REPORTS]->(t) SET r.key = 'k'",
    "MATCH (u:User {key: 'ann'}) SET u.x = 1 WITH u DELETE u",
    "MATCH (u:User) SET v.x = 1",
    "MATCH (u:User) RETURN u",
    "CREATE (:A {key: $k})",
]

numbers = itertools.count()


def begin(store: GraphStore, text: str = "a test") -> str:
    return store.begin_goal(text, key=f"goal {next(numbers)}").id


def do(store: GraphStore, *writes: Write, goal: str = "") -> tuple[Change, ...]:
    """Do the writes as steps of one goal; return all changes."""
    goal = goal or begin(store)
    done = [store.apply([write], goal=goal, key=f"step {next(numbers)}") for write in writes]
    return tuple(change for applied in done for change in applied.changes)


def contents(store: GraphStore) -> list[dict[str, Any]]:
    return [element.to_json() for element in store.export()]


def kinds(changes: Sequence[Change]) -> list[tuple[str, str]]:
    return [(change.kind, change.element.name) for change in changes]


def edges_of(store: GraphStore, key: str) -> tuple[Edge, ...]:
    """The edges of a node, both directions."""
    return tuple(each for each in store.export() if isinstance(each, Edge) and key in (each.from_key, each.to_key))


ANN, BOB = AddNode("User", "ann", {"name": "Ann", "age": 41}), AddNode("User", "bob", {"name": "Bob"})
TICKET = AddNode("Ticket", "T-1", {"title": "Login fails", "status": "open"})
REPORTS = AddEdge("ann", "REPORTS", "T-1", {"year": 2026})
SMALL = (ANN, BOB, TICKET, REPORTS, AddEdge("bob", "KNOWS", "ann"))


# Writes of a goal, later writes of another one, and the name in the conflict.
UNDO_CONFLICTS: list[tuple[list[Write], list[Write], str]] = [
    ([UpdateNode("ann", {"age": 50}), AddNode("A", "a")], [UpdateNode("ann", {"town": "Graz"})], "User ann"),
    ([AddNode("A", "a")], [AddEdge("ann", "LIKES", "a")], "LIKES"),
    ([DeleteEdge("ann", "REPORTS", "T-1")], [DeleteNode("T-1")], "Ticket T-1"),
]

# Texts, and the node that a search finds first; the last ones need an index of trigrams without accents.
SEARCHES = {
    "please close T-2": "T-2",
    "what about printers?": "T-2",
    "urgency": "T-2",
    "ＧＲＡＺ Ｎｅｔｗｏｒｋ": "T-2",
    "the tickets of Ann": "ann",
    "京都": "tokyo",
}
INDEX_SEARCHES = {"Netzwerkdrucker": "T-21", "BUROS": "T-21", "Jorg Muller": "mueller"}


class GraphContract:
    searches = SEARCHES | INDEX_SEARCHES

    @pytest.fixture
    def store(self, empty: Callable[[], GraphStore]) -> GraphStore:
        return empty()

    @pytest.fixture
    def small(self, store: GraphStore) -> GraphStore:
        do(store, *SMALL)
        return store

    # writing nodes and edges

    def test_adding_again_sets_properties_and_what_changes_nothing_leaves_the_version(self, store: GraphStore) -> None:
        assert kinds(do(store, ANN)) == [("created", "User ann")]
        (change,) = do(store, AddNode("User", "ann", {"age": 42, "mail": "a@b.c", "left": None}))
        assert change == Change(
            Node("User", "ann", {"name": "Ann", "age": 41}),
            Node("User", "ann", {"name": "Ann", "age": 42, "mail": "a@b.c"}),
        )
        assert store.node("ann") == change.after
        do(store, TICKET, REPORTS)
        (change,) = do(store, AddEdge("ann", "REPORTS", "T-1", {"urgent": True}))
        both = Edge("User", "ann", "REPORTS", "Ticket", "T-1", {"urgent": True, "year": 2026})
        assert (change.kind, edges_of(store, "T-1")) == ("updated", (both,))
        do(store, AddEdge("T-1", "LIKES", "T-1", {"much": True}))
        assert len(edges_of(store, "T-1")) == len(store.subgraph("T-1", 1).edges) == 2
        goal, version = begin(store), store.version()
        assert do(store, REPORTS, UpdateNode("ann", {"none": None}), goal=goal) == ()
        assert store.version() == version
        assert [step.changes for step in store.goal(goal).steps] == [(), ()]

    def test_a_value_keeps_its_type_also_after_one_of_another_type(self, store: GraphStore) -> None:
        query = "MATCH (a:A)-[l:L]->() WHERE a.v = $v RETURN a.v, l.v"
        for value in VALUES:
            do(store, AddNode("A", "a", {"v": value}), AddEdge("a", "L", "a", {"v": value}))
            found = [store.node("a").properties["v"], edges_of(store, "a")[0].properties["v"]]
            assert [repr(each) for each in found] == [repr(value)] * 2
            assert store.read(query, {"v": value}).rows == ((value, value),)
            assert len(store.schema().labels[0].properties["v"]) == 1

    def test_any_text_is_accepted_as_a_key(self, store: GraphStore) -> None:
        for key in STRANGE:
            do(store, AddNode("A", key), AddNode("A", "other"), AddEdge(key, "L", "other"))
            assert store.node(key) == Node("A", key)
            assert store.read("MATCH (a:A {key: $k}) RETURN a.key", {"k": key}).rows == ((key,),)
            gone = [("deleted", f"A {key} -[L]-> A other"), ("deleted", f"A {key}")]
            assert kinds(do(store, DeleteNode(key))) == gone
            assert contents(store) == [Node("A", "other").to_json()]

    def test_nodes_of_two_labels_may_share_a_key_and_then_the_label_must_be_said(self, store: GraphStore) -> None:
        do(store, AddNode("A", "x", {"n": 1}), AddNode("B", "x", {"n": 2}))
        with pytest.raises(Ambiguous) as raised:
            store.node("x")
        assert raised.value.labels == ("A", "B")
        assert store.node("x", "B").properties == {"n": 2}
        for write in (UpdateNode("x", {"n": 3}), DeleteNode("x"), AddEdge("x", "L", "x", {}, "A")):
            with pytest.raises(Ambiguous):
                do(store, write)
        do(store, AddEdge("x", "L", "x", {}, "A", "B"), UpdateNode("x", {"n": 3}, "A"))
        assert edges_of(store, "x") == (Edge("A", "x", "L", "B", "x"),)
        assert [store.node("x", label).properties["n"] for label in "AB"] == [3, 2]

    def test_a_missing_element_is_named_with_similar_ones(self, small: GraphStore) -> None:
        before, report = contents(small), "User ann -[REPORTS]-> Ticket T-1"
        for write, missing, near in (
            (AddEdge("anne", "REPORTS", "T-1"), "`anne`.*begin", "ann"),
            (AddEdge("ann", "REPORTS", "T-2"), "`T-2`.*end", "T-1"),
            (AddEdge("ann", "REPORTS", "T-1", {}, "Ticket"), "Ticket `ann`", ""),
            (UpdateNode("an", {"x": 1}), "`an`", "ann"),
            (DeleteNode("an"), "`an`", "ann"),
            (UpdateEdge("ann", "REPORTED", "T-1", {"x": 1}), "REPORTED", report),
            (DeleteEdge("T-1", "REPORTS", "ann"), "REPORTS", report),
        ):
            with pytest.raises(NotFound, match=missing) as raised:
                do(small, write)
            assert not near or (raised.value.near[0] == near and near in raised.value.hint)
        assert contents(small) == before

    def test_properties_are_removed_and_a_deleted_node_reports_its_edges(self, small: GraphStore) -> None:
        assert kinds(do(small, DeleteNode("ann"))) == [
            ("deleted", "User ann -[REPORTS]-> Ticket T-1"),
            ("deleted", "User bob -[KNOWS]-> User ann"),
            ("deleted", "User ann"),
        ]
        do(small, AddNode("User", "ann"), UpdateNode("bob", {"name": None, "town": "Graz"}))
        assert (small.node("ann").properties, edges_of(small, "ann")) == ({}, ())
        assert small.node("bob").properties == {"town": "Graz"}

    # refused writes

    def test_bad_names_keys_and_values_are_refused_before_an_engine_sees_them(self, small: GraphStore) -> None:
        before = contents(small)
        refused: list[tuple[str, Write]] = [("bad_property_name", UpdateNode("ann", {"key": "e"}))]
        for name in BAD_NAMES:
            refused += [("bad_label", AddNode(name, "a")), ("bad_property_name", AddNode("A", "a", {name: 1}))]
            refused += [("bad_type", AddEdge("ann", name, "T-1")), ("bad_type", DeleteEdge("ann", name, "T-1"))]
            if name is not None:
                refused += [("bad_label", AddEdge("ann", "L", "T-1", {}, name)), ("bad_label", DeleteNode("ann", name))]
        for key in BAD_KEYS:
            refused += [("bad_key", write) for write in (AddNode("A", key), AddEdge(key, "L", "ann"), DeleteNode(key))]
        for bad in BAD_VALUES:
            values = {"v": bad}
            writes = (AddNode("A", "a", values), UpdateNode("ann", values), AddEdge("ann", "L", "T-1", values))
            refused += [("bad_value", write) for write in writes]
        for code, write in refused:
            for ask in (small.preview, lambda writes: do(small, *writes)):
                with pytest.raises(BadElement) as raised:
                    ask([write])
                assert raised.value.code == code
            if isinstance(write, AddNode) and code != "bad_property_name":
                with pytest.raises(BadElement):
                    small.load([Node(write.label, write.key, cast(Any, write.properties))], text="bad")
        with pytest.raises(BadElement):
            small.node("ann", INJECTION)
        assert contents(small) == before

    # previews, bindings, and steps that are done once

    def test_a_confirmed_write_is_refused_when_writes_or_graph_changed(self, small: GraphStore) -> None:
        goal, shown = begin(small), small.preview([UpdateNode("ann", {"age": 50})])
        with pytest.raises(Conflict):
            small.apply([UpdateNode("ann", {"age": 51})], goal=goal, key="1", expected=shown.binding)
        do(small, UpdateNode("bob", {"age": 1}))
        with pytest.raises(Conflict):
            small.apply([UpdateNode("ann", {"age": 50})], goal=goal, key="2", expected=shown.binding)
        assert small.goal(goal).steps == ()
        assert small.node("ann").properties["age"] == 41
        one, other = [UpdateNode("bob", {"age": 2})], [UpdateNode("bob", {"age": 2.0})]
        bindings = [small.preview(writes).binding for writes in (one, other, [*one, *other], [*one, *one], one)]
        assert (len(set(bindings)), bindings[0]) == (4, bindings[-1])
        version = small.version()
        # Writes without a net effect have no changes, and keep the version.
        writes = [AddNode("A", "a"), AddEdge("a", "L", "ann"), DeleteNode("a")]
        assert small.preview(writes).changes == small.preview([]).changes == ()
        assert small.apply(writes, goal=goal, key="nothing").changes == ()
        assert do(small, Statement("MATCH (u:User {key: 'ann'}) SET u.age = 41")) == ()
        assert do(small, Statement("MATCH (u:Nobody) DETACH DELETE u")) == ()
        assert small.version() == version

    def test_writes_are_shown_and_done_as_one_change_of_each_element(self, small: GraphStore) -> None:
        writes = [
            AddNode("Tag", "brief"),
            AddNode("Tag", "new", {"x": 1}),
            AddEdge("T-1", "HAS", "new"),
            Statement(
                "MATCH (t:Ticket)-[:HAS]->(n) SET n.x = $x, t.seen = true CREATE (n)-[:IN]->(:Tag {key: 'root'})",
                {"x": 2},
            ),
            DeleteNode("brief"),
            DeleteNode("bob"),
            AddNode("User", "bob", {"name": "Bob", "back": True}),
            Statement("MATCH (u:User {key: 'ann'})-[r:REPORTS]->(t) DELETE r CREATE (u)-[:REPORTS {year: 2027}]->(t)"),
            UpdateNode("T-1", {"seen": None}),
        ]
        before, goal, version = contents(small), begin(small), small.version()
        shown = small.preview(writes)
        assert kinds(shown.changes) == [
            ("deleted", "User bob -[KNOWS]-> User ann"),
            ("created", "Tag new"),
            ("created", "Tag root"),
            ("updated", "User bob"),
            ("created", "Tag new -[IN]-> Tag root"),
            ("created", "Ticket T-1 -[HAS]-> Tag new"),
            ("updated", "User ann -[REPORTS]-> Ticket T-1"),
        ]
        assert (contents(small), small.version()) == (before, version)
        done = small.apply(writes, goal=goal, key="all", expected=shown.binding)
        (step,) = small.goal(goal).steps
        assert (done.changes, done.version, step.changes) == (shown.changes, version + 1, shown.changes)
        assert [write["write"] for write in step.writes][2:4] == ["AddEdge", "Statement"]

    def test_several_writes_are_atomic_and_the_error_has_the_number_of_the_bad_one(self, small: GraphStore) -> None:
        before, goal = contents(small), begin(small)
        for bad, error in (
            (DeleteNode("T-9"), NotFound),
            (AddNode("1 a", "x"), BadElement),
            (Statement("CREATE (:A)"), BadElement),
            (Statement("MATCH (n) RETURN n"), QueryRefused),
        ):
            writes = [AddNode("A", "a"), bad, AddNode("A", "b")]
            with pytest.raises(error) as shown:
                small.preview(writes)
            with pytest.raises(error) as done:
                small.apply(writes, goal=goal, key="k")
            with pytest.raises(error) as read:
                small.read("RETURN 1 AS one", after=writes)
            assert shown.value.at == done.value.at == read.value.at == 1
        assert (contents(small), small.goal(goal).steps) == (before, ())

    def test_a_read_behind_writes_sees_them_and_leaves_nothing(self, small: GraphStore) -> None:
        before, version = contents(small), small.version()
        after = [AddNode("User", "eve", {"age": 9}), Statement("MATCH (u:User) SET u.seen = u.key")]
        query = "MATCH (u:User) WHERE u.seen = 'eve' RETURN u"
        eve = Node("User", "eve", {"age": 9, "seen": "eve"}).to_json()
        assert small.read(query, after=after).rows == ((eve,),)
        assert small.read(query).rows == small.read(query, after=after[:1]).rows == ()
        with pytest.raises(QueryRefused):
            small.read("MATCH (n) DETACH DELETE n", after=after)
        assert (contents(small), small.version()) == (before, version)

    def test_a_repeated_step_returns_the_first_result_and_does_nothing(self, small: GraphStore) -> None:
        goal, write = begin(small), UpdateNode("ann", {"age": 50})
        first = small.apply([write], goal=goal, key="once", expected=small.preview([write]).binding)
        do(small, UpdateNode("ann", {"age": 60}))
        again = small.apply([write], goal=goal, key="once", expected="a binding of long ago")
        assert (again.changes, again.version, again.repeated) == (first.changes, first.version, True)
        assert small.node("ann").properties["age"] == 60
        assert len(small.goal(goal).steps) == 1
        # A key identifies one write of one goal.
        for other, of in ((BOB, goal), (write, begin(small))):
            with pytest.raises(GraphError) as raised:
                small.apply([other], goal=of, key="once")
            assert raised.value.code == "key_reused"

    def test_a_goal_that_does_not_exist_takes_no_step(self, small: GraphStore) -> None:
        before = contents(small)
        for goal in ("G999", "", "G0", "1", "G1' OR 1=1"):
            for ask in (
                lambda goal=goal: small.apply([AddNode("A", "a")], goal=goal, key="k"),
                lambda goal=goal: small.finish_goal(goal, "done"),
                lambda goal=goal: small.undo(goal, key="u"),
                lambda goal=goal: small.preview_undo(goal),
                lambda goal=goal: small.goal(goal),
            ):
                with pytest.raises(NotFound):
                    ask()
        assert contents(small) == before

    # the journal

    def test_the_journal_has_the_steps_of_each_goal(self, store: GraphStore) -> None:
        first = store.begin_goal("first", key="a", thread="t1")
        assert store.begin_goal("first", key="a", thread="t1") == first
        second = store.begin_goal("second", key="b")
        assert (first.id, second.id, first.status, first.finished) == ("G1", "G2", "open", None)
        do(store, ANN, BOB, goal=first.id)
        store.finish_goal(first.id, "partial")
        store.finish_goal(first.id, "done")
        newest, oldest = store.goals()
        assert (newest, oldest, store.goals(most=1)) == (second, store.goal("G1"), (second,))
        assert (oldest.status, oldest.thread, oldest.text) == ("done", "t1", "first")
        assert oldest.began <= str(oldest.finished)
        assert [(step.version, kinds(step.changes)[0][1]) for step in oldest.steps] == [
            (1, "User ann"),
            (2, "User bob"),
        ]

    # undoing

    def test_undo_is_previewed_and_restores_exactly_the_state_before_the_goal(self, small: GraphStore) -> None:
        before, goal = contents(small), begin(small)
        tag, gone = AddNode("Tag", "new", {"x": [1, 2]}), {"age": 4.0, "z": "z"}
        do(small, tag, AddEdge("T-1", "HAS", "new"), UpdateNode("ann", gone), UpdateNode("ann", {"z": 1}), goal=goal)
        do(small, UpdateEdge("ann", "REPORTS", "T-1", {"year": None}), DeleteNode("bob"), goal=goal)
        after, version = contents(small), small.version()
        shown = small.preview_undo(goal)
        assert kinds(shown) == [
            ("deleted", "Ticket T-1 -[HAS]-> Tag new"),
            ("deleted", "Tag new"),
            ("updated", "User ann"),
            ("created", "User bob"),
            ("updated", "User ann -[REPORTS]-> Ticket T-1"),
            ("created", "User bob -[KNOWS]-> User ann"),
        ]
        assert (contents(small), small.version(), small.goal(goal).status) == (after, version, "open")
        undoing = small.undo(goal, key="undo")
        assert (contents(small), undoing.steps[0].changes) == (before, shown)
        assert (undoing.undoes, undoing.status, len(undoing.steps)) == (goal, "done", 1)
        assert (small.goal(goal).status, small.goal(goal).undone_by) == ("undone", undoing.id)
        assert small.undo(goal, key="undo") == undoing
        # It accepts no more steps, and stays undone until the undo is undone.
        with pytest.raises(Conflict):
            do(small, AddNode("A", "b"), goal=goal)
        small.finish_goal(goal, "done")
        assert small.goal(goal).status == "undone"
        with pytest.raises(Conflict, match=f"already, by {undoing.id}"):
            small.undo(goal, key="again")
        small.undo(undoing.id, key="back")
        assert (contents(small), small.goal(goal).undone_by) == (after, None)
        assert small.goal(undoing.id).status == "undone"

    def test_several_goals_are_undone_in_one_transaction_each_as_a_goal_of_its_own(self, small: GraphStore) -> None:
        before, first, second = contents(small), begin(small), begin(small)
        do(small, UpdateNode("ann", {"age": 5}), goal=first)
        do(small, UpdateNode("ann", {"age": 6}), AddNode("Tag", "new"), goal=second)
        after = contents(small)
        with pytest.raises(Conflict):
            small.undo(first, key="u", also=[second])
        with pytest.raises(NotFound):
            small.undo(second, key="u", also=[first, "G99"])
        assert (contents(small), small.goal(second).status) == (after, "open")
        assert kinds(small.preview_undo(second, [first])) == [("deleted", "Tag new"), ("updated", "User ann")]
        undoing = small.undo(second, key="u", also=[first])
        assert (contents(small), undoing.undoes) == (before, second)
        other = small.goal(small.goal(first).undone_by or "")
        assert (other.undoes, other.status) == (first, "done")
        assert small.undo(second, key="u", also=[first]) == undoing

    def test_an_undo_over_later_changes_is_refused_with_their_goals(self, empty: Callable[[], GraphStore]) -> None:
        for writes, later_writes, named in UNDO_CONFLICTS:
            store = empty()
            do(store, *SMALL)
            begun, goal, later = contents(store), begin(store), begin(store)
            do(store, *writes, goal=goal)
            do(store, *later_writes, goal=later)
            before = contents(store)
            with pytest.raises(Conflict, match=named):
                store.preview_undo(goal)
            with pytest.raises(Conflict, match=named) as raised:
                store.undo(goal, key="u")
            assert later in raised.value.hint
            assert contents(store) == before
            store.undo(later, key="u2")
            store.undo(goal, key="u")
            assert contents(store) == begun

    def test_changes_of_others_in_the_middle_of_a_goal_are_not_lost(self, small: GraphStore) -> None:
        goal, other, net = begin(small), begin(small), begin(small)
        do(small, UpdateNode("ann", {"a": 1}), goal=goal)
        do(small, UpdateNode("ann", {"b": 2}), goal=other)
        do(small, UpdateNode("ann", {"c": 3}), goal=goal)
        with pytest.raises(Conflict, match="while the goal went on") as raised:
            small.undo(goal, key="u")
        assert other in raised.value.hint
        # Elements that a goal created and deleted again can be used by others.
        do(small, AddNode("A", "a"), DeleteNode("a"), goal=net)
        do(small, AddNode("A", "a", {"mine": True}))
        small.undo(net, key="u2")
        assert small.node("a").properties == {"mine": True}

    # reading

    def test_a_read_gives_nodes_edges_and_paths_by_their_keys(self, small: GraphStore) -> None:
        found = small.read("MATCH p = (u:User)-[r:REPORTS]->(t) RETURN u, r, p, t.key AS ticket, collect(r) AS every")
        elements = (small.node("ann"), small.node("T-1"), edges_of(small, "T-1")[0])
        ann, ticket, edge = (each.to_json() for each in elements)
        assert found.columns == ("u", "r", "p", "ticket", "every")
        assert found.rows == ((ann, edge, {"nodes": [ann, ticket], "edges": [edge]}, "T-1", [edge]),)

    def test_parameters_are_values_and_all_must_be_given(self, small: GraphStore) -> None:
        for key in (INJECTION, "' OR 1=1 //"):
            assert small.read("MATCH (n {key: $k}) RETURN n", {"k": key}).rows == ()
        assert small.read("UNWIND $l AS x RETURN x.a AS a", {"l": [{"a": 1}, {"a": None}]}).rows == ((1,), (None,))
        with pytest.raises(QueryRefused, match=r"\$k"):
            small.read("MATCH (n {key: $k}) RETURN n", {"other": 1})
        for bad in (b"x", math.nan, 2**70, "\ud800", "a\0b", object()):
            with pytest.raises(BadElement):
                small.read("RETURN $k AS k", {"k": bad})

    def test_a_read_takes_one_query_that_only_reads(self, small: GraphStore) -> None:
        before = contents(small)
        for query in (*WRITING, *NO_QUERIES):
            with pytest.raises(QueryRefused) as raised:
                small.read(query)
            assert raised.value.message
        assert contents(small) == before

    def test_a_result_has_its_columns_and_rows_up_to_a_limit(self, store: GraphStore) -> None:
        found = store.read("MATCH (n:Nothing) RETURN n, n.x AS x, count(*) AS c")
        assert (found.columns, found.rows, found.truncated) == (("n", "x", "c"), (), False)
        for most, truncated in ((50, False), (49, True)):
            part = store.read("UNWIND range(1, 50) AS x RETURN x", max_rows=most)
            assert (len(part.rows), part.truncated) == (most, truncated)

    def test_a_read_that_takes_too_long_is_stopped(self, small: GraphStore) -> None:
        with pytest.raises(Transient) as raised:
            small.read("UNWIND range(1, 100000000) AS x WITH x WHERE x % 7 = 3 RETURN count(x) AS c", timeout=0.3)
        assert raised.value.code == "timeout"
        assert small.read("RETURN 1 AS one").rows == ((1,),)

    # neighbourhoods

    def test_the_schema_has_labels_types_properties_and_counts(self, small: GraphStore) -> None:
        do(small, AddNode("Ticket", "T-2", {"status": 7, "done": True, "tags": ["a"]}))
        found = small.schema()
        assert [(each.label, each.count, dict(each.properties)) for each in found.labels] == [
            ("Ticket", 2, {"done": ("boolean",), "status": ("number", "text"), "tags": ("list",), "title": ("text",)}),
            ("User", 2, {"age": ("number",), "name": ("text",)}),
        ]
        assert [(each.type, each.count, dict(each.properties), each.joins) for each in found.types] == [
            ("KNOWS", 1, {}, (("User", "User"),)),
            ("REPORTS", 1, {"year": ("number",)}, (("User", "Ticket"),)),
        ]
        do(small, DeleteNode("T-1"))
        assert [each.type for each in small.schema().types] == ["KNOWS"]

    def test_a_search_finds_words_in_other_forms_and_parts_of_words_the_best_first(self, small: GraphStore) -> None:
        do(
            small,
            AddNode("Ticket", "T-2", {"title": "Network printer broken", "tags": ["floor 2", "urgent"]}),
            AddNode("Ticket", "T-21", {"title": "Drucker im Büro: Äpfel", "size": 2}),
            AddNode("User", "mueller", {"name": "Jörg Müller"}),
            AddNode("Place", "tokyo", {"name": "東京都庁"}),
        )
        for text, first in self.searches.items():
            assert (text, [node.key for node in small.search(text)][:1]) == (text, [first])
        assert small.search("zzz qqq") == small.search("") == small.search("\"' AND * (") == ()
        assert len(small.search("T-1 T-2 T-21 ann bob", most=2)) == 2

    def test_the_search_index_follows_every_kind_of_write(self, small: GraphStore) -> None:
        def search(*texts: str) -> list[list[str]]:
            return [[node.key for node in small.search(text)] for text in texts]

        goal = begin(small)
        do(small, Statement("MATCH (t:Ticket) SET t.title = 'Elevator stuck' CREATE (:Tag {key: 'lift'})"), goal=goal)
        small.preview([AddNode("Tag", "escalator")])
        assert search("elevator", "login", "lift", "escalator") == [["T-1"], [], ["lift"], []]
        small.undo(goal, key="u")
        assert search("elevator", "login", "lift") == [[], ["T-1"], []]
        do(small, DeleteNode("T-1"))
        for note in ("old", "new"):
            small.load([Node("Tag", "escalator", {"note": note})], text=note, update=True)
        assert search("login", "old", "new") == [[], [], ["escalator"]]

    def test_the_values_of_a_property_are_counted(self, store: GraphStore) -> None:
        for number, status in enumerate(["open", "closed", "open", 1, True, ["x"], "open", 1]):
            do(store, AddNode("T", f"t{number}", {"status": status}), AddNode("U", f"t{number}", {"status": "other"}))
        found = store.values("T", "status")
        assert repr(found[:2]) == "(('open', 3), (1, 2))"
        assert sorted(map(repr, found[2:])) == ["('closed', 1)", "(True, 1)", "(['x'], 1)"]
        assert len(store.values("T", "status", most=5)) == 5
        assert store.values("T", "status", most=4) == ()
        assert store.values("T", "none") == store.values("None_", "status") == ()

    def test_neighbourhoods_are_limited_and_say_so(self, store: GraphStore) -> None:
        nodes = [Node("A", f"n{number:02}") for number in range(30)]
        chain = [Edge("A", one.key, "NEXT", "A", two.key) for one, two in itertools.pairwise(nodes)]
        star = [Edge("A", "n00", "TO", "A", node.key) for node in nodes[20:]]
        store.load([*nodes, *chain, *star], text="a chain and a star")
        found = store.subgraph("n10", 2)
        assert ([node.key for node in found.nodes], len(found.edges)) == (["n08", "n09", "n10", "n11", "n12"], 4)
        assert store.subgraph("n05", 0).nodes == (Node("A", "n05"),)
        assert not store.subgraph("n10", 50).truncated
        some = store.subgraph("n00", 3, most=5)
        assert (len(some.nodes), some.truncated) == (5, True)
        with pytest.raises(NotFound) as raised:
            store.subgraph("n1", 1)
        assert "n10" in raised.value.near

    # loading

    def test_a_load_gives_the_same_graph_as_single_writes(self, empty: Callable[[], GraphStore]) -> None:
        one = empty()
        do(one, *SMALL, AddNode("A", "v", {f"v{number}": value for number, value in enumerate(VALUES)}))
        elements, schema = list(one.export()), one.schema()
        # A server may have one graph: this one replaces the other.
        other = empty()
        assert other.load(iter(elements), text="moved") == (4, 2)
        assert list(other.export()) == elements == sorted(elements, key=lambda e: (isinstance(e, Edge), e.identity))
        assert other.schema() == schema
        (entry,) = other.goals()
        assert (entry.text, entry.status, entry.steps) == ("moved: 4 nodes and 2 edges", "done", ())
        assert other.version() > 0
        with pytest.raises(Conflict, match="no steps"):
            other.undo(entry.id, key="u")

    def test_loading_an_existing_element_is_a_conflict_unless_it_is_an_update(self, small: GraphStore) -> None:
        before = contents(small)
        # More than any engine accepts in one batch.
        many: list[Element] = [Node("A", f"a{number}") for number in range(6000)]
        loops = [Edge("A", f"a{number}", "L", "A", f"a{number}") for number in range(10)]
        ann, reports = Node("User", "ann", {"age": 1}), Edge("User", "ann", "REPORTS", "Ticket", "T-1", {"x": 1})
        for elements, twice in (
            ([Node("A", "new"), ann], "User ann"),
            ([reports], "REPORTS"),
            ([many[0], many[0]], "A a0"),
            ([*many, loops[0], loops[0]], "A a0 -"),
            ([*many, many[0]], "A a0"),
        ):
            with pytest.raises(Conflict, match=f"{twice}.* is in the graph already, or occurs twice"):
                small.load(elements, text="twice")
        assert contents(small) == before
        assert small.load([*many, ann, reports, *loops, *many[:9]], text="update", update=True) == (6010, 11)
        assert small.load([Node("A", "a0", {"z": 1})], text="update", update=True) == (1, 0)
        assert small.node("ann").properties == {"age": 1, "name": "Ann"}
        assert small.node("a0").properties == {"z": 1}
        assert edges_of(small, "T-1")[0].properties == {"year": 2026, "x": 1}
        assert len(contents(small)) == 6000 + 10 + 5

    def test_a_load_that_fails_loads_nothing(self, small: GraphStore) -> None:
        before, goals = contents(small), small.goals()
        good = [Node("A", f"a{number}") for number in range(10)]

        def broken() -> Any:
            yield from good
            raise Conflict("the file is torn")

        with pytest.raises(NotFound, match="T-9") as raised:
            small.load([*good, Edge("User", "ann", "L", "Ticket", "T-9")], text="bad")
        assert raised.value.near == ("T-1",)
        for elements in ([*good, Node("A", "b", {"x": {}})], [*good, Edge("A", "a1", INJECTION, "A", "a2")], broken()):
            with pytest.raises((BadElement, Conflict)):
                small.load(elements, text="bad")
        assert (contents(small), small.goals()) == (before, goals)

    # statements

    def test_a_statement_that_fails_or_leaves_a_malformed_graph_is_not_done(self, small: GraphStore) -> None:
        before = contents(small)
        for query in NOT_WELL_FORMED:
            parameters = {"map": {"a": 1}} if "$map" in query else {}
            with pytest.raises((BadElement, QueryFailed, QueryRefused)):
                do(small, Statement(query, parameters))
        assert contents(small) == before
        assert do(small, Statement("CREATE (:A {key: 'a'})"))

    def test_property_names_of_rolled_back_writes_are_not_mixed_up(self, small: GraphStore) -> None:
        for name in ("first", "third"):
            small.preview(
                [Statement(f"MATCH (u:User {{key: 'ann'}}) SET u.{name} = 1 CREATE (:A {{key: 'a', {name}: 1}})")]
            )
        do(small, Statement("MATCH (u:User {key: 'ann'}) SET u.second = 2, u.fourth = 4"))
        assert do(small, Statement("MATCH (u:User) WHERE u.first = 2 OR u.third = 4 SET u.hit = true")) == ()
        do(
            small,
            Statement("MATCH (u:User {key: 'ann'}) SET u.first = 1"),
            Statement("MERGE (:A {key: 'b', third: 3})"),
        )
        assert small.node("ann").properties == {"name": "Ann", "age": 41, "first": 1, "second": 2, "fourth": 4}
        assert small.node("b").properties == {"third": 3}
        assert small.read("MATCH (u:User) WHERE u.first = 2 RETURN u").rows == ()

    # concurrency

    def test_many_threads_may_read_and_write(self, small: GraphStore) -> None:
        goal, wrong = begin(small), threading.Event()

        def work(number: int) -> None:
            for step in range(5):
                small.apply([AddNode("W", f"w{number}-{step}")], goal=goal, key=f"{number} {step}")
                if small.node(f"w{number}-{step}").label != "W" or small.node("ann").properties["age"] != 41:
                    wrong.set()

        with ThreadPoolExecutor(6) as pool:
            list(pool.map(work, range(6)))
        assert not wrong.is_set()
        assert small.read("MATCH (w:W) RETURN count(w) AS c").rows == ((30,),)
        assert len(small.goal(goal).steps) == 30
