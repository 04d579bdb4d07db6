"""Guided conversations without a model: corrections by option or by name, and hints that say the expected format."""

from __future__ import annotations

from pathlib import Path

import pytest

from cli_support import Runner
from host_support import agent

FLOW = """
nodes:
  - {id: q.room, type: question, key: room, label: What the user books, prompt: Which room?,
     schema: {title: Room, enum: [small, large]}}
  - {id: q.people, type: question, key: people, prompt: How many people?, schema: {type: integer, minimum: 1}}
  - {id: q.day, type: question, key: day, prompt: Which day?, schema: {title: Day, type: string, format: date}}
  - {id: q.sure, type: question, key: sure, read: confirm, ask: always,
     prompt: "Book the {{ answers.room }} room for {{ answers.people }} on {{ answers.day }}?"}
  - {id: booked, type: terminal, say: "Booked {{ answers.room }} for {{ answers.people }}."}
  - {id: left, type: terminal, say: Left.}
edges:
  - {from: q.room, to: q.people}
  - {from: q.people, to: q.day}
  - {from: q.day, to: q.sure}
  - {from: q.sure, to: booked, guard: answers.sure == true}
  - {from: q.sure, to: left, guard: answers.sure == false}
  - {from: q.sure, to: q.room, guard: else}
"""


@pytest.mark.parametrize(
    ("reply", "said", "end"),
    [
        ("people: 11", "for 11 on", "Booked small for 11."),
        ("People = 11", "for 11 on", "Booked small for 11."),
        ("room: large", "the large room", "Booked large for 4."),
        ("Large", "the large room", "Booked large for 4."),
        # nothing that code can read: the hint says what it can read
        ("no, 11 people", "such as “Room: small”", "Booked small for 4."),
        # values that were named and are invalid are refused with the reason
        ("people: many", "“many” cannot be taken: it must be a whole number.", "Booked small for 4."),
        ("people: 0", "0 cannot be taken: it must be at least 1.", "Booked small for 4."),
        ("room: huge", "I could not match that to one of: small, large.", "Booked small for 4."),
        ("day: tomorrow", "“tomorrow” cannot be taken: it must be a valid date.", "Booked small for 4."),
        ("colour: red", "such as “Room: small”", "Booked small for 4."),
    ],
)
async def test_a_correction_at_a_confirmation_has_a_reply(tmp_path: Path, reply: str, said: str, end: str) -> None:
    async with agent(tmp_path / "a", FLOW).session("t", model="none", home=tmp_path / "home") as session:
        await session.start()
        for text in ("small", "4", "2026-12-01"):
            await session.send(text)
        turn = await session.send(reply)
        assert said in turn.reply
        assert (await session.send("yes")).reply == end


@pytest.mark.parametrize(
    ("replies", "said"),
    [
        (["huge"], "I could not match that to one of: small, large."),
        (["small", "room: huge"], "I could not match that to one of: small, large."),
        (["small", "day: soon"], "“soon” cannot be taken: it must be a valid date."),
    ],
)
async def test_a_refused_reply_is_answered_with_the_reason(tmp_path: Path, replies: list[str], said: str) -> None:
    async with agent(tmp_path / "a", FLOW).session("t", model="none", home=tmp_path / "home") as session:
        await session.start()
        for reply in replies:
            turn = await session.send(reply)
        assert said in turn.reply


@pytest.mark.parametrize(
    ("kind", "hint"),
    [
        ("type: integer, minimum: 20, x-unit: W", "such as 20 W"),
        ("type: number, maximum: 5", "such as 5"),
        ("type: string, format: date", "year-month-day, such as 2"),
        ("type: string, format: time", "14:30"),
        ("type: string, format: email", "name@example.org"),
        ("type: boolean", "yes or no"),
    ],
)
async def test_a_reply_without_an_answer_is_told_the_format(tmp_path: Path, kind: str, hint: str) -> None:
    flow = f"""
nodes:
  - {{id: q, type: question, key: k, prompt: What?, invalid_prompt: Pardon?, schema: {{{kind}}}}}
  - {{id: done, type: terminal, say: "{{{{ answers.k }}}}"}}
edges: [{{from: q, to: done}}]
"""
    async with agent(tmp_path / "a", flow).session("t", model="none", home=tmp_path / "home") as session:
        await session.start()
        turn = await session.send("whatever you like")
        assert hint in turn.reply
        assert turn.reply.endswith("Pardon?")


def test_the_next_command_names_the_model_that_was_chosen(run: Runner, tmp_path: Path) -> None:
    agent(tmp_path / "a", FLOW)
    done = run("ask", tmp_path / "a", "hello", "--thread", "t", "--model", "none")
    assert "TEXT --thread t --model none" in done.err
