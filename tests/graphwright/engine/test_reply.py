"""Answers that a model reads: the checks of its proposals, and whole replies that code reads."""

from __future__ import annotations

from datetime import UTC, datetime
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from graphwright.engine._exact_replies import NOTHING, whole_value
from host_support import agent, assert_folds, of_type, open_session, reads, saved_state, scripted, trace, unknown
from step_support import conversation

FLOW = """
nodes:
  - {id: q.name, type: question, key: name, prompt: Your name?, schema: {type: string, maxLength: 40}}
  - {id: q.watts, type: question, key: watts, prompt: Watts?, schema: {type: integer, x-unit: W, maximum: 2000}}
  - {id: q.place, type: question, key: place, prompt: Where?, schema: {enum: [sports_court, office]}}
  - {id: q.day, type: question, key: day, prompt: When?, schema: {type: string, format: date}}
  - {id: q.mail, type: question, key: mail, prompt: Mail?, schema: {type: string, format: email}, required: false}
  - {id: done, type: terminal, say: "{{ answers.name }} on {{ answers.day }}"}
edges:
  - {from: q.name, to: q.watts}
  - {from: q.watts, to: q.place}
  - {from: q.place, to: q.day}
  - {from: q.day, to: q.mail}
  - {from: q.mail, to: done}
"""
ANN = reads("Ann", ("name", "Ann", "Ann"))


@pytest.mark.parametrize(
    ("schema", "reply", "value"),
    [
        ({"type": "integer"}, "12", 12),
        ({"type": "integer"}, "１２", 12),
        ({"type": "integer"}, "about 12", NOTHING),
        ({"type": "number"}, "1,500", NOTHING),
        ({"type": "number"}, "1,5", 1.5),
        ({"type": "number"}, "12 500", 12500),
        ({"type": "integer", "x-unit": "W"}, "1 9**9**9**9", NOTHING),
        ({"type": "integer", "x-unit": "W"}, "1.5 kW", 1500),
        ({"type": "integer", "x-unit": "W"}, "120 Watts", 120),
        ({"type": "integer", "x-unit": "W"}, "12 lamps", NOTHING),
        ({"type": "number", "x-unit": "EUR"}, "900 eur", 900),
        ({"type": "boolean"}, "Nein, danke.", False),
        ({"type": "string", "format": "email"}, "ann@shop.example", "ann@shop.example"),
        ({"type": "string", "format": "email"}, "mail ann@shop.example", NOTHING),
        ({"type": "string", "format": "phone"}, "+49 30 901820", "+49 30 901820"),
        ({"type": "string", "format": "phone"}, "2026-11-27", NOTHING),
        ({"type": "string", "format": "date"}, "2026-11-27", "2026-11-27"),
        ({"type": "string", "format": "date"}, "2026-11-31", NOTHING),
        ({"type": "string", "format": "date"}, "tomorrow", NOTHING),
        ({"type": "string"}, "anything", NOTHING),
    ],
)
def test_code_takes_a_value_only_where_the_whole_reply_is_it(schema: dict[str, Any], reply: str, value: Any) -> None:
    from graphwright.flow._json_schemas import options_of

    assert whole_value(schema, options_of(schema), reply) == value


async def test_several_answers_come_from_one_message_and_one_call(tmp_path: Path) -> None:
    rule = reads("I am", ("name", "Ann", "Ann"), ("watts", 150, "150 W"), ("place", "sports_court", "our court"))
    async with open_session(agent(tmp_path / "a", FLOW), tmp_path / "home", rule) as session:
        turn = await session.send("I am Ann, 150 W for our court")
        assert turn.values["answers"] == {"name": "Ann", "watts": 150, "place": "sports_court"}
        assert (turn.usage.model_calls, turn.waiting_for and turn.waiting_for.node) == (1, "q.day")
        (call,) = [row.event for row in await session.history() if row.event["type"] == "model_called"]
        assert (turn.usage.input_tokens, turn.usage.output_tokens) == (call["input_tokens"], call["output_tokens"])
        assert turn.usage.input_tokens > 0


@pytest.mark.parametrize(
    ("answer", "stage"),
    [
        ({"key": "watts", "value": 60, "quote": "60 watts"}, "quotation"),
        ({"key": "watts", "value": 60, "quote": ""}, "quotation"),
        ({"key": "watts", "value": 5000, "quote": "bright"}, "schema"),
        ({"key": "day", "value": "soon", "quote": "as soon"}, "schema"),
        ({"key": "mail", "value": "ann at shop", "quote": "bright"}, "schema"),
        ({"key": "name", "value": "Bob", "quote": "as it takes"}, "correction"),
    ],
)
def test_invalid_answers_are_refused_with_a_reason(tmp_path: Path, answer: dict[str, Any], stage: str) -> None:
    rules = (ANN, {"call": {"UpdateAnswers": {"language": "en", "answers": [answer]}}})
    session = conversation(agent(tmp_path / "a", FLOW), *rules)
    session.send("I am Ann")
    turn = session.send("as bright and as soon as it takes")
    assert (turn.values["answers"], turn.status) == ({"name": "Ann"}, "waiting")
    (refused,) = of_type(session.trace(), "answer_refused")
    assert (refused["key"], refused["stage"]) == (answer["key"], stage)
    assert refused["reason"]


async def test_only_what_the_model_calls_a_correction_replaces_an_answer(tmp_path: Path) -> None:
    rules = (ANN, reads("call me", ("name", "Eve", "eve"), correction=True))
    async with open_session(agent(tmp_path / "a", FLOW), tmp_path / "home", *rules) as session:
        await session.send("I am Ann")
        turn = await session.send("actually, call me  EVE")
        assert turn.values["answers"] == {"name": "Eve"}
        assert "Noted: name: “Eve”." in turn.reply
        await assert_folds(session)


@pytest.mark.parametrize(
    ("key", "reason", "declined"),
    [("mail", "no mail yet", True), ("mail", "does not say", False), ("day", "no idea when", False)],
)
def test_declined_answers_are_recorded_with_others(tmp_path: Path, key: str, reason: str, declined: bool) -> None:
    missing = {"UnknownAnswer": {"key": key, "reason": reason, "correction": False}}
    answer = {"UpdateAnswers": {"answers": [{"key": "name", "value": "Ann", "quote": "Ann"}]}}
    found = reads("9 W", ("watts", 9, "9 W"), ("place", "office", "office"), ("day", "2026-11-30", "the 30th"))
    session = conversation(agent(tmp_path / "a", FLOW), {"says": "Ann", "call": [answer, missing]}, found)
    turn = session.send("I am Ann, no mail yet, and no idea when")
    assert turn.values["answers"] == {"name": "Ann"}
    assert ("Left open: mail." in turn.reply) is declined
    # Required answers and invented ones are asked for later.
    turn = session.send("9 W, office, the 30th")
    assert (turn.status == "ended") is declined


async def test_a_date_is_written_by_the_model_from_the_clock_and_shown_back(tmp_path: Path) -> None:
    rules = (
        {
            "says": "tomorrow",
            "anywhere": "Now: Thursday, 2026-11-26T",
            "call": {"UpdateAnswers": {"answers": [{"key": "day", "value": "2026-11-27", "quote": "tomorrow"}]}},
        },
        reads(".", ("name", "Ann", "Ann"), ("watts", 9, "9 W"), ("place", "office", "office")),
    )
    noon = datetime(2026, 11, 26, 12, tzinfo=UTC)
    made = agent(tmp_path / "a", FLOW)
    async with made.session("t", model=scripted(*rules), home=tmp_path / "home", clock=lambda: noon) as session:
        await session.send("Ann, 9 W, office")
        turn = await session.send("how about tomorrow?")
        assert turn.values["answers"]["day"] == "2026-11-27"
        assert turn.reply.startswith("Noted: day: 27 November 2026.")


async def test_the_engine_speaks_the_language_that_the_model_reads(tmp_path: Path) -> None:
    german = {"says": "Watt", "call": {"UpdateAnswers": {"language": "de-DE", "answers": [
        {"key": "watts", "value": 9000, "quote": "9000 Watt"}]}}}  # fmt: skip
    broken = {"says": "Anna", "call": {"UpdateAnswers": {"language": "<b>", "answers": [
        {"key": "name", "value": "Anna", "quote": "Anna"}]}}}  # fmt: skip
    made = agent(tmp_path / "a", FLOW)
    async with open_session(made, tmp_path / "home", broken, german, unknown("hm", "watts")) as session:
        await session.send("ich bin die Anna")
        assert "language" not in await saved_state(session)
        turn = await session.send("bitte so 9000 Watt")
        assert "es darf höchstens 2.000 W sein" in turn.reply
        assert (await session.send("hm")).reply.startswith("Darin habe ich leider keine Antwort")
        assert (await saved_state(session))["language"] == "de-DE"
        await assert_folds(session)


@pytest.mark.parametrize(
    "reply",
    [
        {"text": "The name is Ann."},
        {"raw": ""},
        {"raw": '{"answers": [{"key": "na'},
        {"call": {"DeleteEverything": {}}},
        {"call": {"UpdateAnswers": {"answers": [{"key": "na\u0007me", "value": "Ann", "quote": "Ann"}]}}},
        {"call": {"UpdateAnswers": {"answers": [{"key": "name", "value": {"is": "Ann"}, "quote": "Ann"}]}}},
    ],
)
def test_a_model_that_answers_nonsense_fails_the_turn_and_loses_nothing(tmp_path: Path, reply: dict[str, Any]) -> None:
    rules = ({**reply, "times": 2}, ANN)
    session = conversation(agent(tmp_path / "a", FLOW), *rules)
    turn = session.send("I am Ann")
    assert (turn.status, turn.values["answers"]) == ("failed", {})
    assert session.send("I am Ann").values["answers"] == {"name": "Ann"}


async def test_thousands_of_calls_commit_what_holds_and_no_more(tmp_path: Path) -> None:
    one = {"UpdateAnswers": {"answers": [{"key": "name", "value": "Ann", "quote": "Ann"}]}}
    other = {"UpdateAnswers": {"answers": [{"key": "watts", "value": 1, "quote": "1 watt"}]}}
    async with open_session(
        agent(tmp_path / "a", FLOW), tmp_path / "home", {"call": [one] + [other] * 2999}
    ) as session:
        turn = await session.send("I am Ann")
        assert turn.values["answers"] == {"name": "Ann"}
        assert len(of_type(await trace(session), "answer_refused")) < 40


@pytest.mark.parametrize(
    ("message", "quote"),
    [
        ("my name is O’Brien thanks", "O'Brien"),
        ("it is Smith‑Jones please", "Smith-Jones"),
        ("name… Kim​berly Lee ok", "Kimberly Lee"),
        ("I am “Ann” Lee", '"Ann" Lee'),
        ("call me Jean–Luc", "Jean-Luc"),
        ("it is O'Brien", "O’Brien"),
        ("ich heiße Müller danke", "Müller"),
    ],
)
async def test_quotations_match_after_folding_typography(tmp_path: Path, message: str, quote: str) -> None:
    async with open_session(
        agent(tmp_path / "a", FLOW), tmp_path / "home", reads(".", ("name", quote, quote))
    ) as session:
        assert (await session.send(message)).values["answers"]["name"] == quote


def test_one_message_may_hold_fifty_answers(tmp_path: Path) -> None:
    keys = [f"k{i}" for i in range(50)]
    nodes = "".join(f"  - {{id: q.{key}, type: question, key: {key}, prompt: What?}}\n" for key in keys)
    edges = "".join(f"  - {{from: q.{one}, to: q.{two}}}\n" for one, two in pairwise(keys))
    end = "  - {id: done, type: terminal, say: Done.}\n"
    flow = f"nodes:\n{nodes}{end}edges:\n{edges}  - {{from: q.k49, to: done}}\n"
    message = ", ".join(f"{key} is v{key}" for key in keys)
    found = [(key, f"v{key}", f"v{key}") for key in keys]
    session = conversation(agent(tmp_path / "a", flow), reads(".", *found, found[0]))
    turn = session.send(message)
    assert (turn.reply, len(turn.values["answers"])) == ("Done.", 50)


async def test_a_multiple_is_compared_in_decimals(tmp_path: Path) -> None:
    flow = """
    nodes:
      - {id: q, type: question, key: sum, prompt: How much?, schema: {type: number, multipleOf: 0.01}}
      - {id: done, type: terminal, say: Thanks.}
    edges: [{from: q, to: done}]
    """
    made = agent(tmp_path / "a", flow)
    cents = [*(round(n / 100, 2) for n in range(1, 1000, 7)), 600.03, 10001.12, 12345678901.01, 1e20, -4.02]
    async with made.session("t", model="none", home=tmp_path / "home") as session:
        for sum_ in cents:
            await session.start()
            assert (await session.resume(sum_)).status == "ended", sum_
        await session.start()
        assert "must be a multiple of 0.01" in (await session.send("4.0251")).reply


def test_a_declined_answer_is_kept_for_the_next_conversation(tmp_path: Path) -> None:
    flow = f"restart: keep{FLOW.replace('schema: {enum: [sports_court, office]}', 'ask: always, read: verbatim')}"
    found = reads("Ann", ("name", "Ann", "Ann"), ("watts", 9, "9 W"), ("day", "2026-11-30", "the 30th"))
    given = reads("write", ("mail", "ann@shop.example", "ann@shop.example"))
    session = conversation(agent(tmp_path / "a", flow), found, unknown("no mail", "mail", "no mail"), given)
    for text in ("I am Ann, 9 W, the 30th", "office", "no mail"):
        turn = session.send(text)
    assert turn.status == "ended"
    session.send("hello")
    turn = session.send("office")
    assert (turn.status, turn.values["answers"].get("mail")) == ("ended", None)


SURE = """
nodes:
  - {id: q.seats, type: question, key: seats, prompt: How many?, schema: {type: integer}}
  - {id: q.sure, type: question, key: sure, read: confirm, ask: always, prompt: "Book {{ answers.seats }}?"}
  - {id: booked, type: terminal, say: Booked.}
  - {id: left, type: terminal, say: "Nothing is booked."}
edges:
  - {from: q.seats, to: q.sure}
  - {from: q.sure, to: booked, guard: answers.sure == true}
  - {from: q.sure, to: left, guard: else}
"""


@pytest.mark.parametrize(
    ("text", "answers", "said"),
    [
        ("Five, please.", [("seats", 5, "Five")], "Noted: seats: 5.\n\nBook 5?"),
        ("Hm, I do not know.", [], "I found nothing in that to change.\n\nBook 4?"),
    ],
)
def test_a_text_at_a_confirmation_does_not_end_the_conversation_like_a_no(
    tmp_path: Path, text: str, answers: list[tuple[str, int, str]], said: str
) -> None:
    session = conversation(agent(tmp_path / "a", SURE), reads(text, *answers, correction=True))
    session.start()
    session.resume(4)
    assert session.send(text).reply == said
    assert session.send("no").reply == "Nothing is booked."
