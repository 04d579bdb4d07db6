"""The store of an action in a trial of a draft: it reads the records of users and keeps its own apart."""

from __future__ import annotations

from pathlib import Path

import pytest

from graphwright.host.agent import trying
from host_support import agent, open_session, trace

pytestmark = pytest.mark.anyio

FLOW = """
state: {seen: {type: array, default: []}}
nodes:
  - {id: q, type: question, key: name, prompt: Name?, read: verbatim, ask: always}
  - {id: keep, type: action, run: keep}
  - {id: done, type: terminal, say: Done.}
edges:
  - {from: q, to: keep}
  - {from: keep, to: done}
"""
NODES = """
@action(reads=["answers.name"], writes=["seen"])
async def keep(state, ctx):
    name = state["answers"]["name"]
    kept = await ctx.store.put_once("names", name, key=name)
    pages = [[each.value for each in await ctx.store.list("names", limit=2, offset=at)] for at in (0, 1, 2)]
    return {"seen": [*kept, await ctx.store.get("names", name), *pages]}
"""


async def test_a_trial_reads_the_records_of_users_and_keeps_its_own_apart(tmp_path: Path) -> None:
    made = agent(tmp_path / "a", FLOW, NODES)

    async def seen(trial: bool, *names: str) -> tuple[list[object], list[object]]:
        tried = trying(made, "a", made.flow) if trial else made
        async with open_session(tried, tmp_path / "home", thread=f"{trial}") as session:
            for name in names:
                await session.send(name)
            finished = [each for each in await trace(session) if each["type"] == "action_finished"]
            return (await session.state())["values"]["seen"], finished[-1].get("recorded")

    assert await seen(False, "Ann", "Ben") == (["Ben", True, "Ben", ["Ann", "Ben"], ["Ben"], []], ["names"])
    # A record of a user is there for a trial, too.
    assert await seen(True, "Ann") == (["Ann", False, "Ann", ["Ann", "Ben"], ["Ben"], []], None)
    own = (["Cy", True, "Cy", ["Ann", "Ben"], ["Ben", "Cy"], ["Cy"]], ["draft:a:names"])
    assert await seen(True, "Cy") == own
    assert await seen(False, "Dan") == (["Dan", True, "Dan", ["Ann", "Ben"], ["Ben", "Dan"], ["Dan"]], ["names"])
