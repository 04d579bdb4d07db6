"""Decisions behind the position of a thread that an edit of its flow changed: the new version decides them again."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import pytest

from graphwright import Agent
from graphwright.host.migrating import Migrator
from graphwright.store import open_store
from graphwright.store.rows import utc_now
from host_support import FoldedSession, agent
from random_flows import Plan, finished
from step_support import conversation

DOGS = """
state: {price: {type: integer, default: 0}}
nodes:
  - {id: q.hours, type: question, key: hours, schema: {type: integer}, prompt: "Hours?"}
  - {id: q.dog, type: question, key: dog, read: verbatim, prompt: "Dog?"}
  - {id: rate, type: action, run: rate}
  - {id: q.sure, type: question, key: sure, read: confirm, ask: always, prompt: "Reserve for {{ price }}?"}
  - {id: reserve, type: action, run: reserve, confirm: {by: q.sure, over: [answers.dog]}}
  - {id: q.visit, type: question, key: visit, read: verbatim, prompt: "Visit?"}
  - {id: q.note, type: question, key: note, required: false, read: verbatim, prompt: "Note?"}
  - {id: done, type: terminal, say: "Reserved."}
  - {id: left, type: terminal, say: "Nothing."}
edges:
  - {from: q.hours, to: q.dog}
  - {from: q.dog, to: rate}
  - {from: rate, to: q.sure}
  - {from: q.sure, to: reserve, guard: answers.sure == true}
  - {from: q.sure, to: left, guard: else}
  - {from: reserve, to: q.visit}
  - {from: q.visit, to: q.note}
  - {from: q.note, to: done}
"""
CODE = """
def did(what):
    with (Path(__file__).parent / "did").open("a") as file:
        file.write(what + " ")

@action(reads=["answers.dog"], writes=["price"], effects=False)
def rate(state, ctx):
    return {"price": 10}

@action(reads=["answers.hours"], writes=["price"], effects=False)
def look(state, ctx):
    return {"price": 10}

@action(reads=["answers.dog"], writes=["price"], effects=False)
def rate_more(state, ctx):
    return {"price": 20}

@action(reads=["answers.dog"])
def reserve(state, ctx):
    did("reserve")
"""
LONG = '  - {id: long, type: terminal, say: "Too long."}\n  - {id: left,'
GUARDED = {
    "  - {id: left,": LONG,
    "{from: q.dog, to: rate}": "{from: q.dog, to: rate, guard: answers.hours <= 16}\n"
    "  - {from: q.dog, to: long, guard: else}",
}
DECISION = {
    "  - {id: left,": "  - {id: d.hours, type: decision}\n" + LONG,
    "{from: q.dog, to: rate}": "{from: q.dog, to: d.hours}\n"
    "  - {from: d.hours, to: rate, guard: answers.hours <= 16}\n  - {from: d.hours, to: long, guard: else}",
}
OTHER_ACTION = {
    "  - {id: left,": "  - {id: more, type: action, run: rate_more}\n  - {id: left,",
    "{from: q.dog, to: rate}": "{from: q.dog, to: rate, guard: answers.hours <= 16}\n"
    "  - {from: q.dog, to: more, guard: else}\n  - {from: more, to: q.sure}",
}
QUESTION = 'type: question, key: age, schema: {type: integer}, prompt: "Age?"'
AGE = {
    "  - {id: q.dog,": f"  - {{id: q.age, {QUESTION}}}\n  - {{id: q.dog,",
    "  - {id: left,": LONG,
    "{from: q.hours, to: q.dog}": "{from: q.hours, to: q.age}\n"
    "  - {from: q.age, to: q.dog, guard: answers.age > 17}\n  - {from: q.age, to: long, guard: else}",
}


def edited(text: str, edits: dict[str, str]) -> str:
    for before, after in edits.items():
        assert before in text
        text = text.replace(before, after, 1)
    return text


def talk(made: Agent, home: Path) -> FoldedSession:
    return FoldedSession(made, "t", model="none", home=home)


async def begun(folder: Path, *said: str) -> None:
    async with talk(agent(folder / "a", DOGS, CODE), folder / "home") as session:
        for text in ("hi", *said):
            await session.send(text)


async def in_version(folder: Path, edits: dict[str, str], *, by_operator: bool = False) -> Agent:
    """The agent with the edited flow, after an operator migrated its threads to it."""
    made = agent(folder / "a", edited(DOGS, edits), CODE)
    if by_operator:
        await migrated(folder / "home", made)
    return made


async def migrated(home: Path, made: Agent) -> None:
    async with open_store(home) as store:
        migrator = Migrator(store, made, "operator", utc_now())
        found = [each async for each in migrator.run(await migrator.threads(), dry=False)]
        assert [each.outcome for each in found] in (["carry"], ["move"])


def done(folder: Path) -> str:
    path = folder / "a" / "did"
    return path.read_text() if path.exists() else ""


@pytest.mark.parametrize("by_operator", [False, True], ids=["message", "operator"])
@pytest.mark.parametrize(
    ("edits", "end"),
    [(GUARDED, "Too long."), (DECISION, "Too long."), (OTHER_ACTION, "Reserve for 20?")],
    ids=["guard", "decision", "action"],
)
async def test_a_changed_decision_behind_a_confirmation_is_taken_again(
    tmp_path: Path, edits: dict[str, str], end: str, by_operator: bool
) -> None:
    await begun(tmp_path, "17", "Rex")
    async with talk(await in_version(tmp_path, edits, by_operator=by_operator), tmp_path / "home") as session:
        if (await session.state())["status"] != "ended":
            await session.send("yes")
        shown = [e.event for e in await session.history() if e.event["type"] in ("said", "prompted")]
    assert (shown[-1]["text"], done(tmp_path)) == (end, "")


async def test_a_decision_is_taken_again_after_the_answer_to_the_question_at_the_position(tmp_path: Path) -> None:
    await begun(tmp_path, "17")
    async with talk(await in_version(tmp_path, AGE), tmp_path / "home") as session:
        # The question that the new decision reads is asked before something else reads its answer.
        assert [(await session.send(text)).reply for text in ("Rex", "12")] == ["Age?", "Too long."]


async def test_a_decision_that_was_added_is_taken_again_after_a_correction(tmp_path: Path) -> None:
    await begun(tmp_path, "5", "Rex")
    async with talk(await in_version(tmp_path, GUARDED), tmp_path / "home") as session:
        assert (await session.send("hours: 17")).reply == "Noted: hours: 17.\n\nToo long."


@pytest.mark.parametrize("edits", [GUARDED, DECISION, OTHER_ACTION], ids=["guard", "decision", "action"])
async def test_a_yes_counts_where_the_changed_decision_leads_the_same_way(
    tmp_path: Path, edits: dict[str, str]
) -> None:
    await begun(tmp_path, "5", "Rex")
    async with talk(await in_version(tmp_path, edits), tmp_path / "home") as session:
        assert (await session.send("yes")).reply == "Visit?"
    assert done(tmp_path) == "reserve "


async def test_a_yes_counts_after_the_nodes_behind_the_position_changed_their_order(tmp_path: Path) -> None:
    before = edited(
        DOGS,
        {
            "run: rate}": "run: look}",
            "  - {id: left,": "  - {id: d.hours, type: decision}\n" + LONG,
            "{from: q.hours, to: q.dog}": "{from: q.hours, to: rate}",
            "{from: q.dog, to: rate}": "{from: q.dog, to: d.hours}",
            "{from: rate, to: q.sure}": "{from: rate, to: q.dog}\n"
            "  - {from: d.hours, to: q.sure, guard: answers.hours <= 16}\n  - {from: d.hours, to: long, guard: else}",
        },
    )
    after = edited(
        before,
        {
            "{from: q.hours, to: rate}": "{from: q.hours, to: d.hours}",
            "{from: q.dog, to: d.hours}": "{from: q.dog, to: q.sure}",
            "{from: d.hours, to: q.sure,": "{from: d.hours, to: rate,",
        },
    )
    async with talk(agent(tmp_path / "a", before, CODE), tmp_path / "home") as session:
        assert [(await session.send(text)).status for text in ("hi", "5", "Rex")] == ["waiting"] * 3
    async with talk(agent(tmp_path / "a", after, CODE), tmp_path / "home") as session:
        assert (await session.send("yes")).reply == "Visit?"
    assert done(tmp_path) == "reserve "


async def test_an_effect_behind_a_changed_decision_is_not_repeated(tmp_path: Path) -> None:
    await begun(tmp_path, "17", "Rex", "yes")
    async with talk(await in_version(tmp_path, OTHER_ACTION), tmp_path / "home") as session:
        told = (await session.send("Monday")).reply
        assert (told.startswith("'reserve' was already done"), told.endswith("Reserve for 20?")) == (True, True)
        assert (await session.send("no")).reply.endswith("Note?")
    assert done(tmp_path) == "reserve "


@pytest.mark.parametrize("by_operator", [False, True], ids=["message", "operator"])
@pytest.mark.parametrize("ask", [", ask: always", ""], ids=["always", "once"])
async def test_an_action_that_was_added_behind_a_yes_is_done_after_the_pending_answer(
    tmp_path: Path, ask: str, by_operator: bool
) -> None:
    code = CODE + '\n@action(reads=["answers.dog"])\ndef inspect(state, ctx):\n    did("inspect")\n'
    before = edited(DOGS, {", ask: always": ask})
    added = {
        "  - {id: left,": "  - {id: inspect, type: action, run: inspect}\n  - {id: left,",
        "{from: q.sure, to: reserve, guard: answers.sure == true}": "{from: q.sure, to: inspect, "
        "guard: answers.sure == true}\n  - {from: inspect, to: reserve}",
    }
    async with talk(agent(tmp_path / "a", before, code), tmp_path / "home") as session:
        for text in ("hi", "5", "Rex", "yes"):
            await session.send(text)
    made = agent(tmp_path / "a", edited(before, added), code)
    if by_operator:
        await migrated(tmp_path / "home", made)
    async with talk(made, tmp_path / "home") as session:
        assert (await session.send("Monday")).reply.endswith("Note?")
    assert done(tmp_path) == "reserve inspect "


def compare(folder: Path, seed: int) -> None:
    chance = random.Random(seed)
    plan = Plan(chance)
    session = conversation(plan.build(folder / "a"))
    turn, steps, by_operator = session.start(), chance.randint(0, 7), chance.random() < 0.5
    while turn.waiting_for is not None and steps and turn.waiting_for.kind != "confirm":
        turn, steps = session.resume(chance.randint(0, 2)), steps - 1
    plan.edit()
    edited = plan.build(folder / "b")
    assert session.carry_over(edited, by_operator=by_operator).outcome in ("carry", "move")
    waits: Any = session.state.waiting
    while waits is not None:
        turn = session.resume(chance.randint(0, 2)) if waits.key not in ("sure", "") else session.send("yes")
        assert turn.error is None, (seed, turn.error)
        waits = turn.waiting_for
    end, answers = finished(conversation(edited), turn.values["answers"].get)
    assert turn.path[-1] == end, seed
    assert answers.items() <= turn.values["answers"].items(), seed


def test_an_edit_of_guards_ends_as_if_the_answers_had_been_given_to_the_edited_flow(tmp_path: Path) -> None:
    for seed in range(12):
        compare(tmp_path / str(seed), seed)


@pytest.mark.slow
def test_an_edit_of_guards_ends_as_if_the_answers_had_been_given_to_the_edited_flow_at_length(tmp_path: Path) -> None:
    for seed in range(100, 300):
        compare(tmp_path / str(seed), seed)
