"""Guided conversations without a model: corrections by option or by name, and hints that say the expected format."""

from __future__ import annotations

from pathlib import Path

import pytest

from cli_support import Runner
from host_support import agent, of_type, trace

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
        ("day: 24.12.2026", "on 2026-12-24?", "Booked small for 4."),
        ("day: 3/4/2027", "“3/4/2027” cannot be taken: it must be a valid date.", "Booked small for 4."),
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
    "flow",
    [
        FLOW.replace("read: confirm,", "read: confirm, schema: {type: boolean},"),
        # A text is no answer where the flow would end as after a no.
        FLOW.replace("guard: answers.sure == false", "guard: else").replace(
            "  - {from: q.sure, to: q.room, guard: else}\n", ""
        ),
    ],
)
async def test_a_correction_is_not_taken_as_a_yes_or_no(tmp_path: Path, flow: str) -> None:
    async with agent(tmp_path / "a", flow).session("t", model="none", home=tmp_path / "home") as session:
        await session.start()
        for text in ("small", "4", "2026-12-01"):
            await session.send(text)
        turn = await session.send("people: 11")
        assert turn.reply.split("\n\n") == ["Noted: people: 11.", "Book the small room for 11 on 2026-12-01?"]
        assert turn.refused == ()


VERBATIM = FLOW.replace("key: room,", "key: room, read: verbatim,").replace("enum: [small, large]", "type: string")


@pytest.mark.parametrize("after", [("4",), ("4", "2026-12-01")])
async def test_a_text_that_was_taken_as_written_is_corrected_by_name(tmp_path: Path, after: tuple[str, ...]) -> None:
    async with agent(tmp_path / "a", VERBATIM).session("t", model="none", home=tmp_path / "home") as session:
        await session.start()
        for text in ("the attic", *after, "room: The cellar", *("2026-12-01",)[len(after) - 1 :]):
            turn = await session.send(text)
        assert turn.reply.startswith("Book the The cellar room for 4")


CHOICE = FLOW.replace("key: people, prompt", "key: people, read: choice, prompt").replace("minimum: 1", "enum: [4, 11]")


@pytest.mark.parametrize("flow", [CHOICE, CHOICE.replace("key: room,", "key: room, read: choice,")])
async def test_a_question_with_options_takes_answers_by_name(tmp_path: Path, flow: str) -> None:
    async with agent(tmp_path / "a", flow).session("t", model="none", home=tmp_path / "home") as session:
        await session.start()
        await session.send("room: small")
        assert "Noted: Room: large." in (await session.send("room: large")).reply
        await session.send("people: 11")
        turn = await session.send("2026-12-01")
    assert turn.reply == "Book the large room for 11 on 2026-12-01?"


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


@pytest.mark.parametrize(
    ("rule", "refused", "said", "day"),
    [
        ("value > '2999-12-30'", "2999-12-30", "It must be after 30 December 2999.", "2999-12-31"),
        ("value >= '2999-12-30'", "2999-12-29", "It must be 30 December 2999 or later.", "2999-12-30"),
        ("value < '1999-12-30'", "1999-12-30", "It must be before 30 December 1999.", "1999-12-29"),
        ("date(value) > date(now)", "1999-12-30", "It must be after ", ""),
    ],
)
async def test_the_example_of_a_date_is_one_that_the_rule_allows(
    tmp_path: Path, rule: str, refused: str, said: str, day: str
) -> None:
    flow = f"""
nodes:
  - {{id: q, type: question, key: k, prompt: When?, schema: {{type: string, format: date}}, validate: "{rule}"}}
  - {{id: done, type: terminal, say: "{{{{ answers.k }}}}"}}
edges: [{{from: q, to: done}}]
"""
    async with agent(tmp_path / "a", flow).session("t", model="none", home=tmp_path / "home") as session:
        await session.start()
        assert said in (await session.send(refused)).reply
        hint = (await session.send("soon")).reply
        assert f"such as {day}" in hint
        example = hint.partition("such as ")[2][:10]
        assert (await session.send(example)).reply == example


def test_the_next_command_names_the_model_that_was_chosen(run: Runner, tmp_path: Path) -> None:
    agent(tmp_path / "a", FLOW)
    done = run("ask", tmp_path / "a", "hello", "--thread", "t", "--model", "none")
    assert "TEXT --thread t --model none" in done.err


async def test_a_flow_with_a_language_of_its_own_begins_in_it(tmp_path: Path) -> None:
    flow = FLOW.replace("\nnodes:", "\nlanguage: spoken\nstate: {spoken: {type: string, default: de}}\nnodes:", 1)
    async with agent(tmp_path / "a", flow).session("t", model="none", home=tmp_path / "home") as session:
        await session.send("small")
        assert "ganze Zahl" in (await session.send("many")).reply


GERMAN = """
language: spoken
state: {spoken: {type: string, default: de}}
nodes:
  - {id: q.day, type: question, key: day, prompt: "Wann?", validate: "date(value) > date(now)",
     schema: {title: Tag, type: string, format: date}}
  - {id: q.meal, type: question, key: meal, prompt: "Mit Essen?", required: false,
     schema: {title: Essen, type: boolean}}
  - {id: q.note, type: question, key: note, prompt: "Noch etwas?", required: false, read: verbatim}
  - {id: end, type: terminal, say: "{{ has(answers.meal) || has(answers.note) ? 'mit' : 'ohne' }}"}
edges:
  - {from: q.day, to: q.meal}
  - {from: q.meal, to: q.note}
  - {from: q.note, to: end}
"""


async def test_a_limit_that_refuses_a_number_is_not_explained_by_the_form(tmp_path: Path) -> None:
    async with agent(tmp_path / "a", FLOW).session("t", model="none", home=tmp_path / "home") as session:
        await session.send("small")
        assert (await session.send("0")).reply == "0 cannot be taken: it must be at least 1.\n\nHow many people?"


SKIP = "Sie können das offen lassen: Antworten Sie „überspringen“."


async def test_the_sentences_follow_the_language_that_the_flow_declares_and_name_the_rule(tmp_path: Path) -> None:
    async with agent(tmp_path / "a", GERMAN).session("t", model="none", home=tmp_path / "home") as session:
        await session.start()
        refused = (await session.send("2020-01-01")).reply.split("\n\n")
        assert refused[0] == "1. Januar 2020 geht hier nicht."
        # The form was right, so the rule is named and not the form.
        assert refused[1].startswith("Es muss nach dem ")
        assert refused[2:] == ["Wann?"]
        # A date that cannot be read is refused for its form.
        assert "Bitte schreiben Sie ein Datum" in (await session.send("bald")).reply
        error = (await session.send("irgendwann")).error
        assert error
        assert error.message == "In 3 Antworten habe ich nichts zu „Tag“ gefunden."


async def test_the_listed_skip_leaves_an_optional_question_open(tmp_path: Path) -> None:
    async with agent(tmp_path / "a", GERMAN).session("t", model="none", home=tmp_path / "home") as session:
        await session.start()
        assert not (await session.state())["waiting_for"].get("optional")
        assert (await session.send("2199-01-01")).reply == f"{SKIP}\n\nMit Essen?"
        assert "ja, nein" in (await session.send("vielleicht")).reply
        assert (await session.send("Überspringen!")).reply == f"Bleibt offen: Essen.\n\n{SKIP}\n\nNoch etwas?"
        assert (await session.state())["waiting_for"]["optional"]
        assert (await session.resume(None)).reply == "Bleibt offen: note.\n\nohne"
        assert of_type(await trace(session), "turn_started")[-1]["message"] == "überspringen"
