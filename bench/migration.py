"""The migration of waiting threads to a new version of their flow, and a message to a thread that carries over."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from bench.flows import agent, interview
from bench.measure import Result
from bench.scale import Scale
from bench.turns import STORE
from graphwright import Agent, Workspace
from graphwright.host.migrating import Migrator
from graphwright.store.rows import utc_now

_FLOW = """\
version: v1
id: flow.lamps
state:
  quote: {{type: [number, "null"]}}
nodes:
  - {{id: q.name, type: question, key: name, prompt: "{name}", read: verbatim}}
  - {{id: q.size, type: question, key: size, prompt: "{size}", schema: {{enum: [small, large]}}, read: choice}}
  - {{id: {last}, type: question, key: note, prompt: "Anything else?", read: verbatim}}
  - {{id: t.done, type: terminal, say: "Thank you."}}
edges:
  - {{from: q.name, to: q.size}}
  - {{from: q.size, to: {last}}}
  - {{from: {last}, to: t.done}}
"""
_BEFORE = {"name": "Your name?", "size": "Which size?", "last": "q.note"}
_AFTER = {"name": "What is your name?", "size": "Which of the sizes?", "last": "q.note"}
_TOGETHER = 50


async def migrated(work: Path, scale: Scale, notify: Callable[[str], None]) -> dict[str, Result]:
    """All measurements. A third of the threads have their question gone, and go back to an earlier one."""
    results: dict[str, Result] = {}
    stores = {"sqlite": "SQLite"} | ({"postgres": "Postgres"} if os.environ.get(STORE) else {})
    for key, name in stores.items():
        notify(f"migration of {scale.threads:,} threads, {name}")
        with _in_store(os.environ.get(STORE, "") if key == "postgres" else ""):
            results[f"migration/{key}"] = await _all(work / key, scale.threads, name)
    notify("messages to threads that carry over")
    return results | await _messages(work / "messages", scale)


@contextmanager
def _in_store(address: str) -> Iterator[None]:
    before = os.environ.get("GRAPHWRIGHT_STORE")
    if address:
        os.environ["GRAPHWRIGHT_STORE"] = address
    try:
        yield
    finally:
        os.environ.pop("GRAPHWRIGHT_STORE", None)
        if before is not None:
            os.environ["GRAPHWRIGHT_STORE"] = before


async def _all(work: Path, threads: int, name: str) -> Result:
    result = Result(f"{threads:,} waiting threads migrated, {name}")
    made = agent(work / "agent", _FLOW.format(**_BEFORE))
    async with Workspace(work / "home", model="none") as workspace:
        await _begin(workspace, made, threads)
        changed = agent(work / "changed", _FLOW.format(**_AFTER | {"last": "q.remark"}))
        migrator = Migrator(workspace.store, changed, "bench", utc_now())
        with result.timed():
            rows = await migrator.threads()
            found = [each async for each in migrator.run(rows, dry=False)]
        assert len(found) == threads
        assert all(each.moves for each in found)
    return result


async def _begin(workspace: Workspace, made: Agent, threads: int) -> None:
    async def begin(number: int) -> None:
        async with workspace.session(made, f"t{number}") as session:
            for text in ("Ann", "small")[: 1 + (number % 3 == 0)]:
                await session.send(text)

    for start in range(0, threads, _TOGETHER):
        await asyncio.gather(*(begin(number) for number in range(start, min(start + _TOGETHER, threads))))


_EDITS = {
    "text": ("a text", "key: kind_0, prompt: Kind", "key: kind_0, prompt: Which kind"),
    "schema": ("the schema of a given answer", "{type: number, minimum: 0}", "{type: number, minimum: -1}"),
    "guard": ("a guard behind its position", "answers.size_0 > 3.5", "answers.size_0 > 3.25"),
}
"""For each edit of the flow: what it changes, and the text that it replaces first, with the new one."""
_ANSWERS = ("a", "4", "word", "a", "4", "a", "4", "word", "a")


async def _messages(work: Path, scale: Scale) -> dict[str, Result]:
    """The turn with one question and one action after nine answers: in the present version, and after each edit."""
    key = "migration/message"
    results = {key: Result("a message to a thread in the present version, after nine answers")}
    flow = interview(5).replace(" && budget >= 1000", "")
    made = agent(work / "agent", flow)
    agents = {key: made}
    for name, (changed, before, after) in _EDITS.items():
        results[f"migration/{name}"] = Result(f"the same, to a thread that carries over: {changed} changed")
        agents[f"migration/{name}"] = agent(work / name, flow.replace(before, after, 1))
    assert len({each.flow.hash for each in agents.values()}) == len(agents)
    count, keys = scale.rounds * scale.samples + 1, list(agents)
    async with Workspace(work / "home", model="none") as workspace:
        for number in range(count):
            for key in keys:
                async with workspace.session(made, f"{key}{number}") as session:
                    for text in _ANSWERS:
                        await session.send(text)
        for number in range(count):
            # Another one begins each time, so that none always follows the same neighbour.
            for key in (*keys[number % len(keys) :], *keys[: number % len(keys)]):
                async with workspace.session(agents[key], f"{key}{number}") as session:
                    # The first turns compare the versions.
                    with (results[key] if number else Result("")).timed():
                        await session.send("4")
    return results
