"""Corrections and the decisions on the way: each that reads a changed answer is taken again before the flow goes on."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import pytest

from host_support import agent, reads
from random_flows import Plan, finished
from step_support import conversation

ACCESS = """
state: {code_ok: {type: boolean, default: false, scope: conversation}}
nodes:
  - {id: q.system, type: question, key: system, prompt: "Which system?", schema: {enum: [wiki, crm, payroll]}}
  - {id: q.role, type: question, key: role, prompt: "Which role?", schema: {enum: [reader, editor, admin]}}
  - {id: q.days, type: question, key: days, when: answers.role == 'admin', prompt: "Days?", schema: {type: integer}}
  - {id: route, type: decision}
  - {id: q.code, type: question, key: code, ask: always, read: verbatim, prompt: "What is the code?"}
  - {id: verify, type: action, run: verify}
  - {id: q.sure, type: question, key: sure, read: confirm, ask: always, prompt: "Grant {{ answers.system }}?"}
  - {id: grant, type: action, run: grant, confirm: {by: q.sure, over: [answers.system, answers.role]}}
  - {id: granted, type: terminal, say: Done.}
  - {id: left, type: terminal, say: Nothing was granted.}
edges:
  - {from: q.system, to: q.role}
  - {from: q.role, to: q.days}
  - {from: q.days, to: route}
  - {from: route, to: q.code, guard: "answers.system == 'payroll' && !code_ok"}
  - {from: route, to: q.sure, guard: else}
  - {from: q.code, to: verify}
  - {from: verify, to: q.sure, guard: code_ok}
  - {from: verify, to: q.code, guard: else}
  - {from: q.sure, to: grant, guard: answers.sure == true}
  - {from: q.sure, to: left, guard: answers.sure == false}
  - {from: q.sure, to: route, guard: else}
  - {from: grant, to: granted}
"""
ACCESS_ACTIONS = """
@action(reads=["answers.code"], writes=["code_ok"], effects=False)
def verify(state, ctx):
    return {"code_ok": state["answers"]["code"] == "ABC"}

@action(reads=["answers.system", "answers.role"])
def grant(state, ctx):
    with (Path(__file__).parent / "granted").open("a") as file:
        file.write(state["answers"]["system"] + " ")
"""


async def test_a_correction_at_the_question_of_another_takes_the_decisions_again(tmp_path: Path) -> None:
    built = agent(tmp_path / "a", ACCESS, ACCESS_ACTIONS)
    async with built.session("t", model="none", home=tmp_path / "home") as session:
        said = {"hi": "q.system", "crm": "q.role", "editor": "q.sure", "role: admin": "q.days"}
        # The decision leads to the code now. The question of the first correction is asked before it is read.
        said |= {"system: payroll": "q.code", "XYZ": "q.code", "ABC": "q.days", "7": "q.sure"}
        for text, asked in said.items():
            turn = await session.send(text)
            assert turn.path[-1] == asked, text
        assert (await session.send("yes")).reply == "Done."
    assert (tmp_path / "a" / "granted").read_text() == "payroll "


def compare(folder: Path, seed: int) -> None:
    chance = random.Random(seed)
    built = Plan(chance).build(folder)
    keys = [question.key for question in built.flow.questions if question.key != "sure"]
    said = {(key, value): f"change {key} to {value}." for key in keys for value in range(3)}
    session = conversation(built, *(reads(t, (k, v, t), correction=True) for (k, v), t in said.items()))
    turn, left = session.start(), 6
    while turn.waiting_for is not None:
        given = turn.values["answers"]
        if left and given.keys() - {"sure"} and chance.random() < 0.6:
            key = chance.choice(sorted(given.keys() - {"sure"}))
            turn = session.send(said[key, (given[key] + chance.randint(1, 2)) % 3])
            left -= 1
        elif turn.waiting_for.kind == "confirm":
            turn = session.send("yes")
        else:
            turn = session.resume(chance.randint(0, 2))
        assert turn.error is None, turn.error
    end, answers = finished(conversation(built), turn.values["answers"].get)
    assert turn.path[-1] == end, seed
    assert answers.items() <= turn.values["answers"].items(), seed


def test_corrections_end_as_if_the_last_answers_had_been_given_at_once(tmp_path: Path) -> None:
    for seed in range(12):
        compare(tmp_path / str(seed), seed)


@pytest.mark.slow
def test_corrections_end_as_if_the_last_answers_had_been_given_at_once_at_length(tmp_path: Path) -> None:
    for seed in range(100, 1000):
        compare(tmp_path / str(seed), seed)


def changes(**values: Any) -> list[dict[str, Any]]:
    """Rules that read "change KEY" as a correction to the value."""
    return [reads(f"change {key}", (key, value, f"change {key}"), correction=True) for key, value in values.items()]


EDITED = """
nodes:
  - {id: q.kind, type: question, key: kind, prompt: "Kind?", schema: {enum: [a, b]}}
  - {id: kinds, type: decision}
  - {id: q.size, type: question, key: size, prompt: "Size?", schema: {type: integer}}
  - {id: sizes, type: decision}
  - {id: q.big, type: question, key: big, prompt: "Big?", schema: {type: integer}}
  - {id: q.b, type: question, key: b, prompt: "B?", schema: {type: integer}}
  - {id: q.sure, type: question, key: sure, read: confirm, ask: always, prompt: "Sure?"}
  - {id: done, type: terminal}
edges:
  - {from: q.kind, to: kinds}
  - {from: kinds, to: q.size, guard: answers.kind == 'a'}
  - {from: kinds, to: q.b, guard: else}
  - {from: q.size, to: sizes}
  - {from: sizes, to: q.big, guard: answers.size > 5}
  - {from: sizes, to: q.sure, guard: else}
  - {from: q.big, to: q.sure}
  - {from: q.b, to: q.sure}
  - {from: q.sure, to: done, guard: answers.sure == true}
  - {from: q.sure, to: kinds, guard: else}
"""


def test_a_correction_does_not_lead_back_into_a_branch_that_another_correction_left(tmp_path: Path) -> None:
    session = conversation(agent(tmp_path / "a", EDITED), *changes(kind="b", size=9))
    session.start()
    for value in ("a", 1):
        session.resume(value)
    assert session.send("change kind").path[-1] == "q.b"
    session.resume(3)
    assert session.send("change size").path[-1] == "q.sure"


ROUNDS = """
state: {log: {type: array, default: [], reduce: append, scope: conversation}}
nodes:
  - {id: q.kind, type: question, key: kind, prompt: "Kind?", schema: {enum: [a, b]}}
  - {id: q.item, type: question, key: item, ask: always, prompt: "Item?", schema: {type: integer}}
  - {id: kinds, type: decision}
  - {id: note.a, type: action, run: note_a}
  - {id: note.b, type: action, run: note_b}
  - {id: q.more, type: question, key: more, ask: always, prompt: "More?", schema: {type: boolean}}
  - {id: done, type: terminal}
edges:
  - {from: q.kind, to: q.item}
  - {from: q.item, to: kinds}
  - {from: kinds, to: note.a, guard: answers.kind == 'a'}
  - {from: kinds, to: note.b, guard: else}
  - {from: note.a, to: q.more}
  - {from: note.b, to: q.more}
  - {from: q.more, to: q.item, guard: answers.more}
  - {from: q.more, to: done, guard: else}
"""
NOTES = """
@action(reads=["answers.item"], writes=["log"], effects=False)
def note_a(state, ctx):
    return {"log": [f"a{state['answers']['item']}"]}

@action(reads=["answers.item"], writes=["log"], effects=False)
def note_b(state, ctx):
    return {"log": [f"b{state['answers']['item']}"]}
"""


def test_a_correction_in_a_round_does_not_repeat_the_rounds_before(tmp_path: Path) -> None:
    session = conversation(agent(tmp_path / "a", ROUNDS, NOTES), *changes(kind="b"))
    session.start()
    for value in ("a", 1, True):
        session.resume(value)
    # The decision of the first round lies ahead in this one: nothing is passed over.
    assert session.send("change kind").path == ()
    assert session.resume(2).values["log"] == ["a1", "b2"]


OPTIONAL = """
nodes:
  - {id: q.mail, type: question, key: mail, required: false, prompt: "Mail?", schema: {type: string}}
  - {id: reach, type: decision}
  - {id: q.when, type: question, key: hour, prompt: "When?", schema: {type: integer}}
  - {id: q.phone, type: question, key: phone, prompt: "Phone?", schema: {type: integer}}
  - {id: done, type: terminal}
edges:
  - {from: q.mail, to: reach}
  - {from: reach, to: q.when, guard: has(answers.mail)}
  - {from: reach, to: q.phone, guard: else}
  - {from: q.when, to: done}
  - {from: q.phone, to: done}
"""


def test_an_answer_after_all_takes_the_decision_again_that_its_absence_decided(tmp_path: Path) -> None:
    session = conversation(agent(tmp_path / "a", OPTIONAL), *changes(mail="a@example.org"))
    session.start()
    assert session.resume(None).path[-1] == "q.phone"
    assert session.send("change mail").path[-1] == "q.when"


SENT = """
nodes:
  - {id: q.kind, type: question, key: kind, prompt: "Kind?", schema: {enum: [a, b]}}
  - {id: kinds, type: decision}
  - {id: q.size, type: question, key: size, prompt: "Size?", schema: {type: integer}}
  - {id: q.to, type: question, key: to, prompt: "To?", schema: {type: integer}}
  - {id: send, type: action, run: send}
  - {id: q.end, type: question, key: end, prompt: "End?", schema: {type: integer}}
  - {id: done, type: terminal}
edges:
  - {from: q.kind, to: kinds}
  - {from: kinds, to: q.size, guard: answers.kind == 'a'}
  - {from: kinds, to: q.to, guard: else}
  - {from: q.size, to: q.to}
  - {from: q.to, to: send}
  - {from: send, to: q.end}
  - {from: q.end, to: done}
"""
SENDING = """
@action(reads=["answers.to"])
def send(state, ctx):
    with (Path(__file__).parent / "sent").open("a") as file:
        file.write(f"{state['answers']['to']} ")
"""


async def test_an_effect_behind_a_changed_decision_is_not_performed_twice(tmp_path: Path) -> None:
    built = agent(tmp_path / "a", SENT, SENDING)
    sent = tmp_path / "a" / "sent"
    async with built.session("t", model="none", home=tmp_path / "home") as session:
        for text in ("hi", "b", "1", "kind: a"):
            await session.send(text)
        # The same content again: it is not sent again, and the user is told.
        turn = await session.send("7")
        assert (turn.path[-1], "already done" in turn.reply, sent.read_text()) == ("q.end", True, "1 ")
        # With other content, the user is asked first.
        assert (await session.send("to: 2")).path == ()
        turn = await session.send("kind: b")
        assert (turn.path[-1], "already done" in turn.reply) == ("send", True)
        assert (await session.send("leave it")).path[-1] == "q.end"
        await session.send("3")
    assert sent.read_text() == "1 "


async def test_in_a_new_version_a_decision_is_taken_again_for_what_only_that_version_reads(tmp_path: Path) -> None:
    built, folder = agent(tmp_path / "a", SENT, SENDING), tmp_path / "a"
    async with built.session("t", model="none", home=tmp_path / "home") as session:
        for text in ("hi", "b", "1"):
            turn = await session.send(text)
        assert turn.path[-1] == "q.end"
    newer = SENT.replace("answers.kind == 'a'", "\"answers.kind == 'a' || (has(answers.to) && answers.to == 2)\"")
    async with agent(folder, newer).session("t", model="none", home=tmp_path / "home") as session:
        assert (await session.send("to: 2")).path[-1] == "q.size"


BOOKED = """
nodes:
  - {id: q.kind, type: question, key: kind, prompt: "Kind?", schema: {enum: [a, b]}}
  - {id: q.to, type: question, key: to, ask: always, prompt: "To?", schema: {type: integer}}
  - {id: send, type: action, run: send}
  - {id: kinds, type: decision}
  - {id: q.size, type: question, key: size, prompt: "Size?", schema: {type: integer}}
  - {id: q.more, type: question, key: more, ask: always, prompt: "More?", schema: {type: boolean}}
  - {id: done, type: terminal}
edges:
  - {from: q.kind, to: q.to}
  - {from: q.to, to: send}
  - {from: send, to: kinds}
  - {from: kinds, to: q.size, guard: answers.kind == 'a'}
  - {from: kinds, to: q.more, guard: else}
  - {from: q.size, to: q.more}
  - {from: q.more, to: q.to, guard: answers.more}
  - {from: q.more, to: done, guard: else}
"""


async def test_an_effect_before_a_changed_decision_is_performed_in_the_next_round_as_always(tmp_path: Path) -> None:
    async with agent(tmp_path / "a", BOOKED, SENDING).session("t", model="none", home=tmp_path / "home") as session:
        for text in ("hi", "b", "1", "kind: a", "5", "yes", "1"):
            turn = await session.send(text)
    assert (turn.reply, (tmp_path / "a" / "sent").read_text()) == ("More?", "1 1 ")
