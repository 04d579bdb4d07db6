"""Guided conversations as a user and a model meet them: what the model is shown, and what the user is told."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from runtime_support import agent, open_session, reads, scripted

import graphwright

SHOP = """
restart: keep
nodes:
  - {id: q.lamp, type: question, key: lamp, prompt: Which lamp?, schema: {enum: [LED, halogen]}}
  - id: q.watts
    type: question
    key: watts
    prompt: How many watts?
    schema: {type: integer, title: power, x-unit: W, minimum: 5, maximum: 2000}
    invalid_prompt: "Please give the power of one lamp in watts, from 5 to 2000."
  - id: q.more
    type: question
    key: more
    read: confirm
    ask: always
    prompt: "Sent {{ answers.lamp }}. Anything else?"
  - {id: done, type: terminal, say: "It stays as it is."}
edges:
  - {from: q.lamp, to: q.watts}
  - {from: q.watts, to: q.more}
  - {from: q.more, to: done, guard: answers.more == false}
  - {from: q.more, to: q.lamp, guard: else}
"""


@pytest.mark.parametrize("consent", ["agrees_with_changes", "unclear"])
@pytest.mark.parametrize("ended", [False, True])
async def test_a_further_wish_counts_where_no_answer_is_asked_for(tmp_path: Path, consent: str, ended: bool) -> None:
    wish = {"key": "lamp", "value": "LED", "quote": "LED lamps", "correction": False}
    rules = (
        reads("halogen", ("lamp", "halogen", "halogen"), ("watts", 40, "40 W")),
        {"says": "LED", "call": {"UpdateAnswers": {"consent": consent, "answers": [wish]}}},
    )
    async with open_session(agent(tmp_path / "a", SHOP), tmp_path / "home", *rules) as session:
        await session.send("halogen, 40 W")
        if ended:
            await session.send("no")
        turn = await session.send("besides, we need LED lamps")
        assert turn.values["answers"] == {"lamp": "LED", "watts": 40}
        assert turn.reply.endswith("Sent LED. Anything else?")
        assert "nothing in that to change" not in turn.reply


async def test_another_value_that_is_not_called_a_correction_is_not_lost_silently(tmp_path: Path) -> None:
    rules = (
        reads("as before", ("lamp", "halogen", "halogen"), ("watts", 60, "60 W")),
        reads("halogen", ("lamp", "halogen", "halogen")),
        reads("an LED", ("lamp", "LED", "LED"), ("watts", 40, "40 W")),
    )
    async with open_session(agent(tmp_path / "a", SHOP), tmp_path / "home", *rules) as session:
        await session.send("halogen")
        turn = await session.send("40 W, it was an LED before")
        assert turn.reply.startswith("I left lamp at halogen. If it should be LED, please say so.\n\nSent halogen.")
        turn = await session.send("halogen as before, and 60 W")
        assert turn.reply == "Noted: power: 60 W.\n\nSent halogen. Anything else?"


async def test_the_model_sees_all_that_the_user_was_shown_last(tmp_path: Path) -> None:
    rules = (
        reads("halogen", ("lamp", "halogen", "halogen"), ("watts", 9000, "9000 W")),
        {**reads("the most", ("watts", 2000, "the most")), "anywhere": r"at most 2000\.[\s\S]*\nHow many watts\?"},
    )
    async with open_session(agent(tmp_path / "a", SHOP), tmp_path / "home", *rules) as session:
        await session.send("halogen, 9000 W")
        assert (await session.send("then the most that you take")).values["answers"]["watts"] == 2000


async def test_a_very_long_text_keeps_its_end_for_the_model(tmp_path: Path) -> None:
    flow = SHOP.replace('"Sent {{ answers.lamp }}.', '"' + "very long. " * 2000 + "Sent {{ answers.lamp }}.")
    wish: dict[str, Any] = {"consent": "unclear", "answers": []}
    rules = (
        reads("halogen", ("lamp", "halogen", "halogen"), ("watts", 40, "40 W")),
        {"anywhere": r"\] ….{,4000}Sent halogen. Anything else\?", "call": {"UpdateAnswers": wish}},
    )
    async with open_session(agent(tmp_path / "a", flow), tmp_path / "home", *rules) as session:
        await session.send("halogen, 40 W")
        assert (await session.send("hm, let me see")).status == "waiting"


@pytest.mark.parametrize(
    "said", ["As agreed, 20 x 40 m", "20 x 40 m, keep everything else", "same as before, 20 x 40 m"]
)
async def test_a_correction_that_keeps_everything_else_asks_and_drops_nothing(tmp_path: Path, said: str) -> None:
    before = {"intention": "buy", "product": "LED", "venue": "sports_court", "wattage": 200, "email": "eva@example.org"}
    found = [(key, value, "all") for key, value in before.items()]
    restated = [(key, value, said.split(",")[0]) for key, value in before.items()]
    size = ("court_size", "18 x 36 m", "18 x 36 m")
    rules = (
        reads("all", *found, size, ("budget", 900, "900")),
        reads("20 x 40", *restated, ("court_size", "20 x 40 m", "20 x 40 m"), correction=True),
    )
    async with graphwright.load("intake").session("t", model=scripted(*rules), home=tmp_path / "home") as session:
        await session.send("all of it: 18 x 36 m, 900")
        turn = await session.send(said)
        assert turn.values["answers"] == {**before, "court_size": "20 x 40 m", "budget": 900}
        assert (turn.waiting_for and turn.waiting_for.node, "dropped" in turn.reply) == ("q.sure", False)


ASK = """
nodes:
  - id: q.budget
    type: question
    key: budget
    required: false
    prompt: Your budget?
    schema: {type: number, description: money to spend, x-unit: EUR, minimum: 1}
  - {id: q.colour, type: question, key: colour, prompt: Which colour?, schema: {enum: [red, blue]}, max_invalid: 2}
  - {id: q.sure, type: question, key: sure, read: confirm, ask: always, prompt: "Shall I send it?"}
  - {id: sent, type: terminal, say: Sent.}
  - {id: left, type: terminal, say: Not sent.}
edges:
  - {from: q.budget, to: q.colour}
  - {from: q.colour, to: q.sure}
  - {from: q.sure, to: sent, guard: answers.sure == true}
  - {from: q.sure, to: left, guard: else}
"""


def asks(says: str, key: str, consent: str = "", kind: str = "question") -> dict[str, Any]:
    """A rule: the message asks something about this answer."""
    call: list[dict[str, Any]] = [{"UpdateAnswers": {"consent": consent, "answers": []}}] if consent else []
    return {"says": says, "call": [*call, {"UnknownAnswer": {"key": key, "reason": says, "kind": kind}}]}


async def test_a_question_is_answered_from_the_flow_and_declines_nothing(tmp_path: Path) -> None:
    rules = (
        asks("for what", "budget"),
        asks("opening hours", ""),
        asks("hello", "budget", kind="other"),
        asks("which are there", "colour"),
        {"says": "red; why", "call": [reads("", ("colour", "red", "red"))["call"], asks("", "budget")["call"][0]]},
        asks("when do you", "", consent="unclear"),
    )
    about = "About budget I can only say this: money to spend; it must be at least 1 EUR; you may leave it open."
    no_answer = "I cannot answer that question here."
    async with open_session(agent(tmp_path / "a", ASK), tmp_path / "home", *rules) as session:
        await session.start()
        assert (await session.send("for what is that?")).reply == f"{about}\n\nYour budget?"
        assert (await session.send("what are your opening hours?")).reply == f"{no_answer}\n\nYour budget?"
        assert (await session.send("hello")).reply.endswith("\n\nYour budget?")
        assert (await session.resume(5)).reply == "Which colour?"
        colours = "About colour I can only say this: it must be one of red, blue.\n\nWhich colour?"
        # A question is not a failed attempt, so that the flow does not give up.
        assert [(await session.send("which are there?")).reply for _ in range(3)] == [colours] * 3
        assert (await session.send("red; why the budget?")).reply == f"{about}\n\nShall I send it?"
        assert (await session.send("when do you send it?")).reply == f"{no_answer}\n\nShall I send it?"
        assert (await session.send("yes")).reply == "Sent."


async def test_a_question_is_answered_in_the_language_of_the_user(tmp_path: Path) -> None:
    german = {"UpdateAnswers": {"language": "de", "consent": "unclear", "answers": []}}
    rule = {"says": "wann", "call": [german, {"UnknownAnswer": {"key": "", "reason": "wann", "kind": "question"}}]}
    async with open_session(agent(tmp_path / "a", ASK), tmp_path / "home", rule) as session:
        await session.start()
        await session.resume(5)
        await session.resume("red")
        turn = await session.send("wann schicken Sie das denn?")
        assert turn.reply == "Diese Frage kann ich hier nicht beantworten.\n\nShall I send it?"
