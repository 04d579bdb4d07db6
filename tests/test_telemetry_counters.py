"""Counters: a pure fold over the events of threads."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from runtime_support import agent, open_session, reads, trace

from graphwright.runtime.telemetry.counters import FlowCount, counted

FLOW = """
restart: keep
on_escalate: t.person
state: {n: {type: integer, default: 0}}
nodes:
  - {id: q.age, type: question, key: age, prompt: Age?, schema: {type: integer}}
  - {id: q.name, type: question, key: name, prompt: Name?, read: verbatim, when: "answers.age > 10"}
  - {id: d, type: decision}
  - {id: act, type: action, run: act, retry: {attempts: 2}}
  - {id: broken, type: action, run: broken}
  - {id: t, type: terminal}
  - {id: t.person, type: terminal}
edges:
  - {from: q.age, to: q.name}
  - {from: q.name, to: d}
  - {from: d, to: t, guard: answers.name == 'nobody'}
  - {from: d, to: broken, guard: 10 / n == 7}
  - {from: d, to: act, guard: answers.age > 1}
  - {from: d, to: act, guard: answers.age > 2, id: second}
  - {from: d, to: t, guard: else}
  - {from: act, to: t}
  - {from: broken, to: t}
"""
NODES = """
from graphwright import tool

@tool(nodes=["act"], parameters={"type": "object", "properties": {"x": {"type": "integer"}}})
def look(x):
    return x

@action(writes=["n"])
async def act(state, ctx):
    await ctx.tools.call("look", {"x": ctx.attempt})
    await ctx.tools.call("look", {"x": "one"})
    if ctx.attempt == 1:
        raise RuntimeError("first")
    return {"n": 1}

@action()
def broken(state, ctx):
    raise RuntimeError("always")
"""
RULES = (
    reads("I am 7", ("age", 7, "7")),
    reads("I am 30", ("age", 30, "30")),
    {"says": "person", "call": {"EscalateToHuman": {"reason": "wants a person"}}},
    {"says": "down", "fail": "timeout"},
)


async def events_of(tmp_path: Path, thread: str, *texts: str) -> list[dict[str, Any]]:
    made = agent(tmp_path / "a", FLOW, NODES)
    async with open_session(made, tmp_path / "home", *RULES, thread=thread) as session:
        for text in texts:
            await session.send(text)
        return await trace(session)


async def test_everything_that_happened_is_counted_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("graphwright.models.calls.RETRIES", 0)
    counts: dict[str, FlowCount] = {}
    counted(await events_of(tmp_path, "t1", "I am 7"), counts)
    counted(await events_of(tmp_path, "t2", "I am 30", "Ann", "person"), counts)
    counted(await events_of(tmp_path, "t3", "down", "person please"), counts)
    (flow,) = counts.values()
    assert flow.flow == "flow.demo"
    assert (flow.conversations, flow.turns, flow.failed, flow.escalated) == (4, 6, 1, 1)
    assert (flow.model_calls, flow.model_failures) == (4, 1)
    assert (flow.tool_calls, flow.tool_failures) == (12, 6)
    age, name, act = flow.nodes["q.age"], flow.nodes["q.name"], flow.nodes["act"]
    assert (age.kind, age.entered, age.passed) == ("question", 4, 1)
    assert (name.entered, name.passed, name.waited) == (3, 2, 1)
    assert (act.kind, act.entered, act.performed, act.failed) == ("action", 3, 3, 0)
    assert flow.nodes["t.person"].entered == 1
    taken = {each: (edge.taken, edge.ambiguous) for each, edge in flow.edges.items() if edge.source == "d"}
    assert taken == {"d->act": (3, 3)}
    when = flow.guards["q.name.when"]
    assert (when.opened, when.closed, when.missing, when.failed) == (2, 1, 0, 0)
    nobody = flow.guards["d->t"]
    assert (nobody.opened, nobody.closed, nobody.missing) == (0, 2, 1)
    assert (flow.guards["second"].opened, flow.guards["second"].guard) == (3, "answers.age > 2")
    divided = flow.guards["d->broken"]
    assert (divided.opened, divided.closed, divided.failed) == (0, 1, 2)
    assert flow.to_json()["edges"]["d->act"] == {"source": "d", "target": "act", "taken": 3, "ambiguous": 3}


async def test_what_a_branch_took_over_is_not_counted_again(tmp_path: Path) -> None:
    made = agent(tmp_path / "a", FLOW, NODES)
    async with open_session(made, tmp_path / "home", *RULES) as session:
        await session.send("I am 30")
        branch = await session.branch(-1)
    async with open_session(made, tmp_path / "home", *RULES, thread=branch.thread) as session:
        assert counted(await trace(session))["flow.demo"].turns == 0
        await session.send("Ann")
        (flow,) = counted(await trace(session)).values()
    assert (flow.conversations, flow.turns, flow.model_calls) == (0, 1, 0)
    assert flow.nodes["act"].entered == 1
    assert "q.age" not in flow.nodes


def test_nothing_adds_up_to_nothing() -> None:
    assert counted([]) == {}
    assert counted([{"type": "from_the_future"}]) == {}
