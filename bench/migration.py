"""The migration of waiting threads to a new version of their flow, and a message to a thread that carries over."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from bench.flows import agent, one_action
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


async def _messages(work: Path, scale: Scale) -> dict[str, Result]:
    """The turn with one question and one action: in the present version, and on a thread that carries over."""
    results = {
        "migration/message": Result("a message to a thread in the present version"),
        "migration/carried": Result("the same, to a thread that carries over"),
    }
    made = agent(work / "agent", one_action())
    changed = agent(work / "changed", one_action().replace("Which colour", "What colour"))
    assert made.flow.hash != changed.flow.hash
    count = scale.rounds * scale.samples + 1
    async with Workspace(work / "home", model="none") as workspace:
        for number in range(count):
            for begun, thread in ((made, f"carried{number}"), (changed, f"message{number}")):
                async with workspace.session(begun, thread) as session:
                    await session.start()
        for number in range(count):
            for key in ("message", "carried") if number % 2 else ("carried", "message"):
                async with workspace.session(changed, f"{key}{number}") as session:
                    with (results[f"migration/{key}"] if number else Result("")).timed():
                        await session.send("red")
    return results
