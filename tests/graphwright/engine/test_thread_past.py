"""The past of a thread whose node is gone: it goes on from an earlier question, over what was done since."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from graphwright.host.migrating import Migration, Migrator
from graphwright.store import open_store
from graphwright.store.rows import utc_now
from host_support import agent, open_session

SLOTS = """
state:
  slots: {type: array, items: {type: string}, default: []}
  seen: {type: array, items: {type: string}, default: [], reduce: append}
nodes:
  - {id: q.vaccine, type: question, key: vaccine, ask: ALWAYS, read: choice, prompt: "Which?",
     schema: {enum: [flu, rabies]}}
  - {id: note, type: action, run: note}
  - {id: find, type: action, run: find}
  - {id: q.slot, type: question, key: slot, options: slots, prompt: "When?"}
  - {id: done, type: terminal, say: "{{ answers.slot }}, {{ size(seen) }} noted."}
edges:
  - {from: q.vaccine, to: note}
  - {from: note, to: find}
  - {from: find, to: q.slot}
  - {from: q.slot, to: done}
"""
FINDS = """
@action(reads=["answers.vaccine"], writes=["seen"], effects=False)
def note(state, ctx):
    return {"seen": [state["answers"]["vaccine"]]}

@action(reads=["answers.vaccine"], writes=["slots"], effects=False)
def find(state, ctx):
    return {"slots": ["8:00", "9:00"]}
"""
TIME = {"q.slot": "q.time", "key: slot": "key: time", "answers.slot": "answers.time"}


def edited(text: str, edits: dict[str, str]) -> str:
    for before, after in edits.items():
        assert before in text
        text = text.replace(before, after)
    return text


async def migrated(home: Path, made: Any, *, dry: bool = False) -> Migration:
    async with open_store(home) as store:
        migrator = Migrator(store, made, "operator", utc_now())
        (found,) = [each async for each in migrator.run(await migrator.threads(), dry=dry)]
        return found


@pytest.mark.parametrize("ask", ["once", "always"])
@pytest.mark.parametrize(
    ("code", "goes_to"),
    [
        ({}, "q.time"),
        ({'reads=["answers.vaccine"], writes=["slots"]': 'reads=[], writes=["slots"]'}, "find"),
        ({'writes=["slots"]': 'writes=["slots", "seen"]'}, "find"),
    ],
    ids=["the same", "other reads", "other writes"],
)
async def test_an_action_without_effects_that_was_done_is_passed_over_unless_it_does_something_else(
    tmp_path: Path, ask: str, code: dict[str, str], goes_to: str
) -> None:
    flow, home = SLOTS.replace("ALWAYS", ask), tmp_path / "home"
    async with open_session(agent(tmp_path / "a", flow, FINDS), home) as session:
        for text in ("hi", "flu"):
            await session.send(text)
    made = agent(tmp_path / "b", edited(flow, TIME), edited(FINDS, code))
    assert (await migrated(home, made)).goes_to == goes_to
    async with open_session(made, home) as session:
        await session.send("go on")
        assert (await session.send("2")).reply == "9:00, 1 noted."
