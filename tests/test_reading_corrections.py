"""Corrections that the user's words make plain are read whatever the model says, even where any text would do."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from reading_support import reply_to, unknown

import graphwright
from graphwright.models.scripted import ScriptedModel


@pytest.mark.parametrize(
    ("text", "key", "value"),
    [
        ("wait, not LED, it's halogen actually", "kind", "halogen"),
        ("halogen instead of LED", "kind", "halogen"),
        ("kein LED, Halogen", "kind", "halogen"),
        ("wait, make that halogen", "kind", "halogen"),
        ("doch lieber Halogen", "kind", "halogen"),
        ("it's for the court, not for the office", "place", "sports_court"),
        ("it goes on the court, not into the office", "place", "sports_court"),
        ("gym, nicht fürs office", "place", "sports_court"),
    ],
)
async def test_a_choice_that_another_one_takes_the_place_of(tmp_path: Path, text: str, key: str, value: str) -> None:
    turn = await reply_to(tmp_path, "q.budget", text, unknown("budget"))
    assert turn.values["answers"][key] == value


@pytest.mark.parametrize(
    "text",
    [
        "no, halogen is too hot",
        "is halogen not better than LED?",
        "not LED",
        "maybe not LED but halogen",
        "halogen was what we had",
        "not the budget of the court",
    ],
)
async def test_what_puts_nothing_in_the_place_of_a_choice(tmp_path: Path, text: str) -> None:
    turn = await reply_to(tmp_path, "q.budget", text, unknown("budget"))
    assert turn.values["answers"]["kind"] == "LED"
    assert turn.values["answers"]["place"] == "office"


VERBATIM = """
version: v1
id: flow.verbatim
nodes:
  - id: q.want
    type: question
    key: want
    prompt: Buy or repair?
    schema: {enum: [buy, repair], x-words: {buy: [buy, need, new], repair: [repair, broken, out]}}
  - {id: q.problem, type: question, key: problem, read: verbatim, prompt: What is it?, when: "answers.want == 'repair'"}
  - {id: bought, type: terminal, say: Bought.}
  - {id: repaired, type: terminal, say: Repaired.}
edges:
  - {from: q.want, to: q.problem}
  - {from: q.problem, to: bought, guard: "answers.want == 'buy'"}
  - {from: q.problem, to: repaired, guard: else}
"""


async def described(tmp_path: Path, text: str) -> graphwright.Turn:
    file = tmp_path / "flow.yaml"
    file.write_text(VERBATIM, "utf-8")
    async with graphwright.load(file).session("t", model=ScriptedModel.from_rules([]), home=tmp_path) as session:
        await session.start()
        await session.resume("repair")
        return await session.send(text)


@pytest.mark.parametrize(
    "text",
    [
        "oh no, I meant to buy new ones, not a repair",
        "sorry, I changed my mind, I want to buy",
        "no, not a repair, I need new lights",
        "hold on, we just want to buy",
    ],
)
async def test_a_change_of_mind_where_any_text_is_an_answer(tmp_path: Path, text: str) -> None:
    turn = await described(tmp_path, text)
    assert turn.values["answers"] == {"want": "buy"}
    assert turn.path[-1] == "bought"


@pytest.mark.parametrize(
    "text",
    [
        "The lamp is not out but dim, we need a new one",
        "No light at all since we put new lamps in",
        "Actually the one over the door is broken",
        "I meant the repair of the lamp in the hall",
        "No, the lamps we buy from you break",
        "Actually it broke when the people we buy from came to look at the thing in the hall, to buy",
        "I meant to ask: do you have new ones?",
    ],
)
async def test_a_description_stays_one(tmp_path: Path, text: str) -> None:
    turn = await described(tmp_path, text)
    assert turn.values["answers"] == {"want": "repair", "problem": text}


APPLYING = """
version: v1
id: flow.applying
nodes:
  - id: q.place
    type: question
    key: place
    prompt: Where?
    schema: {enum: [court, office], x-words: {court: [court], office: [office]}}
  - id: q.size
    type: question
    key: size
    prompt: How large?
    schema: {type: string, examples: [16 by 30 m]}
    when: "answers.place == 'court'"
  - {id: q.email, type: question, key: email, prompt: Mail?, schema: {format: email}, when: "!has(answers.phone)"}
  - {id: q.phone, type: question, key: phone, prompt: Phone?, schema: {format: phone}, when: "!has(answers.email)"}
  - {id: q.more, type: question, key: more, prompt: Anything else?, schema: {type: boolean}}
  - {id: done, type: terminal}
edges:
  - {from: q.place, to: q.size}
  - {from: q.size, to: q.email}
  - {from: q.email, to: q.phone}
  - {from: q.phone, to: q.more}
  - {from: q.more, to: done}
"""


async def applied(tmp_path: Path, text: str, given: list[Any]) -> graphwright.Turn:
    tmp_path.mkdir(exist_ok=True)
    file = tmp_path / "flow.yaml"
    file.write_text(APPLYING, "utf-8")
    model = ScriptedModel.from_rules([unknown("place")])
    async with graphwright.load(file).session("t", model=model, home=tmp_path) as session:
        await session.start()
        for value in given:
            await session.resume(value)
        return await session.send(text)


async def test_an_answer_to_a_question_that_does_not_apply_is_not_taken(tmp_path: Path) -> None:
    turn = await applied(tmp_path, "by the way, it has 18 x 36 m", ["office"])
    assert turn.values["answers"] == {"place": "office"}
    assert "I did not note the size “18 x 36 m”: it does not apply here." in turn.reply


async def test_an_answer_that_may_apply_or_comes_to_apply_is_taken(tmp_path: Path) -> None:
    early = await applied(tmp_path / "a", "it has 18 x 36 m", [])
    assert early.values["answers"] == {"size": "18 x 36 m"}
    corrected = await applied(tmp_path / "b", "no, not the office, the court, 18 x 36 m", ["office"])
    assert corrected.values["answers"] == {"place": "court", "size": "18 x 36 m"}


async def test_a_question_that_is_only_needless_takes_its_answer(tmp_path: Path) -> None:
    turn = await applied(tmp_path, "and my number is 030 1234567", ["office", "ann@shop.example"])
    assert turn.values["answers"]["phone"] == "030 1234567"
