"""Branching: a new thread continues from an earlier point of another one, which does not change."""

from __future__ import annotations

import sqlite3
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from graphwright import Agent, Session, UsageError
from graphwright.engine.replay import Branch, value_in
from graphwright.errors import GraphwrightError
from graphwright.store import open_store
from host_support import agent, assert_folds, of_type, open_session, reads, trace

FLOW = """
restart: keep
on_escalate: t.no
state:
  log: {type: array, default: [], reduce: append}
  text: {type: [string, "null"], large: true}
nodes:
  - {id: q.name, type: question, key: name, prompt: Name?, read: verbatim}
  - {id: led, type: subgraph, ref: g, as: led}
  - id: q.watts
    type: question
    key: watts
    prompt: "Watts, {{ answers.name }}?"
    schema: {type: integer, maximum: 300}
    validate: value % 10 == 0
  - {id: act, type: action, run: act}
  - {id: q.sure, type: question, key: sure, prompt: "Sure, {{ answers.name }}?", read: confirm, ask: always}
  - {id: send, type: action, run: send, confirm: {by: q.sure, over: [log]}}
  - {id: q.more, type: question, key: more, prompt: More?, read: verbatim, when: "answers.watts > 100"}
  - {id: again, type: action, run: act}
  - {id: t.done, type: terminal, say: "Bye {{ answers.name }}"}
  - {id: t.small, type: terminal, say: "Too small, {{ answers.name }}"}
  - {id: t.no, type: terminal}
edges:
  - {from: q.name, to: led}
  - {from: led, to: q.watts, guard: answers.led.size == 'large'}
  - {from: led, to: t.small, guard: answers.led.size == 'small'}
  - {from: q.watts, to: act}
  - {from: act, to: q.sure}
  - {from: q.sure, to: send, guard: answers.sure == true}
  - {from: q.sure, to: t.no, guard: else}
  - {from: send, to: q.more}
  - {from: q.more, to: again}
  - {from: again, to: t.done}
subgraphs:
  g:
    nodes:
      - {id: q.size, type: question, key: size, prompt: Size?, read: choice, schema: {enum: [small, large, none]}}
    edges: [{from: q.size, to: __exit__}]
"""
NODES = """
@action(reads=["answers.name"], writes=["log", "text"])
def act(state, ctx):
    with (Path(__file__).parent / "effects").open("a") as file:
        file.write(f"act {ctx.key}\\n")
    return {"log": [state["answers"]["name"]], "text": "y" * 5000}

@action()
def send(state, ctx):
    with (Path(__file__).parent / "effects").open("a") as file:
        file.write(f"send {ctx.key}\\n")
"""
RULES = (reads("100 W", ("watts", 100, "100 W")), reads("200 W", ("watts", 200, "200 W")))
ALREADY_DONE = (
    "'act' was already done before this changed: name. It is not done again on its own. "
    "Say 'leave it' to go on with it as it is, or 'again' to do it again."
)
TALK = ("Ann", "large", "200 W", "yes", "no more")


@pytest.fixture
def made(tmp_path: Path) -> Agent:
    return agent(tmp_path / "a", FLOW, NODES)


@pytest.fixture
def home(tmp_path: Path) -> Path:
    return tmp_path / "home"


@asynccontextmanager
async def talked(made: Agent, home: Path, *texts: str) -> AsyncIterator[Session]:
    async with open_session(made, home, *RULES) as session:
        for text in texts:
            turn = await session.send(text)
            assert turn.error is None
        yield session


async def stops(session: Session) -> list[int]:
    """The events after which the thread waited or had ended."""
    rows = await session.history()
    return [row.seq for row in rows if row.seq + 1 == len(rows) or rows[row.seq + 1].event["type"] == "turn_started"]


def everything_of(home: Path, thread: str) -> list[Any]:
    """All database rows of a thread."""
    with sqlite3.connect(home / "graphwright.db") as database:
        tables = [name for (name,) in database.execute("select name from sqlite_master where type = 'table'")]
        found: list[Any] = []
        for table in sorted(tables):
            columns = [row[1] for row in database.execute(f"pragma table_info({table})")]
            if "thread" in columns:
                found += [
                    (table, *row) for row in database.execute(f"select * from {table} where thread = ?", [thread])
                ]
    return found


def effects(made: Agent) -> list[str]:
    file = made.folder / "effects"
    return file.read_text().splitlines() if file.exists() else []


async def went_on(made: Agent, home: Path, branch: Branch, *texts: str) -> dict[str, Any]:
    """Continue in a branch; return its last turn."""
    async with open_session(made, home, *RULES, thread=branch.thread) as session:
        for text in texts:
            turn = await session.send(text)
    return turn.to_json()


async def test_a_branch_goes_on_from_each_stop_and_the_original_stays_as_it_is(made: Agent, home: Path) -> None:
    async with talked(made, home, *TALK) as session:
        before = everything_of(home, "t")
        original = await session.history()
        messages = await session._store.messages.read("t")
        for number, at in enumerate(await stops(session)):
            branch = await session.branch(at, thread=f"b{number}")
            assert (branch.source, branch.at, branch.thread) == ("t", at, f"b{number}")
            assert branch.status == ("ended" if number == len(TALK) - 1 else "waiting")
            async with open_session(made, home, *RULES, thread=branch.thread) as opened:
                rows = await opened.history()
                assert rows[: at + 1] == original[: at + 1]
                (added,) = (row.event for row in rows[at + 1 :])
                assert added.pop("born")
                assert added == {"type": "branched", "thread": "t", "at": at, "answers": []}
                said = await opened._store.messages.read(branch.thread)
                assert said == messages[: len(said)]
                assert [m.role for m in said].count("user") == number + 1
                await assert_folds(opened)
                for text in TALK[number + 1 :]:
                    turn = await opened.send(text)
                    assert turn.error is None
                    await assert_folds(opened)
                assert turn.status == "ended"
                assert turn.values["log"] == ["Ann", "Ann"]
                assert turn.values["text"] == "y" * 5000
        assert everything_of(home, "t") == before
    # Each branch has its keys.
    assert len(effects(made)) == len(set(effects(made))) == 3 + 3 + 3 + 2 + 1


async def test_between_two_stops_the_earlier_one_counts(made: Agent, home: Path) -> None:
    async with talked(made, home, *TALK) as session:
        at = await stops(session)
        assert (await session.branch(at[2])).at == at[2]
        assert (await session.branch(at[2] - 1)).at == at[1]
        assert (await session.branch(-2)).at == at[-2]
        assert (await session.branch(-1)).at == at[-1]
        with pytest.raises(UsageError, match=f"Up to event {at[0] - 1} the thread had not waited"):
            await session.branch(at[0] - 1)
        with pytest.raises(UsageError, match="the trace has the events 0 to"):
            await session.branch(10_000)


async def test_the_answer_that_is_waited_for_leads_another_way(made: Agent, home: Path) -> None:
    async with talked(made, home, *TALK) as session:
        at = await stops(session)
        branch = await session.branch(at[0], answers={"led.size": "small"})
        assert (branch.status, branch.waiting_for) == ("ended", None)
        async with open_session(made, home, *RULES, thread=branch.thread) as opened:
            events = await trace(opened)
            new = events[at[0] + 1 :]
            assert new[0].items() >= {"type": "branched", "thread": "t", "at": at[0], "answers": ["led.size"]}.items()
            assert of_type(new, "answer_committed")[0]["value"] == "small"
            assert of_type(new, "said")[-1]["text"] == "Too small, Ann"
            assert [e["node"] for e in of_type(new, "node_entered")] == ["t.small"]
            await assert_folds(opened)


async def test_answers_of_a_branch_are_in_its_history(made: Agent, home: Path) -> None:
    async with talked(made, home, *TALK) as session:
        at = await stops(session)
        before = await session._store.messages.read("t")
        reply = await session.branch(at[0], answers={"led.size": "small"})
        correction = await session.branch(at[2], answers={"name": "Bea" * 40})
        for branch, said, answered in (
            (reply, "small", "Too small, Ann"),
            (correction, f"name: {'Bea' * 40}", ALREADY_DONE),
        ):
            messages = await session._store.messages.read(branch.thread)
            assert messages[:-2] == before[: len(messages) - 2]
            assert [(m.role, m.text) for m in messages[-2:]] == [("user", said), ("assistant", answered)]


async def test_a_changed_answer_is_what_a_correction_would_be(made: Agent, home: Path) -> None:
    async with talked(made, home, *TALK) as session:
        at = await stops(session)
        # A decision that read the changed answer is taken again.
        assert (await session.branch(at[2], answers={"led.size": "small"})).status == "ended"
        branch = await session.branch(at[2], answers={"name": "Bea"})
        assert branch.waiting_for is not None
        # The change does not repeat what the action did with the old name.
        assert (branch.waiting_for.node, branch.waiting_for.prompt) == ("act", ALREADY_DONE)
        turn = await went_on(made, home, branch, "leave")
        assert turn["waiting_for"]["prompt"] == "Sure, Bea?"
        turn = await went_on(made, home, branch, "yes")
        assert turn["values"]["answers"]["name"] == "Bea"
        assert turn["waiting_for"]["node"] == "q.more"


async def test_a_yes_given_by_a_branch_confirms_nothing(made: Agent, home: Path) -> None:
    async with talked(made, home, *TALK[:3]) as session:
        branch = await session.branch(-1, answers={"sure": True})
        assert (branch.waiting_for.node, branch.waiting_for.kind) == ("send", "message")
        turn = await went_on(made, home, branch, "go on")
        assert turn["waiting_for"]["node"] == "q.sure"
        assert [line.split()[0] for line in effects(made)] == ["act"]


HELD = """
nodes:
  - {id: q.sure, type: question, key: sure, prompt: Sure?, read: confirm}
  - {id: q.when, type: question, key: when, prompt: When?, read: verbatim}
  - {id: send, type: action, run: send, confirm: {by: q.sure, over: [answers.sure]}}
  - {id: t, type: terminal}
edges:
  - {from: q.sure, to: q.when}
  - {from: q.when, to: send}
  - {from: send, to: t}
"""


async def test_a_yes_given_before_the_branch_is_asked_for_again(tmp_path: Path, home: Path) -> None:
    made = agent(tmp_path / "a", HELD, NODES)
    async with open_session(made, home) as session:
        await session.start()
        for text in ("yes", "today"):
            turn = await session.send(text)
        assert (turn.status, len(effects(made))) == ("ended", 1)
        branch = await session.branch((await stops(session))[1])
    turn = await went_on(made, home, branch, "today")
    assert (turn["waiting_for"]["node"], len(effects(made))) == ("q.sure", 1)
    assert (await went_on(made, home, branch, "yes"))["status"] == "ended"
    assert len(effects(made)) == 2


async def test_answers_are_checked_against_the_flow(made: Agent, home: Path) -> None:
    async with talked(made, home, "Ann") as session:
        before = everything_of(home, "t")
        for answers, code, words in (
            ({"led.sise": "small"}, "unknown_answer", "Did you mean `led.size`?"),
            ({"size": "small"}, "unknown_answer", "led.size"),
            ({"watts": 500}, "answer_refused", "at most 300"),
            ({"watts": 205}, "answer_refused", "not acceptable"),
            ({"watts": "many"}, "answer_refused", "whole number"),
            ({"name": {1, 2}}, "not_json", "not JSON"),
            ({"led.size": "none"}, "stuck_no_open_edge", ""),
        ):
            with pytest.raises(GraphwrightError) as caught:
                await session.branch(-1, answers=answers, thread="new")
            assert caught.value.code == code
            assert words in f"{caught.value.message} {caught.value.hint}"
        async with open_store(home) as store:
            assert (await store.threads.get("new"), await store.events.read("new")) == (None, [])
            assert [row.thread for row in await store.threads.page()] == ["t"]
        assert everything_of(home, "t") == before


async def test_thread_names_follow_the_rules(made: Agent, home: Path) -> None:
    async with talked(made, home, "Ann") as session:
        with pytest.raises(UsageError, match="a thread 't' already"):
            await session.branch(-1, thread="t")
        with pytest.raises(UsageError, match="The thread id '-x' is invalid"):
            await session.branch(-1, thread="-x")
        async with open_session(made, home, thread="nobody") as other:
            with pytest.raises(UsageError, match="no thread 'nobody'"):
                await other.branch(-1)


async def test_a_branch_of_an_earlier_version_begins_in_that_version_and_carries_over(
    tmp_path: Path, home: Path
) -> None:
    async with talked(agent(tmp_path / "a", FLOW, NODES), home, "Ann", "small") as session:
        at = await stops(session)
    changed = agent(tmp_path / "a", FLOW.replace("Name?", "Your name?"), NODES)
    async with open_session(changed, home, *RULES) as later:
        asked, renamed, ended = (
            await later.branch(at[0]),
            await later.branch(at[1], answers={"name": "Bea"}),
            await later.branch(at[1]),
        )
    assert (await went_on(changed, home, asked, "small"))["status"] == "ended"
    assert (await went_on(changed, home, renamed, "hello"))["reply"].startswith("Too small")
    assert (await went_on(changed, home, ended, "hello"))["reply"] == "Too small, Ann"


async def test_a_failed_action_is_tried_again_in_a_branch(tmp_path: Path, home: Path) -> None:
    failing = NODES.replace(
        "return {", "if not (Path(__file__).parent / 'open').exists(): raise RuntimeError\n    return {"
    )
    made = agent(tmp_path / "a", FLOW, failing)
    async with open_session(made, home, *RULES) as session:
        for text in ("Ann", "large", "200 W"):
            turn = await session.send(text)
        assert turn.status == "failed"
        branch = await session.branch(-1, answers={"name": "Bea"})
        assert (branch.status, branch.waiting_for.kind) == ("waiting", "message")
    (tmp_path / "a" / "open").touch()
    again = await went_on(made, home, branch, "again")
    assert again["values"]["log"] == ["Bea"]
    assert again["waiting_for"]["prompt"] == "Sure, Bea?"


async def test_large_values_live_on_in_a_branch_when_the_original_is_deleted(made: Agent, home: Path) -> None:
    async with talked(made, home, *TALK[:3]) as session:
        branch = await session.branch(-1)
        await session._store.threads.delete("t")
        turn = await went_on(made, home, branch, "no")
        assert turn["values"]["text"] == "y" * 5000
        await session._store.threads.delete(branch.thread)
    with sqlite3.connect(home / "graphwright.db") as database:
        assert database.execute("select count(*) from gw_blobs").fetchone() == (0,)


def test_a_text_is_read_as_the_question_takes_it(made: Agent) -> None:
    deep = "[" * 5000 + "]" * 5000
    read = {("name", "007"): "007", ("watts", "200"): 200, ("watts", deep): deep, ("sure", "true"): True}
    assert {given: value_in(made.flow, *given) for given in read} == read
