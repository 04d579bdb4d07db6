"""The graph editor in trouble: locks, changes from elsewhere, questions left open, a store that fails."""

from __future__ import annotations

import itertools
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from graph_editor_support import (
    Twenty,
    assert_as_the_journal_says,
    call,
    contents,
    engine,
    goal_spec,
    graph_file,
    keys,
    made,
    opened,
    say,
    step_plan,
    store,
)
from graph_support import UNCONFINED
from runtime_support import open_session, trace

from graphwright import Agent
from graphwright.errors import UsageError
from graphwright.graphstore import AddEdge, AddNode, GraphStore, Transient
from graphwright.graphstore.embedded.engine import EmbeddedEngine

__all__ = ["made", "store"]


ADD_CAT = call("add_node", label="User", key="cat")
DELETE_BOB = call("delete_node", key="bob")

# locks


@contextmanager
def locked(path: Path, seconds: float = 60.0) -> Iterator[None]:
    """Another process holds the graph for writing, until `seconds` are over or this ends."""
    script = (
        "import select, sqlite3, sys\n"
        "held = sqlite3.connect(sys.argv[1], isolation_level=None)\n"
        "held.execute('BEGIN IMMEDIATE')\n"
        "print('held', flush=True)\n"
        "select.select([sys.stdin], [], [], float(sys.argv[2]))\n"
    )
    command = [sys.executable, "-c", script, str(path), str(seconds)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as other:
        assert other.stdout is not None
        assert other.stdout.readline() == "held\n"
        yield
        other.kill()


def locked_at(store: GraphStore, monkeypatch: pytest.MonkeyPatch, holder: Any) -> None:
    """Let `holder` take the lock when the first step is about to be written."""
    apply = store.apply

    def late(*given: Any, **named: Any) -> Any:
        holder.__enter__()
        monkeypatch.setattr(store, "apply", apply)
        return apply(*given, **named)

    monkeypatch.setattr(store, "apply", late)


async def test_a_lock_that_goes_away_is_waited_for_with_growing_pauses(
    made: Agent, store: GraphStore, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    holder = locked(graph_file(tmp_path), seconds=1.2)
    locked_at(store, monkeypatch, holder)
    async with open_session(made, tmp_path, goal_spec(ADD_CAT)) as session:
        turn = await session.send("Add a user cat.")
        events = await trace(session)
    holder.__exit__(None, None, None)
    assert (turn.status, turn.values["diagnosis"]["kind"]) == ("ended", "random")
    assert [failure["code"] for failure in turn.values["failures"]] == ["locked", "locked"]
    first, second = (e["seconds"] for e in events if e["type"] == "action_finished" and e["node"] == "diagnose")
    assert 0.4 < first < second
    assert "cat" in keys(store)
    assert len(store.goals()[0].steps) == 1


async def test_a_lock_that_stays_is_asked_about_and_tried_again_when_it_is_gone(
    made: Agent, store: GraphStore, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    holder = locked(graph_file(tmp_path))
    locked_at(store, monkeypatch, holder)
    turn = await say(made, tmp_path, "Add a user cat.", goal_spec(ADD_CAT))
    assert turn.waiting_for is not None
    assert turn.waiting_for.node == "q.escalate"
    assert "another program is writing to the graph" in turn.reply.lower()
    assert "1) try again" in turn.reply
    assert turn.path.count("call_tool") == 4
    holder.__exit__(None, None, None)
    turn = await say(made, tmp_path, "try again")
    assert (turn.status, turn.path[:3]) == ("ended", ("plan_step", "route_tool", "call_tool"))
    assert "cat" in keys(store)
    assert_as_the_journal_says(store)


# confirmations


async def test_a_preview_of_a_graph_that_has_changed_releases_nothing_and_is_shown_anew(
    made: Agent, store: GraphStore, tmp_path: Path
) -> None:
    turn = await say(made, tmp_path, "Delete bob.", goal_spec(DELETE_BOB))
    assert "- User ann -[KNOWS]-> User bob" in turn.reply
    other = store.begin_goal("by somebody else", key="other").id
    store.apply([AddNode("User", "eve")], goal=other, key="other 1")
    store.apply([AddEdge("eve", "KNOWS", "bob")], goal=other, key="other 2")
    before = contents(store)
    turn = await say(made, tmp_path, "yes")
    assert turn.waiting_for is not None
    assert turn.waiting_for.node == "q.confirm"
    assert "- User eve -[KNOWS]-> User bob" in turn.reply
    assert contents(store) == before
    turn = await say(made, tmp_path, "yes")
    assert (turn.status, keys(store)) == ("ended", ["ann", "eve"])
    assert [len(step.changes) for goal in store.goals() if goal.thread == "t" for step in goal.steps] == [3]


async def test_a_statement_confirmed_over_another_graph_is_shown_anew(
    made: Agent, store: GraphStore, tmp_path: Path
) -> None:
    query = call("cypher_query", query="MATCH (u:User) SET u.state = 'away'")
    turn = await say(made, tmp_path, "Set the state of all users to away.", goal_spec(query))
    assert "2 nodes updated" in turn.reply
    other = store.begin_goal("by somebody else", key="other").id
    store.apply([AddNode("User", "eve")], goal=other, key="other 1")
    turn = await say(made, tmp_path, "yes")
    assert (turn.status, "3 nodes updated" in turn.reply) == ("waiting", True)
    turn = await say(made, tmp_path, "no")
    assert (turn.status, "Nothing was changed." in turn.reply) == ("ended", True)
    assert not any(getattr(each, "properties", {}).get("state") for each in store.export())


async def test_a_yes_to_one_delete_is_none_to_the_next(made: Agent, store: GraphStore, tmp_path: Path) -> None:
    rules = [goal_spec(), step_plan(call("delete_node", key="ann"))]
    turn = await say(made, tmp_path, "Delete ann and bob.", *rules)
    assert "- User ann\n" in turn.reply
    turn = await say(made, tmp_path, "yes", step_plan(DELETE_BOB, final=True))
    assert (turn.status, keys(store)) == ("waiting", ["bob"])
    assert "- User bob\n" in turn.reply
    turn = await say(made, tmp_path, "no")
    assert (turn.status, keys(store), store.goals()[0].status) == ("ended", ["bob"], "partial")
    assert "delete_node bob (you said no)" in turn.reply


@pytest.mark.parametrize("reply", ["Yes, but delete ann instead.", "yes and ann too", "No, delete ann.", "delete ann"])
async def test_a_yes_with_another_wish_releases_nothing(
    made: Agent, store: GraphStore, tmp_path: Path, reply: str
) -> None:
    before = contents(store)
    await say(made, tmp_path, "Delete bob.", goal_spec(DELETE_BOB))
    turn = await say(made, tmp_path, reply, step_plan(call("delete_node", key="ann"), final=True))
    assert turn.waiting_for is not None
    assert (turn.waiting_for.node, contents(store)) == ("q.confirm", before)
    assert "- User ann\n" in turn.reply
    assert "- User bob\n" not in turn.reply


async def test_a_yes_on_one_thread_confirms_nothing_on_another(made: Agent, store: GraphStore, tmp_path: Path) -> None:
    await say(made, tmp_path, "Delete bob.", goal_spec(DELETE_BOB), thread="one")
    await say(made, tmp_path, "Delete ann.", goal_spec(call("delete_node", key="ann")), thread="other")
    await say(made, tmp_path, "yes", thread="other")
    assert keys(store) == ["bob"]
    turn = await say(made, tmp_path, "yes", thread="one")
    assert (turn.status, keys(store)) == ("waiting", ["bob"])


async def test_a_write_that_was_shown_to_change_nothing_changes_nothing_later(
    made: Agent, store: GraphStore, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    preview = store.preview

    def and_then_others_write(write: Any) -> Any:
        shown = preview(write)
        if not any(goal.key == "other" for goal in store.goals()):
            other = store.begin_goal("by somebody else", key="other").id
            store.apply([AddNode("User", "eve", {"state": "gone"})], goal=other, key="other 1")
        return shown

    monkeypatch.setattr(store, "preview", and_then_others_write)
    query = call("cypher_query", query="MATCH (u:User {state: 'gone'}) DETACH DELETE u")
    turn = await say(made, tmp_path, "Delete all users whose state is gone.", goal_spec(query))
    assert keys(store) == ["ann", "bob", "eve"]
    assert turn.waiting_for is not None
    assert (turn.waiting_for.node, "- User eve" in turn.reply) == ("q.confirm", True)


# questions

TO_DAN = call("add_edge", from_key="ann", type="KNOWS", to_key="dan", to_label="User")
NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)


@pytest.mark.parametrize(("hours", "settings"), [(24.0, {}), (1.5, {"question_expires_hours": 1.5})])
async def test_a_question_expires_and_a_later_reply_is_a_new_request(
    made: Agent, store: GraphStore, tmp_path: Path, hours: float, settings: dict[str, Any]
) -> None:
    agent = replace(made, settings=settings)
    at = [NOON]
    rules = [goal_spec(), step_plan(ADD_CAT), step_plan(TO_DAN, final=True)]
    for thread in ("late", "in time"):
        turn = await say(agent, tmp_path, "Add a user cat. ann KNOWS dan.", *rules, thread=thread, clock=lambda: at[0])
        assert "There is no User dan." in turn.reply
    at[0] = NOON + timedelta(hours=hours, seconds=-1)
    again = step_plan(TO_DAN, final=True)
    turn = await say(agent, tmp_path, "create User dan", again, thread="in time", clock=lambda: at[0])
    assert (turn.status, "dan" in keys(store)) == ("ended", True)
    at[0] = NOON + timedelta(hours=hours, seconds=1)
    eve = goal_spec(call("add_node", label="User", key="eve"))
    turn = await say(agent, tmp_path, "Add a user eve.", eve, thread="late", clock=lambda: at[0])
    assert turn.status == "ended"
    assert turn.reply.startswith(
        "My question of 2026-03-01 12:00 waited too long for an answer, so I closed that goal."
    )
    assert "Until then this was done:\n+ User cat" in turn.reply
    assert turn.reply.endswith("undo G4")
    assert {goal.id: (goal.status, goal.text) for goal in store.goals()} == {
        "G1": ("done", "before"),
        "G2": ("expired", "Add a user cat. ann KNOWS dan."),
        "G3": ("done", "Add a user cat. ann KNOWS dan."),
        "G4": ("done", "Add a user eve."),
    }


@pytest.mark.parametrize("hours", ["soon", 0, -1, True, float("inf")])
async def test_a_bad_setting_is_told_before_anything_is_asked(
    made: Agent, store: GraphStore, tmp_path: Path, hours: Any
) -> None:
    agent = replace(made, settings={"question_expires_hours": hours})
    with pytest.raises(UsageError, match="question_expires_hours of ") as raised:
        await say(agent, tmp_path, "ann KNOWS dan.")
    assert raised.value.code == "bad_setting"
    # Mended, the same request goes on.
    turn = await say(made, tmp_path, "ann KNOWS dan.", goal_spec(TO_DAN))
    assert (turn.status, "There is no User dan." in turn.reply) == ("waiting", True)


async def test_a_request_that_comes_instead_of_one_that_failed_is_a_goal_of_its_own(
    made: Agent, store: GraphStore, tmp_path: Path
) -> None:
    refused = {"offers": "GoalSpec", "fail": "auth"}
    for text in ("Add a user dog.", "Add a user cow.", "Add a user cow."):
        assert (await say(made, tmp_path, text, refused)).status == "failed"
    turn = await say(made, tmp_path, "Add a user cat.", goal_spec(ADD_CAT))
    assert (turn.status, turn.reply.endswith("undo G4"), keys(store)) == ("ended", True, ["ann", "bob", "cat"])
    assert {goal.id: (goal.status, goal.text, len(goal.steps)) for goal in store.goals()} == {
        "G1": ("done", "before", 3),
        "G2": ("open", "Add a user dog.", 0),
        "G3": ("open", "Add a user cow.", 0),
        "G4": ("done", "Add a user cat.", 1),
    }


async def test_a_goal_asks_three_times_and_then_ends(made: Agent, store: GraphStore, tmp_path: Path) -> None:
    turn = await say(made, tmp_path, "ann KNOWS dan.", goal_spec(TO_DAN))
    for name in ("dora", "dirk"):
        edge = step_plan(call("add_edge", from_key="ann", type="KNOWS", to_key=name, to_label="User"), final=True)
        turn = await say(made, tmp_path, f"I mean {name}", edge)
        assert (turn.status, f"There is no User {name}." in turn.reply) == ("waiting", True)
    edge = step_plan(call("add_edge", from_key="ann", type="KNOWS", to_key="dave", to_label="User"), final=True)
    turn = await say(made, tmp_path, "I mean dave", edge)
    assert (turn.status, "There is no User dave." in turn.reply) == ("ended", True)
    assert (store.goals()[0].status, keys(store)) == ("failed", ["ann", "bob"])


# a store that fails


async def test_a_server_that_is_not_there_is_asked_about_until_there_is_a_graph(
    made: Agent, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GRAPHWRIGHT_GRAPH", "neo4j://ann:secret@127.0.0.1:1")
    turn = await say(made, tmp_path, "Add a user cat.")
    assert (turn.status, "1) try again" in turn.reply) == ("waiting", True)
    assert "127.0.0.1:1" in turn.reply
    assert "secret" not in turn.reply
    turn = await say(made, tmp_path, "try again")
    assert turn.status == "waiting"
    monkeypatch.delenv("GRAPHWRIGHT_GRAPH")
    turn = await say(made, tmp_path, "try again", step_plan(ADD_CAT, final=True))
    with opened(tmp_path) as store:
        assert (turn.status, keys(store)) == ("ended", ["cat"])
        assert [(goal.text, goal.status, len(goal.steps)) for goal in store.goals()] == [("Add a user cat.", "done", 1)]


@pytest.mark.skipif(bool(UNCONFINED), reason=UNCONFINED)
async def test_a_damaged_graph_is_asked_about_until_it_is_mended(made: Agent, tmp_path: Path) -> None:
    file = graph_file(tmp_path)
    file.parent.mkdir(parents=True)
    file.write_bytes(b"no graph at all " * 512)
    turn = await say(made, tmp_path, "Add a user cat.")
    assert (turn.status, "1) try again" in turn.reply) == ("waiting", True)
    assert "is damaged, or is no graph at all" in turn.reply
    assert "Traceback" not in turn.reply
    file.unlink()
    turn = await say(made, tmp_path, "1", step_plan(ADD_CAT, final=True))
    with opened(tmp_path) as store:
        assert (turn.status, keys(store)) == ("ended", ["cat"])


@pytest.mark.parametrize("deleting", [False, True])
async def test_a_step_whose_answer_was_lost_is_done_again_under_its_key(
    made: Agent, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, deleting: bool
) -> None:
    goal, apply, calls = Twenty(deleting=deleting), EmbeddedEngine.apply, itertools.count()

    def lossy(self: EmbeddedEngine, *given: Any, **named: Any) -> Any:
        applied = apply(self, *given, **named)
        if next(calls) in (4, 20):
            raise Transient("connection_lost", "whether the write was done is not known", "Do it under the same key.")
        return applied

    monkeypatch.setattr(EmbeddedEngine, "apply", lossy)
    with engine(tmp_path) as store:
        monkeypatch.setattr("graphwright.agents.graph_editor.goals.open_graph", lambda home: store)
        async with open_session(made, tmp_path, *goal.rules) as session:
            turn = await session.send(goal.text)
            while turn.status == "waiting":
                turn = await session.send("yes")
        assert turn.status == "ended"
        (entry,) = store.goals()
        assert (entry.status, len(entry.steps), contents(store)) == ("done", 20, goal.graph)


async def test_a_goal_whose_beginning_was_lost_is_begun_again_under_its_key(
    made: Agent, store: GraphStore, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    begin, calls = store.begin_goal, itertools.count()

    def lossy(*given: Any, **named: Any) -> Any:
        begun = begin(*given, **named)
        if next(calls) < 2:
            raise Transient("connection_lost", "whether the goal was begun is not known", "Do it under the same key.")
        return begun

    monkeypatch.setattr(store, "begin_goal", lossy)
    turn = await say(made, tmp_path, "Add a user cat.", step_plan(ADD_CAT, final=True))
    assert (turn.status, keys(store)) == ("ended", ["ann", "bob", "cat"])
    assert [(goal.text, goal.status) for goal in store.goals()][:2] == [("Add a user cat.", "done"), ("before", "done")]


# what was done


async def test_goals_of_the_agent_are_undone_exactly_one_after_the_other(
    made: Agent, store: GraphStore, tmp_path: Path
) -> None:
    away = call("cypher_query", query="MATCH (u:User) WHERE u.key <> 'eve' SET u.state = 'away'")
    edge = call("add_edge", from_key="eve", type="KNOWS", to_key="ann", properties={"since": 1999})
    goals: list[tuple[str, list[dict[str, Any]]]] = [
        ("Add a user eve with age 7.", [goal_spec(call("add_node", label="User", key="eve", properties={"age": 7}))]),
        ("Connect eve to ann by KNOWS, since 1999.", [goal_spec(edge)]),
        ("Set the state of all users but eve to away.", [goal_spec(away)]),
        ("Set the age of eve to 8.", [goal_spec(call("update_props", key="eve", properties={"age": 8}))]),
        (
            "Remove the edge from ann to bob.",
            [goal_spec(call("delete_edge", from_key="ann", type="KNOWS", to_key="bob"))],
        ),
        (
            "Delete eve and bob.",
            [goal_spec(), step_plan(call("delete_node", key="eve")), step_plan(DELETE_BOB, final=True)],
        ),
    ]
    states = []
    for text, rules in goals:
        states.append(contents(store))
        async with open_session(made, tmp_path, *[{**rule, "times": 1} for rule in rules]) as session:
            turn = await session.send(text)
            while turn.status == "waiting":
                turn = await session.send("yes")
        assert "To undo: graphwright graph undo G" in turn.reply
        assert contents(store) != states[-1]
    for goal, state in zip([g for g in store.goals() if g.thread == "t"], reversed(states), strict=True):
        store.undo(goal.id, key=f"undo {goal.id}")
        assert contents(store) == state
    assert_as_the_journal_says(store)


async def test_what_was_refused_declined_or_not_understood_is_in_the_history_too(
    made: Agent, store: GraphStore, tmp_path: Path
) -> None:
    before = contents(store)
    weather = goal_spec(out_of_scope="I know nothing of the weather.", intent="other", confidence=0.1)
    await say(made, tmp_path, "What is the weather in London?", weather)
    await say(made, tmp_path, "Use send_email to write to my boss.", goal_spec(call("send_email", to="boss")))
    await say(made, tmp_path, "x" * 9_000)
    await say(made, tmp_path, "Delete bob.", goal_spec(DELETE_BOB))
    await say(made, tmp_path, "no")
    await say(made, tmp_path, "Do something.", goal_spec(intent="other", confidence=0.1))
    await say(made, tmp_path, "leave it")
    entries = [(goal.text[:14], goal.status, len(goal.steps)) for goal in store.goals()]
    assert entries == [
        ("Do something.", "refused", 0),
        ("Delete bob.", "refused", 0),
        ("xxxxxxxxxxxxxx", "failed", 0),
        ("Use send_email", "refused", 0),
        ("What is the we", "refused", 0),
        ("before", "done", 3),
    ]
    assert contents(store) == before
