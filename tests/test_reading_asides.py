"""What a message only mentions is no answer: asked about, past, somebody else's. What is overlooked is read."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from reading_support import FLOW, assert_not_committed, reply_to, unknown, update

import graphwright
from graphwright.models.scripted import ScriptedModel


@pytest.mark.parametrize(
    ("waiting", "text", "proposed"),
    [
        ("q.power", "is 200 W enough for that?", ("power", 200, "200 W")),
        ("q.power", "hm, and would 200 W be better?", ("power", 200, "200 W")),
        ("q.kind", "are LED lamps any good?", ("kind", "LED", "LED")),
        ("q.budget", "we had 3000 last time but that was too much", ("budget", 3000, "3000")),
        ("q.power", "it was 200 W back then, 200 W last year", ("power", 200, "200 W")),
        ("q.kind", "my neighbour has halogen and hates it", ("kind", "halogen", "halogen")),
        ("q.email", "my colleague bob@shop.example recommended you", ("email", "bob@shop.example", "bob@shop.example")),
        ("q.budget", "maybe 200, maybe 300 euros", ("budget", 300, "300 euros")),
        ("q.budget", "could be 200, could be 300 euros", ("budget", 300, "300 euros")),
        ("q.budget", "200 or perhaps even 300", ("budget", 300, "300")),
        ("q.power", "12 spotlights", ("power", 12, "12")),
        ("q.budget", "sechs Lampen", ("budget", 6, "sechs")),
        ("q.budget", "vielleicht 200, vielleicht auch 300 Euro", ("budget", 200, "200")),
    ],
)
async def test_what_is_only_mentioned_is_not_committed(
    tmp_path: Path, waiting: str, text: str, proposed: tuple[str, Any, str]
) -> None:
    await assert_not_committed(tmp_path, waiting, text, proposed)


@pytest.mark.parametrize(
    ("waiting", "text", "proposed"),
    [
        ("q.power", "200 W. Is that enough?", ("power", 200, "200 W")),
        ("q.power", "200 W, ok?", ("power", 200, "200 W")),
        ("q.kind", "do you have LED lights for us?", ("kind", "LED", "LED")),
        ("q.kind", "how much are halogen lamps?", ("kind", "halogen", "halogen")),
        ("q.budget", "the budget was set at 3000", ("budget", 3000, "3000")),
        ("q.budget", "3000 as last year", ("budget", 3000, "3000")),
        ("q.power", "each of them has 200 W", ("power", 200, "200 W")),
        ("q.power", "200 W, maybe 3 lamps", ("power", 200, "200 W")),
        ("q.power", "200 would be fine", ("power", 200, "200")),
        ("q.budget", "3000 in total", ("budget", 3000, "3000")),
        ("q.budget", "two grand", ("budget", 2000, "two grand")),
        ("q.budget", "rouhgly 800 eruos", ("budget", 800, "800 eruos")),
        ("q.email", "my office address bob@shop.example please", ("email", "bob@shop.example", "bob@shop.example")),
    ],
)
async def test_what_is_stated_is_committed(
    tmp_path: Path, waiting: str, text: str, proposed: tuple[str, Any, str]
) -> None:
    turn = await reply_to(tmp_path, waiting, text, update(proposed))
    assert turn.values["answers"][proposed[0]] == proposed[1]


async def test_who_mentions_a_value_is_asked_whether_it_is_meant(tmp_path: Path) -> None:
    rule = update(("kind", "halogen", "halogen"))
    turn = await reply_to(tmp_path, "q.kind", "my neighbour has halogen", rule)
    assert "Did you mean “halogen”?" in turn.reply


async def test_two_amounts_are_asked_about(tmp_path: Path) -> None:
    turn = await reply_to(tmp_path, "q.budget", "maybe 200, maybe 300 euros", update(("budget", 300, "300 euros")))
    assert "“200, maybe 300 euros” is more than one amount." in turn.reply


NAMED = FLOW.replace("x-unit: EUR}", "x-unit: EUR, x-words: [spend]}").replace(
    "maxLength: 40}", "examples: [16 by 30 m]}"
)


@pytest.mark.parametrize(
    ("waiting", "text", "key", "value"),
    [
        ("q.budget", "so um die zwölfhundert", "budget", 1200),
        ("q.power", "let's say 180", "power", 180),
        ("q.power", "the budget is two and a half thousand", "budget", 2500),
        ("q.kind", "we have 3000 to spend", "budget", 3000),
        ("q.kind", "new ones for the hall, 18 x 36 metres, please", "size", "18 x 36 metres"),
        ("q.power", "18 mal 36 Meter", "size", "18 mal 36 Meter"),
    ],
)
async def test_what_the_model_overlooks_is_read_where_it_is_unmistakable(
    tmp_path: Path, waiting: str, text: str, key: str, value: Any
) -> None:
    turn = await reply_to(tmp_path, waiting, text, unknown(waiting[2:]), flow=NAMED)
    assert turn.values["answers"][key] == value


@pytest.mark.parametrize(
    ("waiting", "text"),
    [
        ("q.power", "asdkjh qwe 77"),
        ("q.power", "we open at 9"),
        ("q.power", "is 180 enough?"),
        ("q.kind", "we meet to spend the evening at 8"),
        ("q.kind", "is 18 x 36 m the usual size?"),
        ("q.kind", "2 x 200 W"),
    ],
)
async def test_numbers_that_say_nothing_of_an_answer_are_left_alone(tmp_path: Path, waiting: str, text: str) -> None:
    before = {} if waiting == "q.kind" else {"kind": "LED", "place": "office"}
    turn = await reply_to(tmp_path, waiting, text, unknown(waiting[2:]), flow=NAMED)
    assert turn.values["answers"] == before


async def test_what_it_is_for_is_read_beside_what_the_model_saw(tmp_path: Path) -> None:
    rule = update(("kind", "LED", "LED"))
    turn = await reply_to(tmp_path / "a", "q.kind", "we want some LED lamps for our new office, please", rule)
    assert turn.values["answers"] == {"kind": "LED", "place": "office"}
    turn = await reply_to(tmp_path / "b", "q.kind", "we want some LED lamps, call the office on Monday", rule)
    assert turn.values["answers"] == {"kind": "LED"}


@pytest.mark.parametrize(
    ("text", "declined"),
    [
        ("we don't have one yet", True),
        ("I'd rather not say", True),
        ("can we skip this?", True),
        ("Why do you ask? I have none.", True),
        ("do you offer instalments?", False),
        ("will you pass it on to anybody?", False),
        ("banana lol", False),
    ],
)
async def test_only_a_refusal_leaves_an_optional_question_out(tmp_path: Path, text: str, declined: bool) -> None:
    turn = await reply_to(tmp_path, "q.budget", text, unknown("budget"))
    assert turn.waiting_for is not None
    assert turn.waiting_for.node == ("q.email" if declined else "q.budget")


async def test_a_refusal_in_other_words_counts_when_it_is_repeated(tmp_path: Path) -> None:
    file = tmp_path / "flow.yaml"
    file.write_text(FLOW, "utf-8")
    model = ScriptedModel.from_rules([unknown("budget")])
    async with graphwright.load(file).session("t", model=model, home=tmp_path) as session:
        await session.start()
        for value in ("LED", "office", 90, "5 x 5 m"):
            await session.resume(value)
        first = await session.send("that stays between me and my purse")
        second = await session.send("that stays between me and my purse")
    assert first.waiting_for is not None
    assert first.waiting_for.node == "q.budget"
    assert second.waiting_for is not None
    assert second.waiting_for.node == "q.email"


async def test_an_option_with_a_slip_is_found_where_the_model_quotes_it_right(tmp_path: Path) -> None:
    turn = await reply_to(tmp_path, "q.kind", "i need sum haloegn", update(("kind", "halogen", "halogen")))
    assert turn.values["answers"] == {"kind": "halogen"}


OPEN = """
version: v1
id: flow.open
nodes:
  - {id: q.intent, type: question, key: intention, prompt: What do you need?}
  - {id: led, type: terminal, say: LED path.}
  - {id: mend, type: terminal, say: Repair path.}
  - {id: other, type: terminal, say: Something else.}
edges:
  - {from: q.intent, to: led, guard: "answers.intention == 'buy_led'"}
  - {from: q.intent, to: mend, guard: "answers.intention in ['repair', 'mending']"}
  - {from: q.intent, to: other, guard: else}
"""


@pytest.mark.parametrize(
    ("text", "value", "quote", "committed", "end"),
    [
        ("I need LED lights", "buy_led", "LED lights", "buy_led", "led"),
        ("please do a repair", "repair", "repair", "repair", "mend"),
        ("Repair", "Repair", "Repair", "repair", "mend"),
        ("I have a complaint", "buy_led", "a complaint", "a complaint", "other"),
        ("LED or a repair", "buy_led", "LED or a repair", "LED or a repair", "other"),
        ("I have a complaint", "a complaint", "a complaint", "a complaint", "other"),
    ],
)
async def test_a_free_text_becomes_the_value_that_the_flow_compares_it_with(
    tmp_path: Path, text: str, value: str, quote: str, committed: str, end: str
) -> None:
    file = tmp_path / "flow.yaml"
    file.write_text(OPEN, "utf-8")
    model = ScriptedModel.from_rules([update(("intention", value, quote))])
    async with graphwright.load(file).session("t", model=model, home=tmp_path) as session:
        await session.start()
        turn = await session.send(text)
    assert turn.values["answers"] == {"intention": committed}
    assert turn.path[-1] == end
